// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knockout/mask/plan.h"
#include "knockout/schema/placeholder.h"

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
  /// The paper's Table 1 for numbers (schema/placeholder.h), scaled as it says: Z-scores on the
  /// real line, [0, inf) on a half line, [0, 1] on an interval.
  static Placeholder for_support(Support support);
  static Placeholder z_score() { return for_support(Support::kRealLine); }        ///< 10, -10
  static Placeholder half_line() { return for_support(Support::kHalfLine); }      ///< -1, -2
  static Placeholder unit_interval() { return for_support(Support::kInterval); }  ///< -1, 2
  static Placeholder zeros() { return constant(0.0); }          ///< Of structured inputs.
  static Placeholder mean() { return {Rule::kMean, 0.0, {}}; }  ///< Likewise: the mean image.
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
  /// What its numbers can be, once they are scaled. Absent = not said, and taken for Z-scores.
  std::optional<Support> support = {};
  /// Absent = the paper's: recommended_placeholder().
  std::optional<Placeholder> placeholder = {};
  /// Allows a placeholder that real numbers take, which the paper finds worst: Knockout*.
  bool force_placeholder = false;
  /// Probability of being knocked out, or kPaperRate.
  double knockout_rate = kPaperRate;
  /// Modalities of one group go missing together, at the rate that any of them gives; "" = alone.
  std::string group = {};
  /// Each index of the first dimension of the shape (a feature, a channel) is a unit of its own
  /// instead of the whole modality. That dimension needs a size.
  bool separate_features = false;
};

/// Numbers that go missing together: of a feature where features are separate, otherwise of the
/// whole. Absent = any number, where a side has any size.
std::optional<std::int64_t> dimension_of(const Modality& modality);

/// More than kStructuredDimension numbers: an image, a volume, a latent. Zeros, or the mean image,
/// are then improbable themselves.
bool is_structured(const Modality& modality);

/// The paper's Table 1: zeros for structured inputs, otherwise what lies outside the support.
Placeholder recommended_placeholder(const Modality& modality);

/// The modality's own placeholder, or the recommended one. Throws ConfigError for one that is not
/// finite and, unless forced, for one inside the support of an input that is not structured: the
/// network could not tell a gap from a number. Where no support is said, that is a number inside
/// every one of them, from 0 to 1; among Z-scores it is one within kLikelyZScores.
inline constexpr double kLikelyZScores = 4.0;
Placeholder checked_placeholder(const Modality& modality);

/// How Knockout behaves.
struct KnockoutModuleOptions {
  std::vector<Modality> modalities;
  /// p(M) over the units in place of the modalities' rates; see Knockout::unit_names().
  std::optional<KnockoutPlan> plan = {};
  /// Never knocks out the last input that a row has.
  bool keep_at_least_one = false;
  /// All rows of a step lose the same units, on all processes, instead of each row its own: half of
  /// the mini-batches stay complete, as the paper words its rate, rather than half of the rows.
  bool one_mask_per_batch = false;
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
