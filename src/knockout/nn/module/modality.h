// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knockout/mask/plan.h"

namespace knockout::nn {

/// What stands in for an input that is not there. The first value is for missing, the second for
/// missing for a reason (+-Inf cells); without a second one, both take the first.
struct Placeholder {
  enum class Rule {
    kConstant,  ///< The same number everywhere.
    kMean,      ///< The mean of the training inputs, element by element; see Knockout::observe().
    kLearned,   ///< A parameter, trained with the network.
    kCode,      ///< For categories: integers, where -1 is missing and -2 missing for a reason.
  };
  Rule rule = Rule::kConstant;
  double value = 0.0;
  std::optional<double> for_a_reason = {};

  static Placeholder constant(double value) { return {Rule::kConstant, value, {}}; }
  static Placeholder constant(double value, double for_a_reason) {
    return {Rule::kConstant, value, for_a_reason};
  }
  static Placeholder zeros() { return constant(0.0); }  ///< Structured inputs, Z-scored.
  static Placeholder z_score() { return constant(10.0, -10.0); }
  static Placeholder unit_interval() { return constant(-1.0, 2.0); }
  static Placeholder mean() { return {Rule::kMean, 0.0, {}}; }
  static Placeholder learned() { return {Rule::kLearned, 0.0, {}}; }
  static Placeholder code() { return {Rule::kCode, -1.0, -2.0}; }
};

/// In place of a knockout rate: the paper's, from the number of units.
inline constexpr double kPaperRate = -1.0;

/// One input of a network: a scalar or a vector per row, an image, a volume, a latent.
struct Modality {
  std::string name;
  /// Without the batch: {9}, {3, 32, 32}; {} = one number. -1 = any size, as in {4, -1, -1, -1}: a
  /// learned or mean placeholder is then the same along that side.
  std::vector<std::int64_t> shape;
  Placeholder placeholder = Placeholder::zeros();
  /// Probability of being knocked out, or kPaperRate.
  double knockout_rate = kPaperRate;
  /// Modalities of one group go missing together, at the rate that any of them gives; "" = alone.
  std::string group = {};
  /// Each index of the first dimension of the shape (a feature, a channel) is a unit of its own
  /// instead of the whole modality. That dimension needs a size.
  bool separate_features = false;
};

/// How Knockout behaves.
struct KnockoutModuleOptions {
  std::vector<Modality> modalities;
  /// p(M) over the units in place of the modalities' rates; see Knockout::unit_names().
  std::optional<KnockoutPlan> plan = {};
  /// Never knocks out the last input that a row has.
  bool keep_at_least_one = false;
  std::uint64_t seed = 0;
  /// Separates several Knockout modules of one network, as the networks of an ensemble: with the
  /// same seed and member, the first units of two modules always go missing together.
  std::uint32_t member = 0;
};

/// What modalities are made of: the units that go missing, and how often.
struct ModalityUnits {
  /// The units a modality has in a mask: columns [begin, begin + count).
  struct Range {
    std::int64_t begin = 0, count = 1;
  };
  std::vector<Range> ranges;  ///< Per modality.
  std::vector<std::string> names;
  KnockoutPlan plan;
};

/// Throws ConfigError for modalities, or a plan, that contradict each other.
ModalityUnits units_of(const KnockoutModuleOptions& options);

}  // namespace knockout::nn
