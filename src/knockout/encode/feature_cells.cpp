// SPDX-License-Identifier: Apache-2.0
#include "knockout/encode/feature_cells.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/option.h"
#include "knockout/schema/dates.h"

namespace knockout {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnreadable = std::numeric_limits<double>::quiet_NaN();

std::array<float, 2> season_wave(double days) {
  if (std::isnan(days)) return {0.0F, 0.0F};
  const double angle = 2.0 * std::numbers::pi * season_of_date(days);
  return {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))};
}

std::string known_categories(const std::vector<std::string>& categories) {
  constexpr std::size_t kShown = 10;
  std::string listed;
  for (std::size_t i = 0; i < std::min(kShown, categories.size()); ++i) {
    listed += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", categories[i]);
  }
  if (categories.size() > kShown) listed += fmt::format(", ... ({} in all)", categories.size());
  return listed;
}

std::string bounds_text(const Feature& feature) {
  return fmt::format("{}:{}", feature.lower ? label_of_number(*feature.lower) : "",
                     feature.upper ? label_of_number(*feature.upper) : "");
}

}  // namespace

FeatureCells::FeatureCells(const Feature& feature, const Column* column, const LabelIndex* index)
    : column_(column),
      is_date_(feature.kind == ColumnKind::kDate),
      lower_(feature.lower.value_or(-kInfinity)),
      upper_(feature.upper.value_or(kInfinity)),
      index_(index) {
  if (column == nullptr) return;
  if (feature.kind == ColumnKind::kCategorical) {
    word_categories_.reserve(column->words().size());
    for (const std::string& word : column->words()) word_categories_.push_back(index_->find(word));
    return;
  }
  word_numbers_.reserve(column->words().size());
  for (const std::string& word : column->words()) {
    const auto number = is_date_ ? parse_date(word) : parse_number(word);
    word_numbers_.push_back(number.value_or(kUnreadable));
    if (is_date_) word_seasons_.push_back(season_wave(word_numbers_.back()));
  }
}

void throw_bad_cell(const Table& table, const Feature& feature, const Column& column,
                    std::size_t row) {
  const std::string where = fmt::format("{}, column \"{}\"", table.where(row), feature.name);
  if (!column.observed(row)) {
    throw DataError(
        fmt::format("{}: the cell is empty, but the column was declared never missing "
                    "when the model was fitted.\n"
                    "  Fill it in, or fit again without {}.",
                    where, field("never_missing", feature.name)));
  }
  const std::string value =
      column.is_text() ? column.word(row) : label_of_number(column.number(row));
  if (feature.kind == ColumnKind::kCategorical) {
    const char* const fix = feature.never_missing
                                ? "  Correct the cell; the column was declared never missing."
                                : "  Correct the cell, or treat unseen categories as missing:  "
                                  "`unseen_category = missing`";
    throw DataError(
        fmt::format("{}: the category \"{}\" was never seen in training.{}\n"
                    "  Known: {}.\n{}",
                    where, value, did_you_mean(value, feature.categories),
                    known_categories(feature.categories), fix));
  }
  const bool is_date = feature.kind == ColumnKind::kDate;
  const bool readable = is_date ? false : !column.is_text() || parse_number(value).has_value();
  if (!readable) {
    throw DataError(fmt::format(
        "{}: cannot read \"{}\" as a {}.\n"
        "  The model knows the column as {}.\n"
        "  Correct the cell or, if \"{}\" means missing:  {}",
        where, value, is_date ? "date" : "number",
        is_date ? "dates such as 2008-12-01" : "continuous", value, field("missing_words", value)));
  }
  throw DataError(
      fmt::format("{}: {} lies outside the declared range {}.\n"
                  "  Correct the value, or fit again with a wider range (`ranges`).",
                  where, value, bounds_text(feature)));
}

}  // namespace knockout
