// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "knockout/base/seeded_hash.h"
#include "knockout/base/stop.h"
#include "knockout/schema/dates.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

constexpr std::size_t kFewValues = 10;

void profile_numbers(const Column& column, ColumnProfile& profile) {
  profile.all_integers = true;
  std::vector<double>& few = profile.few_values;
  bool many = false, rising = true, falling = true;
  bool first = true;
  double previous = 0.0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const double number = column.number(row);
    profile.all_integers = profile.all_integers && number == std::trunc(number);
    if (!first) {
      rising = rising && number > previous;
      falling = falling && number < previous;
    }
    if (first || number < profile.low) profile.low = number, profile.low_row = row;
    if (first || number > profile.high) profile.high = number, profile.high_row = row;
    if (!many && std::find(few.begin(), few.end(), number) == few.end()) {
      few.push_back(number);
      many = few.size() > kFewValues;
    }
    previous = number;
    first = false;
  }
  if (many) few.clear();
  std::sort(few.begin(), few.end());
  profile.all_integers = profile.all_integers && !first;
  profile.strictly_monotone = !first && (rising || falling);
  profile.one_value = few.size() == 1;
}

void profile_words(const Column& column, ColumnProfile& profile) {
  // A dictionary may hold words of rows that were split off: only words in use count.
  std::vector<std::size_t> first_row(column.words().size(), kNoRow);
  for (std::size_t row = column.size(); row-- > 0;) {
    if (column.observed(row)) {
      first_row[static_cast<std::size_t>(column.codes()[row])] = row;
    }
  }
  bool all_dates = true;
  for (std::size_t word = 0; word < first_row.size(); ++word) {
    if (first_row[word] == kNoRow) continue;
    ++profile.distinct_words;
    all_dates = all_dates && parse_date(column.words()[word]).has_value();
    if (!parse_number(column.words()[word])) {
      profile.first_non_number = std::min(profile.first_non_number, first_row[word]);
    }
  }
  profile.all_dates = all_dates && profile.distinct_words > 0;
  profile.one_value = profile.distinct_words == 1;
}

}  // namespace

ColumnProfile profile_column(const Column& column) {
  throw_if_stopped();  // this is most of the time that a schema takes
  ColumnProfile profile;
  profile.rows = column.size();
  for (std::size_t row = 0; row < column.size(); ++row) {
    const CellState state = column.state(row);
    if (state == CellState::kObserved) {
      ++profile.observed;
    } else {
      profile.first_gap = std::min(profile.first_gap, row);
      profile.has_reason_gaps |= is_said(state);
    }
  }
  column.is_text() ? profile_words(column, profile) : profile_numbers(column, profile);
  return profile;
}

std::vector<std::string> distinct_labels(const Column& column) {
  std::vector<std::string> labels;
  if (column.is_text()) {
    std::vector<bool> used(column.words().size(), false);
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column.observed(row)) {
        used[static_cast<std::size_t>(column.codes()[row])] = true;
      }
    }
    for (std::size_t word = 0; word < used.size(); ++word) {
      if (used[word]) labels.push_back(column.words()[word]);
    }
  } else {
    HashSet<double> numbers;
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column.observed(row)) numbers.insert(column.number(row));
    }
    for (const double number : numbers) labels.push_back(label_of_number(number));
  }
  sort_labels(labels);
  return labels;
}

std::map<std::string, std::size_t> count_labels(const Column& column) {
  std::map<std::string, std::size_t> counts;
  if (column.is_text()) {
    std::vector<std::size_t> by_word(column.words().size(), 0);
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column.observed(row)) ++by_word[static_cast<std::size_t>(column.codes()[row])];
    }
    for (std::size_t word = 0; word < by_word.size(); ++word) {
      if (by_word[word] > 0) counts[column.words()[word]] = by_word[word];
    }
    return counts;
  }
  std::map<double, std::size_t> by_number;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.observed(row)) ++by_number[column.number(row)];
  }
  for (const auto& [number, rows] : by_number) counts[label_of_number(number)] = rows;
  return counts;
}

}  // namespace knockout
