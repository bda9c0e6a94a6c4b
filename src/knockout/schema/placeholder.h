// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace knockout {

/// Why a cell is empty: each kind looks different to the network, in the order of the placeholders.
enum class GapKind : std::uint8_t {
  kAtRandom,      ///< Declared so, or of a kind that training never showed. Knocked-out cells too.
  kUnknownCause,  ///< Nobody said why. A share of the knocked-out cells takes it too.
  kSaid,          ///< Said to be for a reason ("<LOD"). No knocked-out cell ever takes it.
};
inline constexpr std::size_t kGapKinds = 3;

/// How a continuous input is scaled, which follows from its declared support.
enum class Support { kInterval, kHalfLine, kRealLine };

/// The values, in scaled units, that stand for the kinds of gaps and that real data never take. The
/// paper has the first two, "missing" and "missing for a reason".
struct PlaceholderValues {
  double missing = 0.0;
  double for_a_reason = 0.0;  ///< Presumed so, because the cause is unknown.
  double said = 0.0;          ///< Said to be so.

  double of(GapKind kind) const {
    return kind == GapKind::kAtRandom ? missing : kind == GapKind::kSaid ? said : for_a_reason;
  }
};

/// The paper's Table 1 ("List of different types of X_i and the recommended placeholder"): the one
/// place that knows it. `said` is the second's until set_said_apart(). Scaled data on an interval
/// lie in [0, 1], on a half line in [0, inf), on the real line they are Z-scores.
PlaceholderValues recommended_placeholders(Support support);

/// What a gap writes into an input of its own (see EncodeOptions::inline_placeholders).
inline constexpr float kGapInput = 2.0F;

/// Groups of more scaled dimensions than this are "structured": their mean is itself improbable, so
/// they take zeros.
inline constexpr int kStructuredDimension = 16;

/// Gives `said` a value of its own, beyond the second. The two are alike where no gap of unknown
/// cause was seen: the paper's "missing for a reason" then stands for what is said to be so.
void set_said_apart(PlaceholderValues& values);

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
