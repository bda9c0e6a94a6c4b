// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_column.h"

#include <algorithm>
#include <string>

#include "knockout/data/missing_words.h"
#include "knockout/schema/reading/calendar_date.h"
#include "knockout/schema/reading/date_names.h"
#include "knockout/schema/reading/no_days.h"

namespace knockout {
namespace {

using DateForm = DateFormat::Form;

constexpr std::size_t kFewDates = 5;  ///< Fewer different numbers look like 20201231 by chance.
constexpr std::size_t kFewStrayNumbers = 3;
constexpr double kDayOf1940 = 14611.0, kDayOf2050 = 55153.0;         // as spreadsheets count them
constexpr double kStart1990 = 631152000.0, kEnd2039 = 2208988800.0;  // seconds since 1970

constexpr std::array kAllOrders = {DateOrder::kDayFirst, DateOrder::kMonthFirst,
                                   DateOrder::kYearFirst};

bool is_season(const CalendarDate& date, std::string_view word) {
  return !date.has_day && word.size() == 7 && date.pattern.find("MM") != std::string::npos &&
         date.month == (date.year + 1) % 100;
}

/// 2020-12-31 14:30:00 UTC: only the zone is not as ISO 8601 has it, which needs no remark.
bool is_iso_enough(const CalendarDate& date, std::string_view word) {
  if (date.zone.empty() || word.size() < 16 || word[4] != '-' || word[7] != '-') return false;
  return word[13] == ':' && date.pattern.find("AM/PM") == std::string::npos;
}

bool fits_form(double number, DateForm form) {
  switch (form) {
    case DateForm::kCompact:
      return number >= 18000101.0 && number <= 21001231.0 &&
             read_date(number, {.form = DateForm::kCompact}).has_value();
    case DateForm::kEpochSeconds:
      return number >= kStart1990 && number < kEnd2039;
    case DateForm::kEpochMilliseconds:
      return number >= 1000.0 * kStart1990 && number < 1000.0 * kEnd2039;
    case DateForm::kSpreadsheetDays:
      return number >= kDayOf1940 && number <= kDayOf2050;
    case DateForm::kCompactMonth:
      return number >= 190001.0 && number <= 210012.0 &&
             read_date(number, {.form = DateForm::kCompactMonth}).has_value();
    case DateForm::kCalendar:
      break;
  }
  return false;
}

void keep_different(double number, std::size_t most, std::vector<double>& kept) {
  if (kept.size() < most && std::find(kept.begin(), kept.end(), number) == kept.end()) {
    kept.push_back(number);
  }
}

bool are_dates(std::span<const double> numbers, DateForm form, bool named) {
  std::vector<double> dates, strays;
  std::size_t stray_cells = 0;
  for (const double number : numbers) {
    if (fits_form(number, form)) {
      keep_different(number, kFewDates, dates);
      continue;
    }
    keep_different(number, kFewStrayNumbers + 1, strays);
    ++stray_cells;
    if (!named || strays.size() > kFewStrayNumbers) return false;  // most columns end here
  }
  if (10 * stray_cells > numbers.size()) return false;
  return dates.size() >= (named ? 1 : kFewDates);
}

}  // namespace

std::optional<DateOrder> OrderEvidence::decided() const {
  const std::size_t day = cells[0], month = cells[1], year = cells[2];
  if (separator == '\0') return DateOrder::kDayFirst;  // no cell asks
  if (year > day && year > month) return DateOrder::kYearFirst;
  if (day == month) return by_rows;
  return day > month ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
}

OrderEvidence weigh_orders(const std::vector<WordCount>& words) {
  OrderEvidence evidence;
  for (const WordCount& word : words) {
    for (const DateOrder order : kAllOrders) {
      const std::optional<CalendarDate> date = parse_calendar(word.word, order);
      if (!date) continue;
      evidence.cells[static_cast<std::size_t>(order)] += word.cells;
      if (!date->order_matters) {
        // The same in every order.
        evidence.cells[1] += word.cells;
        evidence.cells[2] += word.cells;
        break;
      }
      if (evidence.separator == '\0') evidence.separator = date->separator;
    }
  }
  return evidence;
}

DatesFound find_dates(const std::vector<WordCount>& words, std::optional<DateOrder> order,
                      bool usual_gaps) {
  DatesFound found;
  found.format.order = order;
  for (const WordCount& word : words) {
    const std::optional<CalendarDate> date = parse_calendar(word.word, order);
    if (date) {
      found.words.readable_cells += word.cells;
      ++found.words.readable_words;
      found.seasons = found.seasons && is_season(*date, word.word);
      if (date->iso() == word.word || read_date(word.word, found.format) == word.word) continue;
      if (is_iso_enough(*date, word.word)) continue;
      if (found.all_iso) found.example = word.word;
      found.all_iso = false;
    } else if (usual_gaps && (says_missing(word.word) || is_no_day(word.word))) {
      found.words.gaps.push_back(word);
    } else {
      found.words.others.push_back(word);
    }
  }
  if (!found.example.empty()) found.format.pattern = date_pattern(found.example, found.format);
  return found;
}

std::optional<DateForm> date_form_of_numbers(std::string_view name,
                                             std::span<const double> numbers) {
  if (numbers.empty()) return std::nullopt;
  const bool named = name_says_date(name);
  if (are_dates(numbers, DateForm::kCompact, named)) return DateForm::kCompact;
  const auto fit = [&](bool says_so, DateForm form) {
    return says_so && are_dates(numbers, form, true);
  };
  if (fit(named, DateForm::kEpochSeconds)) return DateForm::kEpochSeconds;
  if (fit(named, DateForm::kEpochMilliseconds)) return DateForm::kEpochMilliseconds;
  if (fit(name_says_day(name), DateForm::kSpreadsheetDays)) return DateForm::kSpreadsheetDays;
  if (fit(name_says_month(name), DateForm::kCompactMonth)) return DateForm::kCompactMonth;
  return std::nullopt;
}

}  // namespace knockout
