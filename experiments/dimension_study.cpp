// SPDX-License-Identifier: Apache-2.0
#include "experiments/dimension_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/eval/metrics.h"
#include "knockout/schema/placeholder.h"

namespace knockout::experiments {
namespace {

constexpr int kDimensions[] = {1, 2, 4, 16, 64, 256, 1024};
constexpr int kPointsPerRepetition = 2000;
/// How near a point must be to a placeholder for a network to confuse the two: one deviation of
/// one coordinate.
constexpr double kNear = 1.0;
/// The paper's placeholder of a scalar: so far from the origin, along the first axis.
constexpr double kFarPlaceholder = 10.0;

/// What the points of one dimension showed.
struct NormSample {
  std::vector<double> norms;
  std::size_t near_zero = 0, near_ten = 0;  ///< Points within kNear of either placeholder.
};

nlohmann::json sample_norms(int dimension, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  NormSample sample;
  for (int point = 0; point < kPointsPerRepetition; ++point) {
    double squares = 0, first = 0;
    for (int i = 0; i < dimension; ++i) {
      const double value =
          random.normal(static_cast<std::uint64_t>(dimension), static_cast<std::uint32_t>(point),
                        static_cast<std::uint32_t>(i));
      if (i == 0) first = value;
      squares += value * value;
    }
    // |x - 10 e1|^2 = |x|^2 - 20 x1 + 100
    const double to_ten = squares - 2 * kFarPlaceholder * first + kFarPlaceholder * kFarPlaceholder;
    sample.near_zero += squares < kNear * kNear;
    sample.near_ten += to_ten < kNear * kNear;
    sample.norms.push_back(std::sqrt(squares));
  }
  return {{"norms", sample.norms}, {"near_zero", sample.near_zero}, {"near_ten", sample.near_ten}};
}

/// Bins of one width over all norms of a dimension.
struct NormHistogram {
  std::vector<double> centers, densities;
};

NormHistogram histogram_of(const std::vector<double>& norms) {
  constexpr double kBinWidth = 0.2;
  const auto [least, most] = std::minmax_element(norms.begin(), norms.end());
  const auto first = static_cast<int>(std::floor(*least / kBinWidth));
  const auto last = static_cast<int>(std::floor(*most / kBinWidth));
  NormHistogram histogram;
  std::vector<double> counts(static_cast<std::size_t>(last - first + 1));
  for (const double norm : norms) {
    ++counts[static_cast<std::size_t>(static_cast<int>(std::floor(norm / kBinWidth)) - first)];
  }
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    histogram.centers.push_back((first + static_cast<double>(bin) + 0.5) * kBinWidth);
    histogram.densities.push_back(counts[bin] / (static_cast<double>(norms.size()) * kBinWidth));
  }
  return histogram;
}

std::string scientific(double number) {
  return number == 0       ? "0"
         : number >= 0.001 ? fmt::format("{:.4f}", number)
                           : fmt::format("{:.1e}", number);
}

struct NormFindings {
  std::vector<NormSample> samples;  ///< One per dimension.
  std::size_t points = 0;           ///< Per dimension.

  Repeated norm(std::size_t d) const { return over_repetitions(samples[d].norms); }
};

report::LineChart norm_chart(const NormFindings& found) {
  report::LineChart chart{.title = "Where the points of a standard Gaussian lie, by dimension",
                          .x_label = "norm (distance from the origin, the vector of zeros)",
                          .y_label = "density"};
  for (std::size_t d = 0; d < std::size(kDimensions); ++d) {
    const NormHistogram histogram = histogram_of(found.samples[d].norms);
    chart.series.push_back({.name = fmt::format("dimension {}", kDimensions[d]),
                            .x = histogram.centers,
                            .y = histogram.densities});
  }
  return chart;
}

/// The bins of each dimension against the formula, for the eye: one reference line per dimension.
report::LineChart formula_chart(const NormFindings& found) {
  report::LineChart chart{.title = "The same by the formula (chi distribution)",
                          .x_label = "norm",
                          .y_label = "density"};
  for (std::size_t d = 0; d < std::size(kDimensions); ++d) {
    report::Series series{.name = fmt::format("dimension {}", kDimensions[d])};
    const NormDistribution formula{kDimensions[d]};
    for (const double norm : histogram_of(found.samples[d].norms).centers) {
      series.x.push_back(norm);
      series.y.push_back(formula.density(norm));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

report::Table norm_table(const NormFindings& found) {
  report::Table table{
      .caption = fmt::format("The norm of {} points of each dimension, and the formula beside it",
                             with_thousands(found.points)),
      .header = {"dimension", "mean norm", "formula", "deviation", "formula",
                 "share within 1 of zeros", "formula", "share within 1 of (10, 0, ..)"},
      .note =
          "A placeholder is safe where no data are near it. In one dimension two of three "
          "points lie within 1 of zero, and none near 10. From 16 dimensions on, zeros are as "
          "lonely as 10 is, and do not stretch the network's inputs."};
  for (std::size_t d = 0; d < std::size(kDimensions); ++d) {
    const NormDistribution formula{kDimensions[d]};
    const Repeated norm = found.norm(d);
    const auto share = [&](std::size_t count) {
      return scientific(static_cast<double>(count) / static_cast<double>(found.points));
    };
    table.rows.push_back(
        {std::to_string(kDimensions[d]), fmt::format("{:.3f}", norm.mean),
         fmt::format("{:.3f}", formula.mean()), fmt::format("{:.3f}", norm.stddev),
         fmt::format("{:.3f}", formula.stddev()), share(found.samples[d].near_zero),
         scientific(formula.probability_below(kNear)), share(found.samples[d].near_ten)});
  }
  return table;
}

nlohmann::ordered_json norm_data(const NormFindings& found, const StudyOptions& options,
                                 int repetitions) {
  using Json = nlohmann::ordered_json;
  Json results = Json::array();
  for (std::size_t d = 0; d < std::size(kDimensions); ++d) {
    const NormDistribution formula{kDimensions[d]};
    const NormHistogram histogram = histogram_of(found.samples[d].norms);
    Json densities = Json::array();
    for (const double norm : histogram.centers) densities.push_back(formula.density(norm));
    const Repeated norm = found.norm(d);
    const auto points = static_cast<double>(found.points);
    results.push_back({{"dimension", kDimensions[d]},
                       {"mean_norm", norm.mean},
                       {"stddev_norm", norm.stddev},
                       {"near_zeros", static_cast<double>(found.samples[d].near_zero) / points},
                       {"near_ten", static_cast<double>(found.samples[d].near_ten) / points},
                       {"formula",
                        {{"mean_norm", formula.mean()},
                         {"stddev_norm", formula.stddev()},
                         {"near_zeros", formula.probability_below(kNear)}}},
                       {"histogram",
                        {{"norm", histogram.centers},
                         {"density", histogram.densities},
                         {"formula", densities}}}});
  }
  return {{"study", "dimension"},
          {"seed", options.seed},
          {"repetitions", repetitions},
          {"points", found.points},
          {"structured_dimension", kStructuredDimension},
          {"results", results}};
}

}  // namespace

double NormDistribution::density(double norm) const {
  const double half = 0.5 * dimension;
  if (norm == 0) return dimension == 1 ? std::sqrt(2.0 / std::numbers::pi) : 0.0;
  return std::exp((1 - half) * std::numbers::ln2 + (dimension - 1) * std::log(norm) -
                  0.5 * norm * norm - std::lgamma(half));
}

double NormDistribution::mean() const {
  return std::numbers::sqrt2 *
         std::exp(std::lgamma(0.5 * (dimension + 1)) - std::lgamma(0.5 * dimension));
}

double NormDistribution::stddev() const { return std::sqrt(dimension - mean() * mean()); }

double NormDistribution::probability_below(double norm) const {
  if (norm == 0) return 0;
  // The series of the lower incomplete gamma function: all terms positive, no cancellation.
  const double shape = 0.5 * dimension, at = 0.5 * norm * norm;
  double term = 1 / shape, sum = term;
  for (int n = 1; term > 1e-17 * sum; ++n) {
    term *= at / (shape + n);
    sum += term;
  }
  return std::min(1.0, sum * std::exp(shape * std::log(at) - at - std::lgamma(shape)));
}

StudyResult reproduce_dimension(const StudyOptions& options) {
  if (!options.methods.empty()) {
    throw ConfigError("dimension draws points and trains nothing: it takes no --methods.");
  }
  const int repetitions = options.quick ? 1 : options.repetitions;
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const int dimension : kDimensions) {
      jobs.push_back({fmt::format("dimension {}, repetition {}", dimension, repetition + 1),
                      [dimension, seed = repetition_seed(options.seed, repetition)](const auto&) {
                        return sample_norms(dimension, seed);
                      }});
    }
  }
  auto journal = open_journal({{"study", "dimension"}, {"seed", options.seed}}, options.run);
  const std::vector<nlohmann::json> results = run_jobs(jobs, *journal, options.run);
  NormFindings found;
  found.samples.resize(std::size(kDimensions));
  found.points = static_cast<std::size_t>(repetitions) * kPointsPerRepetition;
  for (std::size_t j = 0; j < results.size(); ++j) {
    NormSample& sample = found.samples[j % std::size(kDimensions)];
    for (const double norm : results[j].at("norms").get<std::vector<double>>()) {
      sample.norms.push_back(norm);
    }
    sample.near_zero += results[j].at("near_zero").get<std::size_t>();
    sample.near_ten += results[j].at("near_ten").get<std::size_t>();
  }

  StudyResult result;
  result.document.title = "Why zeros in many dimensions: the paper's Figure 2";
  const NormDistribution one{1}, structured{kStructuredDimension};
  result.document.summary = fmt::format(
      "In one dimension {:.0f} % of a standard Gaussian's points lie within 1 of zero, in {} "
      "dimensions {}: points move out to a shell of radius sqrt(dimension), and the vector of "
      "zeros "
      "becomes a placeholder that data never come near. So a scalar takes 10, far out, and a group "
      "of more than {} inputs takes zeros.",
      100 * one.probability_below(kNear), kStructuredDimension,
      scientific(structured.probability_below(kNear)), kStructuredDimension);
  result.document.sections = {
      {"What was done",
       {report::Text{fmt::format(
           "{} points of a standard Gaussian are drawn in each of {} dimensions, up to {}. Their "
           "norms are counted in bins of 0.2. Beside them stands the chi distribution, which the "
           "norm has by theory. Nothing is trained.",
           with_thousands(found.points), std::size(kDimensions),
           with_thousands(kDimensions[std::size(kDimensions) - 1]))}}},
      {"Norms", {report::Row{{norm_chart(found), formula_chart(found)}}, norm_table(found)}}};
  result.data = norm_data(found, options, repetitions);
  result.journal = std::move(journal);
  return result;
}

}  // namespace knockout::experiments
