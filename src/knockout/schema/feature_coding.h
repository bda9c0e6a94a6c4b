// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "knockout/base/option.h"
#include "knockout/schema/placeholder.h"

namespace knockout {

/// Scaled values saturate here even where nothing is clipped, so that sums of them stay finite.
inline constexpr double kLargestScaled = 1e9;

/// How one feature is scaled and filled: what was learned from the training table.
struct FeatureCoding {
  Support support = Support::kRealLine;
  /// scaled = (x - center) / spread, then within [clip_low, clip_high]. Of a date, x is the days
  /// since 1970, and sine and cosine of its season follow as two more inputs.
  double center = 0.0;
  double spread = 1.0;                     ///< Negative for (-inf, b]: the half line is turned.
  double clip_low = 0.0, clip_high = 0.0;  ///< Equal = no clipping.
  /// From here on, values bend towards the clip, which they never pass: an outlier is far out, but
  /// not so far that it hides the rest. Where the clip is, values are cut off there.
  double bend_low = 0.0, bend_high = 0.0;
  bool bends() const { return bend_high < clip_high; }
  /// Of a date: sine and cosine of its weekday follow, and of its time of day.
  bool has_weekday = false, has_time = false;
  PlaceholderValues placeholders;  ///< Scaled units; only where `gaps_inline`.
  /// A gap is a number on the value's axis. Otherwise the inputs after the value's are kGapInput
  /// for "missing" (unless the column is never missing) and, where training showed such gaps, for
  /// gaps of unknown cause and for those said to be for a reason, below a limit and above one.
  /// Categories have a form of their own.
  bool gaps_inline = true;
  int begin = 0, width = 0;  ///< Its dense inputs, those of gaps included.
  int code = -1;             ///< Its embedded column, or -1.
  /// Categories that training hardly showed, sorted: they share one level, the last. Nothing can be
  /// learned of each alone.
  std::vector<int> rare = {};
  /// One-hot categories: inputs after those of the categories are 1 for a gap of unknown cause, and
  /// for one that is said to be for a reason.
  bool has_reason_flag = false, has_said_flag = false;
  /// Training held gaps of this column of unknown cause, presumed to be for a reason; and gaps that
  /// were said to be. Otherwise such a placeholder means nothing to the network.
  bool learned_reason = false, learned_said = false;
  /// And gaps below a limit, and above one. Categories have no sides: theirs are plainly said.
  bool learned_below = false, learned_above = false;
  /// The category that stands for a gap (Knockout*: the mode); -1 = the gap's own code.
  int missing_category = -1, reason_category = -1;

  /// How many inputs or codes so many categories have.
  int levels(std::size_t categories) const {
    return static_cast<int>(categories - (rare.empty() ? 0 : rare.size() - 1));
  }
  int level_of(int category, std::size_t categories) const {
    const auto next = std::lower_bound(rare.begin(), rare.end(), category);
    if (next != rare.end() && *next == category) return levels(categories) - 1;
    return category - static_cast<int>(next - rare.begin());
  }
  int category_of(GapKind kind) const {
    return kind == GapKind::kAtRandom ? missing_category : reason_category;
  }
  /// Whether training showed gaps of this kind. It always shows knocked-out cells.
  bool learned(GapKind kind) const {
    switch (kind) {
      case GapKind::kAtRandom:
        return true;
      case GapKind::kUnknownCause:
        return learned_reason;
      case GapKind::kSaid:
        return learned_said;
      case GapKind::kBelow:
        return learned_below;
      case GapKind::kAbove:
        break;
    }
    return learned_above;
  }
  bool learned_any_said() const { return learned_said || learned_below || learned_above; }
  /// What the network takes a gap for: it knows the kinds that training showed.
  GapKind known_as(GapKind kind) const {
    if (learned(kind)) return kind;
    if (kind >= GapKind::kSaid && learned_said) return GapKind::kSaid;
    // Which side is not said: where training showed one alone, that one. Never the opposite side.
    const bool one_side = learned_below != learned_above;
    if (kind == GapKind::kSaid && one_side)
      return learned_below ? GapKind::kBelow : GapKind::kAbove;
    return learned_reason ? GapKind::kUnknownCause : GapKind::kAtRandom;
  }
};

/// How numbers without bounds, or with one bound, are scaled.
enum class Scaling {
  kRobust,
  kZScore,
  kNone,  ///< As they are (with one bound: counted from it), for columns that are scaled already.
};
// The names are part of the model format: never change one.
constexpr auto names_of(Scaling) {
  return std::array{EnumName<Scaling>{"robust", Scaling::kRobust},
                    EnumName<Scaling>{"zscore", Scaling::kZScore},
                    EnumName<Scaling>{"none", Scaling::kNone}};
}

/// Where the scaled values of a feature can lie, and how many training values were clipped to it.
struct ScaledRange {
  double low = 0.0, high = 0.0;
  double mean = 0.0;
  std::size_t clipped = 0;
};

/// What a codec is told when it learns a column's coding.
struct CodingOptions {
  int max_one_hot = 0;  ///< More categories than this are embedded.
  int rare_rows = 0;    ///< Categories in fewer rows share one level.
  Scaling scaling = Scaling::kZScore;
  std::optional<double> clip_stddevs;  ///< Scaled values stay within +-this; absent = anywhere.
  bool gaps_inline = false;            ///< See FeatureCoding.
  bool missing_is_mean = false;        ///< The first placeholder is the mean or the mode.
  bool reason_is_mean = false;         ///< So is the second.
};

}  // namespace knockout
