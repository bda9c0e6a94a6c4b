// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace knockout {

/// How a continuous input is scaled, which follows from its declared support.
enum class Support { kInterval, kHalfLine, kRealLine };

/// The two values, in scaled units, that stand for "missing" and "missing for a reason" and that
/// real data never take.
struct PlaceholderPair {
  double missing = 0.0;
  double for_a_reason = 0.0;
};

/// The paper's Table 1 ("List of different types of X_i and the recommended placeholder"): the one
/// place that knows it. Scaled data on an interval lie in [0, 1], on a half line in [0, inf), on
/// the real line they are Z-scores.
PlaceholderPair recommended_placeholders(Support support);

/// What a gap writes into an input of its own (see EncodeOptions::inline_placeholders).
inline constexpr float kGapInput = 2.0F;

/// Groups of more scaled dimensions than this are "structured": their mean is itself improbable, so
/// they take zeros.
inline constexpr int kStructuredDimension = 16;

/// Moves recommended placeholders out of the fitted range [low, high] (in scaled units) when data
/// come nearer than `kPlaceholderMargin` to one: heavy tails reach 10 standard deviations. Returns
/// whether anything moved.
inline constexpr double kPlaceholderMargin = 1.0;
bool move_out_of_range(PlaceholderPair& pair, Support support, double low, double high);

/// Throws ConfigError, with the reason, for a user's placeholder inside the fitted range: the
/// network could not tell a gap from a value (the paper's counter-example, its appendix "Suboptimal
/// Choice of Placeholder Values").
void require_outside_support(const std::string& column, double placeholder, double low,
                             double high);

}  // namespace knockout
