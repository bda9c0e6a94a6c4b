// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace knockout {

/// Why a cell is empty: each kind looks different to the network, in the order of the placeholders.
enum class GapKind : std::uint8_t {
  kAtRandom,      ///< Declared so, or of a kind that training never showed. Knocked-out cells too.
  kUnknownCause,  ///< Nobody said why. A share of the knocked-out cells takes it too.
  // Said to be for a reason. No knocked-out cell ever takes one of these.
  kSaid,   ///< For any reason.
  kBelow,  ///< Below a limit ("<0.5").
  kAbove,  ///< Above a limit ("> 90").
};
inline constexpr std::size_t kGapKinds = 5;

/// How a continuous input is scaled, which follows from its declared support.
enum class Support { kInterval, kHalfLine, kRealLine };

/// The values, in scaled units, that stand for the kinds of gaps and that real data never take. The
/// paper has the first two, "missing" and "missing for a reason".
struct PlaceholderValues {
  double missing = 0.0;
  double for_a_reason = 0.0;        ///< Presumed so, because the cause is unknown.
  double said = 0.0;                ///< Said to be so.
  double below = 0.0, above = 0.0;  ///< Said to be so, because the value lies beyond a limit.

  double of(GapKind kind) const {
    switch (kind) {
      case GapKind::kAtRandom:
        return missing;
      case GapKind::kUnknownCause:
        return for_a_reason;
      case GapKind::kSaid:
        return said;
      case GapKind::kBelow:
        return below;
      case GapKind::kAbove:
        break;
    }
    return above;
  }
};

/// The paper's Table 1 ("List of different types of X_i and the recommended placeholder"): the one
/// place that knows it. What is said has the second's until set_said_apart(). Scaled data on an
/// interval lie in [0, 1], on a half line in [0, inf), on the real line they are Z-scores.
PlaceholderValues recommended_placeholders(Support support);

/// What a gap writes into an input of its own (see EncodeOptions::inline_placeholders).
inline constexpr float kGapInput = 2.0F;

/// Groups of more scaled dimensions than this are "structured": their mean is itself improbable, so
/// they take zeros.
inline constexpr int kStructuredDimension = 16;

/// Gives each of the `learned` kinds a value of its own: the first has the paper's "missing for a
/// reason", the others lie beyond it, in their order. Two sides of a limit lie on either side of
/// the data, where a placeholder lies on either. REQUIRES: not kAtRandom, in the order of GapKind.
/// Kinds that training did not show keep the second's.
void set_said_apart(PlaceholderValues& values, std::span<const GapKind> learned);
/// The farthest of them is not more than so many times as far out as the second.
inline constexpr double kFarthestSaid = 5.0;

/// Moves recommended placeholders out of the fitted range [low, high] (in scaled units) when data
/// come nearer than `kPlaceholderMargin` to one: heavy tails reach 10 standard deviations. Returns
/// whether anything moved.
inline constexpr double kPlaceholderMargin = 1.0;
bool move_out_of_range(PlaceholderValues& values, Support support, double low, double high);

/// Throws ConfigError, with the reason, for a user's placeholder inside the fitted range: the
/// network could not tell a gap from a value (the paper's counter-example, its appendix "Suboptimal
/// Choice of Placeholder Values").
void require_outside_support(const std::string& column, double placeholder, double low,
                             double high);

}  // namespace knockout
