// SPDX-License-Identifier: Apache-2.0
#include "experiments/study.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "experiments/classification_study.h"
#include "experiments/counter_example.h"
#include "experiments/dimension_study.h"
#include "experiments/paper_causes.h"
#include "experiments/regression_study.h"
#include "experiments/shift_study.h"

namespace knockout::experiments {
namespace {

/// The 97.5 % quantile of Student's t: tabulated for few degrees of freedom, then the expansion of
/// Cornish and Fisher around the normal quantile, good to 0.001.
double t_quantile(std::size_t degrees) {
  constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (degrees <= std::size(kFew)) return kFew[degrees - 1];
  constexpr double kZ = 1.959964;
  const auto n = static_cast<double>(degrees);
  return kZ + (kZ * kZ * kZ + kZ) / (4 * n) +
         (5 * std::pow(kZ, 5) + 16 * kZ * kZ * kZ + 3 * kZ) / (96 * n * n);
}

}  // namespace

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      {"regression", "Figure 1: complete, MCAR and MNAR training data, every method",
       reproduce_regression, true},
      {"classification-continuous", "the classification table, two continuous inputs",
       reproduce_classification_continuous, true},
      {"classification-mixed", "the classification table, a categorical and a continuous input",
       reproduce_classification_mixed, true},
      {"placeholder-ablation", "placeholders from 0 to 10, searched for, and learned",
       reproduce_placeholder_ablation, true},
      {"mnar-ablation", "Knockout against Knockout- on MNAR training data", reproduce_mnar_ablation,
       true},
      {"training-size", "300, 1,000, 3,000 and 15,000 training rows", reproduce_training_size,
       true},
      {"counter-example", "appendix A.2: a placeholder inside the support, formula and network",
       reproduce_counter_example},
      {"dimension", "Figure 2: the norm of Gaussian vectors by dimension", reproduce_dimension},
      {"shift", "trained under one missingness, tested under others (future work)",
       reproduce_shift},
      {"paper-causes", "why our figures in the paper's recipe differ from those it prints",
       reproduce_paper_causes}};
  return all;
}

Repeated over_repetitions(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Repeated found;
  found.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) {
    found.low = found.high = found.stddev = std::numeric_limits<double>::quiet_NaN();
    return found;
  }
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  found.stddev = std::sqrt(squares / (count - 1));
  const double half = t_quantile(values.size() - 1) * found.stddev / std::sqrt(count);
  found.low = found.mean - half;
  found.high = found.mean + half;
  return found;
}

}  // namespace knockout::experiments
