// SPDX-License-Identifier: Apache-2.0
// Encoder::fit: what is learned from the training table.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/stage.h"
#include "knockout/base/stop.h"
#include "knockout/base/wording.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/column_requests.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/kinds/read_cells.h"

namespace knockout {
namespace {

/// The observed training cells of one feature.
struct Observed {
  std::vector<double> readings;
  std::array<bool, kCellStates> has = {};  ///< A cell in this state.

  bool has_state(CellState state) const { return has[static_cast<std::size_t>(state)]; }
};

Observed observe(const Table& table, const Feature& feature) {
  const auto labels = labels_for(feature);
  const CellReader cells(feature, &table.at(feature.name), labels.get());
  Observed observed;
  observed.readings.reserve(table.rows());
  const std::size_t bad = cells.visit(
      0, table.rows(), {},
      [&](std::size_t, double reading) { observed.readings.push_back(reading); },
      [&](std::size_t, CellState state) { observed.has[static_cast<std::size_t>(state)] = true; });
  if (bad < table.rows()) throw_bad_cell(table, cells, bad);
  return observed;
}

/// Which kinds of gaps training shows.
void learn_gap_kinds(const Feature& feature, const Observed& observed, FeatureCoding& coding) {
  const bool below = observed.has_state(CellState::kBelowLimit);
  const bool above = observed.has_state(CellState::kAboveLimit);
  const bool has_sides = codec_of(feature).takes_placeholder_numbers();
  coding.learned_below = has_sides && below;
  coding.learned_above = has_sides && above;
  coding.learned_said =
      observed.has_state(CellState::kMissingForAReason) || (!has_sides && (below || above));
  const bool plain = observed.has_state(CellState::kMissing);
  coding.learned_reason =
      feature.training_gaps == GapMeaning::kForAReason && (plain || !coding.learned_any_said());
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
  const ColumnMatcher matcher(names);
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
      const ColumnMatcher::Match match = matcher.match(pattern, where);
      if (match.by_name != by_name) continue;
      for (const std::size_t feature : match.columns) {
        const bool takes_numbers = codec_of(schema.features[feature]).takes_placeholder_numbers();
        if (takes_numbers || is_mean(value)) {
          chosen[feature] = value;
        } else if (by_name) {
          throw ConfigError(fmt::format(
              "{}: \"{}\" is {}; its gaps have a code of their own "
              "already. Only \"mean\" (its mode) can be given.",
              field(where, said), names[feature], codec_of(schema.features[feature]).phrase()));
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
                         bool forced, const ScaledRange& range, FeatureCoding& coding,
                         std::vector<std::string>& notes) {
  PlaceholderValues& values = coding.placeholders;
  if (structured) {
    values = {};
  } else {
    values = recommended_placeholders(coding.support);
    if (move_out_of_range(values, coding.support, range.low, range.high)) {
      notes.push_back(
          fmt::format("The values of \"{}\" can reach {:.4g} to {:.4g} standard deviations, so its "
                      "placeholders "
                      "moved to {:.4g} and {:.4g}.",
                      feature.name, range.low, range.high, values.missing, values.for_a_reason));
    }
  }
  const auto set = [&](const std::optional<Placeholder>& value, double& placeholder) {
    if (!value) return;
    placeholder = is_mean(value) ? range.mean : std::get<double>(*value);
    if (!forced && !structured) {
      require_outside_support(feature.name, placeholder, range.low, range.high);
    }
  };
  set(user.missing, values.missing);
  set(user.for_a_reason, values.for_a_reason);
  if (!forced && !structured &&
      static_cast<float>(values.missing) == static_cast<float>(values.for_a_reason)) {
    throw ConfigError(
        fmt::format("Both placeholders of \"{}\" are {}: \"missing\" and \"missing "
                    "for a reason\" would look alike.\n"
                    "  Set the other one too (`placeholders`, `reason_placeholders`), "
                    "or allow it:  `force_placeholders`",
                    feature.name, values.missing));
  }
  std::vector<GapKind> apart;
  for (const GapKind kind :
       {GapKind::kUnknownCause, GapKind::kSaid, GapKind::kBelow, GapKind::kAbove}) {
    if (coding.learned(kind) && !is_mean(user.for_a_reason)) apart.push_back(kind);
  }
  set_said_apart(values, apart);
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

/// Columns with values that lie so far out that something is done about it.
struct FarColumns {
  std::vector<std::string> clipped, squashed;

  void add(const Feature& feature, const ScaledRange& range, std::size_t readings, bool squashes) {
    // More are no outliers but a long tail, which needs no word.
    constexpr double kMostOutliers = 0.01;
    const bool few = range.clipped <= kMostOutliers * static_cast<double>(readings);
    if (range.clipped == 0 || (squashes && !few)) return;
    (squashes ? squashed : clipped)
        .push_back(fmt::format("\"{}\" ({} value{})", feature.name, range.clipped,
                               range.clipped == 1 ? "" : "s"));
  }
};

/// One note for all columns of which it is true.
void add_note(const std::string& what, const std::vector<std::string>& columns,
              std::vector<std::string>& notes) {
  if (columns.empty()) return;
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(kShown, columns.size());
  std::string text =
      fmt::format("{}: {}", what, fmt::join(columns.begin(), columns.begin() + shown, ", "));
  if (columns.size() > shown) text += fmt::format(" and {} more", columns.size() - shown);
  notes.push_back(text + ".");
}

void note_rare_categories(const Schema& schema, const std::vector<FeatureCoding>& coding,
                          int rare_rows, std::vector<std::string>& notes) {
  std::vector<std::string> columns;
  for (std::size_t f = 0; f < coding.size(); ++f) {
    if (coding[f].rare.empty()) continue;
    columns.push_back(fmt::format("\"{}\" ({} of {})", schema.features[f].name,
                                  coding[f].rare.size(), schema.features[f].categories.size()));
  }
  add_note(fmt::format("Categories in fewer than {} rows share one level", rare_rows), columns,
           notes);
}

}  // namespace

Encoder Encoder::fit(const Table& table, const Schema& schema, const EncodeOptions& options) {
  check_ranges(options);
  const Stage stage("learning how to encode " + plural(schema.features.size(), "column"));
  const auto missing = user_placeholders(schema, options.placeholders, "placeholders");
  auto for_a_reason = user_placeholders(schema, options.reason_placeholders, "reason_placeholders");
  // Knockout* has one placeholder, the mean, for every gap.
  for (std::size_t f = 0; f < missing.size(); ++f) {
    if (is_mean(missing[f]) && !for_a_reason[f]) for_a_reason[f] = ColumnMean{};
  }

  Encoder encoder;
  encoder.schema_ = schema;
  encoder.coding_.resize(schema.features.size());
  std::vector<ScaledRange> ranges(schema.features.size());
  FarColumns far;
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    throw_if_stopped();
    const Feature& feature = schema.features[f];
    FeatureCoding& coding = encoder.coding_[f];
    const Observed observed = observe(table, feature);
    const UserPlaceholders user{missing[f], for_a_reason[f]};
    learn_gap_kinds(feature, observed, coding);
    const bool gaps_inline = options.inline_placeholders || user.missing || user.for_a_reason;
    const Scaling scaling =
        options.scaling.value_or(gaps_inline ? Scaling::kZScore : Scaling::kRobust);
    ranges[f] = codec_of(feature).fit(feature, observed.readings,
                                      {.max_one_hot = options.max_one_hot,
                                       .rare_rows = options.rare_rows,
                                       .scaling = scaling,
                                       .clip_stddevs = options.clip_stddevs,
                                       .gaps_inline = gaps_inline,
                                       .missing_is_mean = is_mean(user.missing),
                                       .reason_is_mean = is_mean(user.for_a_reason)},
                                      coding);
    far.add(feature, ranges[f], observed.readings.size(), coding.bends());
  }
  note_rare_categories(schema, encoder.coding_, options.rare_rows, encoder.notes_);
  encoder.lay_out();
  for (const KnockoutUnit& unit : encoder.units_) {
    for (const std::size_t f : unit.features) {
      // Of a structured group the paper recommends the mean: so many at once are improbable.
      if (!unit.structured) {
        require_forced_means({missing[f], for_a_reason[f]}, schema.features[f].name,
                             options.force_placeholders);
      }
      const bool on_axis = codec_of(schema.features[f]).takes_placeholder_numbers();
      if (!on_axis || !encoder.coding_[f].gaps_inline) continue;
      choose_placeholders(schema.features[f], {missing[f], for_a_reason[f]}, unit.structured,
                          options.force_placeholders, ranges[f], encoder.coding_[f],
                          encoder.notes_);
    }
  }
  const double clip = options.clip_stddevs.value_or(0.0);
  add_note(fmt::format("Clipped at {:g} standard deviations", clip), far.clipped, encoder.notes_);
  add_note(fmt::format("Squashed, because more than {:g} standard deviations from the rest", clip),
           far.squashed, encoder.notes_);
  encoder.finish();
  return encoder;
}

}  // namespace knockout
