// SPDX-License-Identifier: Apache-2.0
// Shift of missingness, which the paper names as future work: training data go missing in one way,
// test data in another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "knockout/eval/compare.h"

namespace knockout::experiments {

/// A way to learn that is tested under every removal.
struct ShiftArm {
  std::string name, label;
  std::string method;                       ///< Of make_method().
  std::optional<RemovalRule> expects = {};  ///< p(M) follows a table in which cells go missing so.
};

/// What is trained and tested.
struct ShiftDesign {
  std::vector<ShiftArm> arms;
  std::vector<RemovalRule> training, testing;
  int repetitions = 10;
  std::uint64_t seed = 0;
  std::size_t training_rows = 2000, test_rows = 2000;
  int steps = 3000;
};

/// RMSE over the deviation of y, [training][arm][testing][repetition]. 1 = knows only the mean.
using ShiftLosses = std::vector<std::vector<std::vector<std::vector<double>>>>;

ShiftLosses run_shift(const ShiftDesign& design, Journal& journal, const StudyContext& run);

/// Charts, tables and words; see shift_report.cpp.
StudyResult shift_result(const ShiftDesign& design, const ShiftLosses& losses);

/// Whether p(M) should follow what is expected, judged by the repetitions: how the arm that expects
/// a removal differs from plain Knockout where it is met, and where another one is.
struct Expectation {
  std::size_t testing = 0;  ///< Position of the removal that is expected.
  Repeated met, not_met;    ///< Loss minus that of Knockout, means over the training removals.
};
std::vector<Expectation> judge_expectations(const ShiftDesign& design, const ShiftLosses& losses);

StudyResult reproduce_shift(const StudyOptions& options);

}  // namespace knockout::experiments
