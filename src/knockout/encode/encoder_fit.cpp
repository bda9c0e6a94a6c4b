// SPDX-License-Identifier: Apache-2.0
// Encoder::fit: what is learned from the training table.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/stop.h"
#include "knockout/encode/encoder.h"
#include "knockout/encode/feature_cells.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

/// Mean, population standard deviation and range of numbers.
struct Moments {
  double mean = 0.0;
  double stddev = 0.0;
  double low = 0.0, high = 0.0;
};

/// Two passes in double; no overflow even for numbers near the largest double.
Moments moments_of(std::span<const double> numbers) {
  if (numbers.empty()) return {};
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  Moments moments{*low, 0.0, *low, *high};
  if (moments.low == moments.high) return moments;  // exactly 0, not what rounding leaves

  // Where squares would overflow or vanish, work in units of a power of two: exact, and 1 for
  // ordinary data.
  const double largest = std::max(std::abs(moments.low), std::abs(moments.high));
  const double unit =
      largest > 1e100 || largest < 1e-100 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
  const double count = static_cast<double>(numbers.size());
  double sum = 0.0;
  for (const double number : numbers) sum += number / unit;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double number : numbers) squares += (number / unit - mean) * (number / unit - mean);
  moments.mean = mean * unit;
  moments.stddev = std::sqrt(squares / count) * unit;
  return moments;
}

/// The observed training values of one feature.
struct Observed {
  std::vector<double> numbers;      ///< Continuous columns and dates.
  std::vector<std::size_t> counts;  ///< Rows per category.
  bool has_reason_gaps = false;     ///< A cell says itself that it is missing for a reason.

  int mode() const {
    return static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }
};

Observed observe(const Table& table, const Feature& feature) {
  const Column& column = table.at(feature.name);
  const LabelIndex index(feature.categories);
  const FeatureCells cells(feature, &column, &index);
  Observed observed;
  observed.counts.resize(feature.categories.size());
  const bool categorical = feature.kind == ColumnKind::kCategorical;
  if (!categorical) observed.numbers.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const CellState state = cells.state(row);
    observed.has_reason_gaps |= state == CellState::kMissingForAReason;
    if (state != CellState::kObserved) continue;
    if (categorical) {
      const int category = cells.category(row);
      if (category < 0) throw_bad_cell(table, feature, column, row);
      ++observed.counts[static_cast<std::size_t>(category)];
    } else {
      const double number = cells.number(row);
      if (!cells.accepts(number)) throw_bad_cell(table, feature, column, row);
      observed.numbers.push_back(number);
    }
  }
  return observed;
}

double usable_spread(double spread) { return std::isfinite(spread) && spread > 0.0 ? spread : 1.0; }

/// Where the scaled values of a feature can lie, and how many training values were clipped to it.
struct ScaledRange {
  double low = 0.0, high = 0.0;
  double mean = 0.0;
  std::size_t clipped = 0;
};

ScaledRange fit_scaling(const Feature& feature, std::span<const double> numbers,
                        std::optional<double> clip_stddevs, Encoder::FeatureCoding& coding) {
  coding.support = support_of(feature);
  const Moments moments = moments_of(numbers);
  const double clip = std::min(clip_stddevs.value_or(0.0), kLargestScaled);
  switch (coding.support) {
    case Support::kInterval:
      coding.center = *feature.lower;
      coding.spread = *feature.upper - *feature.lower;
      coding.clip_high = 1.0;
      break;
    case Support::kHalfLine: {
      coding.center = feature.lower ? *feature.lower : *feature.upper;
      const double distance = std::abs(moments.mean - coding.center);
      // Data far from their bound (kelvins from 0) would land at dozens of standard deviations.
      const double spread = usable_spread(std::max(moments.stddev, distance / 5.0));
      coding.spread = feature.lower ? spread : -spread;
      const double farthest = (distance + clip * moments.stddev) / spread;
      if (clip > 0.0) coding.clip_high = std::clamp(farthest, clip, kLargestScaled);
      break;
    }
    case Support::kRealLine:
      coding.center = moments.mean;
      coding.spread = usable_spread(moments.stddev);
      coding.clip_low = -clip;
      coding.clip_high = clip;
      break;
  }

  const auto scaled = [&](double number) {
    return std::clamp((number - coding.center) / coding.spread, -kLargestScaled, kLargestScaled);
  };
  ScaledRange range{coding.clip_low, coding.clip_high, scaled(moments.mean), 0};
  if (coding.clip_low == coding.clip_high) {
    range.low = std::min(scaled(moments.low), scaled(moments.high));
    range.high = std::max(scaled(moments.low), scaled(moments.high));
    if (coding.support == Support::kHalfLine) range.low = 0.0;
    return range;
  }
  for (const double number : numbers) {
    const double value = scaled(number);
    range.clipped += value < coding.clip_low || value > coding.clip_high;
  }
  return range;
}

bool is_mean(const std::optional<Placeholder>& placeholder) {
  return placeholder && std::holds_alternative<ColumnMean>(*placeholder);
}

std::string placeholder_text(const Placeholder& placeholder) {
  const double* const number = std::get_if<double>(&placeholder);
  return number == nullptr ? "mean" : label_of_number(*number);
}

/// The user's placeholder per feature, absent where there is none.
std::vector<std::optional<Placeholder>> user_placeholders(const Schema& schema,
                                                          const Placeholders& wanted,
                                                          const char* where) {
  const std::vector<std::string> names = schema.feature_names();
  std::vector<std::optional<Placeholder>> chosen(names.size());
  for (const bool by_name : {false, true}) {  // names last: they win over patterns
    for (const auto& [pattern, value] : wanted) {
      const std::string said = pattern + "=" + placeholder_text(value);
      if (const double* const number = std::get_if<double>(&value);
          number != nullptr && !(std::abs(*number) <= 10 * kLargestScaled)) {
        throw ConfigError(
            fmt::format("{}: expected a number in scaled units, up to {:g}, or the mean.",
                        field(where, said), 10 * kLargestScaled));
      }
      if (schema.find_feature(pattern).has_value() != by_name) continue;
      for (const std::string& name : expand_columns({pattern}, names, where)) {
        const std::size_t feature = *schema.find_feature(name);
        const bool takes_numbers = schema.features[feature].kind != ColumnKind::kCategorical;
        if (takes_numbers || is_mean(value)) {
          chosen[feature] = value;
        } else if (by_name) {
          throw ConfigError(
              fmt::format("{}: \"{}\" is categorical; its gaps have a code of their own "
                          "already. Only \"mean\" (its mode) can be given.",
                          field(where, said), name));
        }
      }
    }
  }
  return chosen;
}

struct UserPlaceholders {
  std::optional<Placeholder> missing, for_a_reason;  ///< Absent = the recommended one.
};

void choose_placeholders(const Feature& feature, const UserPlaceholders& user, bool structured,
                         bool forced, const ScaledRange& range, Encoder::FeatureCoding& coding,
                         std::vector<std::string>& notes) {
  PlaceholderPair& pair = coding.placeholders;
  if (structured) {
    pair = {0.0, 0.0};
  } else {
    pair = recommended_placeholders(coding.support);
    if (move_out_of_range(pair, coding.support, range.low, range.high)) {
      notes.push_back(
          fmt::format("The values of \"{}\" can reach {:.4g} to {:.4g} standard deviations, so its "
                      "placeholders "
                      "moved to {:.4g} and {:.4g}.",
                      feature.name, range.low, range.high, pair.missing, pair.for_a_reason));
    }
  }
  const auto set = [&](const std::optional<Placeholder>& value, double& placeholder) {
    if (!value) return;
    placeholder = is_mean(value) ? range.mean : std::get<double>(*value);
    if (!forced && !structured) {
      require_outside_support(feature.name, placeholder, range.low, range.high);
    }
  };
  set(user.missing, pair.missing);
  set(user.for_a_reason, pair.for_a_reason);
  if (!forced && !structured &&
      static_cast<float>(pair.missing) == static_cast<float>(pair.for_a_reason)) {
    throw ConfigError(
        fmt::format("Both placeholders of \"{}\" are {}: \"missing\" and \"missing "
                    "for a reason\" would look alike.\n"
                    "  Set the other one too (`placeholders`, `reason_placeholders`), "
                    "or allow it:  `force_placeholders`",
                    feature.name, pair.missing));
  }
}

void require_forced_means(const UserPlaceholders& user, const std::string& column, bool forced) {
  if (forced || !(is_mean(user.missing) || is_mean(user.for_a_reason))) return;
  throw ConfigError(fmt::format(
      "The placeholder \"mean\" for \"{}\" is a value that real data take.\n"
      "  The network could not tell a gap from the value: it would learn one answer for both, a "
      "mixture that is wrong for each.\n"
      "  To do so on purpose (Knockout*):  `force_placeholders`",
      column));
}

std::string clipped_note(const std::vector<std::string>& clipped, double clip_stddevs) {
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(kShown, clipped.size());
  std::string text = fmt::format("Clipped at {:g} standard deviations: {}", clip_stddevs,
                                 fmt::join(clipped.begin(), clipped.begin() + shown, ", "));
  if (clipped.size() > shown) text += fmt::format(" and {} more", clipped.size() - shown);
  return text + ".";
}

}  // namespace

Encoder Encoder::fit(const Table& table, const Schema& schema, const EncodeOptions& options) {
  check_ranges(options);
  const auto missing = user_placeholders(schema, options.placeholders, "placeholders");
  const auto for_a_reason =
      user_placeholders(schema, options.reason_placeholders, "reason_placeholders");

  Encoder encoder;
  encoder.schema_ = schema;
  encoder.coding_.resize(schema.features.size());
  std::vector<ScaledRange> ranges(schema.features.size());
  std::vector<std::string> clipped;
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    throw_if_stopped();
    const Feature& feature = schema.features[f];
    FeatureCoding& coding = encoder.coding_[f];
    const Observed observed = observe(table, feature);
    const UserPlaceholders user{missing[f], for_a_reason[f]};
    require_forced_means(user, feature.name, options.force_placeholders);
    coding.learned_reason =
        feature.training_gaps == GapMeaning::kForAReason || observed.has_reason_gaps;
    if (feature.kind == ColumnKind::kCategorical) {
      const bool embedded =
          feature.categories.size() > static_cast<std::size_t>(options.max_one_hot);
      coding.code = embedded ? 0 : -1;  // lay_out numbers them
      if (is_mean(user.missing)) coding.missing_category = observed.mode();
      if (is_mean(user.for_a_reason)) coding.reason_category = observed.mode();
    } else {
      coding.gaps_inline = options.inline_placeholders || user.missing || user.for_a_reason;
      ranges[f] = fit_scaling(feature, observed.numbers, options.clip_stddevs, coding);
      if (ranges[f].clipped > 0) {
        clipped.push_back(fmt::format("\"{}\" ({} value{})", feature.name, ranges[f].clipped,
                                      ranges[f].clipped == 1 ? "" : "s"));
      }
    }
  }
  encoder.lay_out();
  for (const KnockoutUnit& unit : encoder.units_) {
    for (const std::size_t f : unit.features) {
      if (schema.features[f].kind == ColumnKind::kCategorical || !encoder.coding_[f].gaps_inline) {
        continue;
      }
      choose_placeholders(schema.features[f], {missing[f], for_a_reason[f]}, unit.structured,
                          options.force_placeholders, ranges[f], encoder.coding_[f],
                          encoder.notes_);
    }
  }
  if (!clipped.empty()) encoder.notes_.push_back(clipped_note(clipped, *options.clip_stddevs));
  encoder.finish();
  return encoder;
}

}  // namespace knockout
