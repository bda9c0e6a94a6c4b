// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/continuous.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/schema/column_profile.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/identifiers.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

constexpr double kLargestSmallCode = 20;

}  // namespace

std::vector<KindRequest> ContinuousCodec::requests(const SchemaOptions& options) const {
  return requests_for(options.continuous);
}

bool ContinuousCodec::keeps_request(const Column&, const ColumnProfile& profile) const {
  return !profile.all_dates;
}

bool ContinuousCodec::looks_like(const Column& column, const ColumnProfile&) const {
  return !column.is_text();
}

std::optional<RowNames> ContinuousCodec::row_names(const Column& column,
                                                   const ColumnProfile& profile) const {
  return column.is_text() ? std::nullopt : row_names_of_numbers(column, profile);
}

bool ContinuousCodec::may_be_codes(const ColumnProfile& profile) const {
  return profile.few_integers() && profile.few_values.size() >= 3 && profile.low >= 0 &&
         profile.high <= kLargestSmallCode;
}

void ContinuousCodec::describe(const InferredColumn& found, Feature&, std::vector<Note>&) const {
  if (!found.column.is_text() || found.profile.first_non_number == kNoRow) return;
  const std::size_t row = found.profile.first_non_number;
  const std::string& word = found.column.word(row);
  throw DataError(
      fmt::format("{}: cannot read \"{}\" as a number, but `continuous` names the "
                  "column.\n"
                  "  If \"{}\" means missing:  {}\n"
                  "  If it is a category:  take \"{}\" out of `continuous`",
                  found.at(row), word, word, field("missing_words", word), found.column.name()));
}

double ContinuousCodec::read_word(std::string_view word) const {
  return parse_number(word).value_or(kUnreadable);
}

std::string ContinuousCodec::fault_of(const std::string& value, double reading,
                                      const Feature& feature) const {
  if (std::isnan(reading)) return unreadable_text(value, "number", "continuous");
  return fmt::format(
      "{} lies outside the declared range {}.\n"
      "  Correct the value, or fit again with a wider range (`ranges`).",
      value, range_phrase(feature.lower, feature.upper));
}

bool ContinuousCodec::writes_numbers(const Feature&, const Column&) const { return true; }

std::string ContinuousCodec::word_of(const Feature&, double reading) const {
  return label_of_number(reading);
}

void ContinuousCodec::summarise(const Column& column, const Feature*,
                                ColumnSummary& summary) const {
  double sum = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const double number = column.is_text() ? read_word(column.word(row)) : column.number(row);
    if (std::isnan(number)) continue;  // a column that was set aside may hold words
    summary.low = std::min(summary.low.value_or(number), number);
    summary.high = std::max(summary.high.value_or(number), number);
    sum += number / static_cast<double>(summary.observed);
  }
  if (summary.low) summary.mean = sum;
}

}  // namespace knockout
