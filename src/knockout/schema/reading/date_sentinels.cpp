// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_sentinels.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "knockout/base/seeded_hash.h"

namespace knockout {
namespace {

constexpr double kYearsAway = 10.0;
constexpr std::size_t kLeastOtherDates = 3;

/// Ends of calendars, days that programs count from, and what people type.
constexpr std::array<std::string_view, 14> kUsualDates = {
    "9999-12-31", "9999-01-01", "9999-09-09", "2999-12-31", "2999-01-01",
    "2099-12-31", "0001-01-01", "1111-11-11", "1753-01-01", "1800-01-01",
    "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01"};

/// The day of a date in ISO form.
std::string day_of(std::string_view iso) { return std::string(iso.substr(0, 10)); }

double year_of(std::string_view day) {
  const auto digit = [&](std::size_t place) { return static_cast<double>(day[place] - '0'); };
  const double year = 1000.0 * digit(0) + 100.0 * digit(1) + 10.0 * digit(2) + digit(3);
  const double month = 10.0 * digit(5) + digit(6);
  return year + (month - 1.0) / 12.0;
}

bool is_usual_day(const std::string& day) {
  return std::find(kUsualDates.begin(), kUsualDates.end(), day) != kUsualDates.end();
}

}  // namespace

std::vector<WordCount> find_date_sentinels(const std::vector<WordCount>& words,
                                           const DateFormat& format) {
  std::vector<WordCount> suspects;
  std::vector<double> suspect_years, other_years;
  HashSet<std::string> other_days;
  for (const WordCount& word : words) {
    const std::optional<std::string> iso = read_date(word.word, format);
    if (!iso) continue;
    const std::string day = day_of(*iso);
    if (is_usual_day(day) && word.cells >= 2) {
      suspects.push_back(word);
      suspect_years.push_back(year_of(day));
    } else {
      other_years.push_back(year_of(day));
      other_days.insert(day);
    }
  }
  if (suspects.empty() || other_days.size() < kLeastOtherDates) return {};
  const auto [first, last] = std::minmax_element(other_years.begin(), other_years.end());
  std::vector<WordCount> sentinels;
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const double year = suspect_years[i];
    if (year < *first - kYearsAway || year > *last + kYearsAway) sentinels.push_back(suspects[i]);
  }
  return sentinels;
}

}  // namespace knockout
