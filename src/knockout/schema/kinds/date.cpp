// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/date.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "knockout/schema/column_profile.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/dates.h"

namespace knockout {
namespace {

/// Times that differ by less are alike, whatever rounding did to them.
constexpr double kSameTime = 0.1 / 86400.0;

void add_cycle(double turns, std::vector<float>& details) {
  const double angle = 2.0 * std::numbers::pi * turns;
  details.push_back(static_cast<float>(std::sin(angle)));
  details.push_back(static_cast<float>(std::cos(angle)));
}

}  // namespace

std::string DateCodec::counted(std::size_t columns) const {
  return fmt::format("{} date{}", columns, columns == 1 ? "" : "s");
}

bool DateCodec::looks_like(const Column&, const ColumnProfile& profile) const {
  return profile.all_dates;
}

double DateCodec::read_word(std::string_view word) const {
  return parse_date(word).value_or(kUnreadable);
}

void DateCodec::add_details(double reading, std::vector<float>& details) const {
  const double day = std::isnan(reading) ? 0.0 : reading;
  add_cycle(season_of_date(day), details);
  add_cycle(weekday_of_date(day), details);
  add_cycle(time_of_date(day), details);
}

std::string DateCodec::fault_of(const std::string& value, double, const Feature&) const {
  return unreadable_text(value, "date", "dates such as 2008-12-01");
}

ScaledRange DateCodec::fit(const Feature& feature, std::span<const double> readings,
                           const CodingOptions& options, FeatureCoding& coding) const {
  for (const double reading : readings) {
    coding.has_weekday |= weekday_of_date(reading) != weekday_of_date(readings[0]);
    coding.has_time |= std::abs(time_of_date(reading) - time_of_date(readings[0])) > kSameTime;
  }
  return NumberCodec::fit(feature, readings, options, coding);
}

int DateCodec::value_inputs(const Feature&, const FeatureCoding& coding) const {
  return 3 + (coding.has_weekday ? 2 : 0) + (coding.has_time ? 2 : 0);
}

std::size_t DateCodec::encode(const FeatureCoding& coding, const CellReader& cells,
                              const FeatureBlock& out) const {
  const Scaler scaled(coding);
  return cells.visit(
      out.begin, out.end, out.rules,
      [&](std::size_t row, double reading) {
        float* next = out.values_of(row);
        const float* const cycles = cells.details(row);
        *next++ = scaled(reading);
        next = std::copy_n(cycles, 2, next);
        if (coding.has_weekday) next = std::copy_n(cycles + 2, 2, next);
        if (coding.has_time) std::copy_n(cycles + 4, 2, next);
      },
      [&](std::size_t row, CellState state) { out.write_gap(row, state); });
}

std::pair<double, double> DateCodec::fillable_range(const Feature&, double lowest,
                                                    double highest) const {
  return {lowest, highest};
}

bool DateCodec::writes_numbers(const Feature&, const Column&) const { return false; }

std::string DateCodec::word_of(const Feature&, double reading) const {
  // The years 0 to 9999. A forged file may ask for others, which no int of days would hold.
  constexpr double kFirst = -719528, kLast = 2932896;
  const auto days = static_cast<int>(std::round(std::clamp(reading, kFirst, kLast)));
  const std::chrono::sys_days day{std::chrono::days{days}};
  const std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

void DateCodec::summarise(const Column& column, const Feature*, ColumnSummary& summary) const {
  std::map<double, std::string> in_order;
  for (const std::string& word : column.words()) {
    if (const auto days = parse_date(word)) in_order.emplace(*days, word);
  }
  if (in_order.empty()) return;
  summary.first_date = in_order.begin()->second;
  summary.last_date = in_order.rbegin()->second;
}

}  // namespace knockout
