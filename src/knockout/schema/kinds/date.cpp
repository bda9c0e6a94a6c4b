// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/date.h"

#include <chrono>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "knockout/schema/column_profile.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/dates.h"

namespace knockout {

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
  const double angle = std::isnan(reading) ? 0.0 : 2.0 * std::numbers::pi * season_of_date(reading);
  details.push_back(static_cast<float>(std::sin(angle)));
  details.push_back(static_cast<float>(std::cos(angle)));
}

std::string DateCodec::fault_of(const std::string& value, double, const Feature&) const {
  return unreadable_text(value, "date", "dates such as 2008-12-01");
}

int DateCodec::value_inputs(const Feature&, const FeatureCoding&) const { return 3; }

std::size_t DateCodec::encode(const FeatureCoding& coding, const CellReader& cells,
                              const FeatureBlock& out) const {
  const Scaler scaled(coding);
  return cells.visit(
      out.begin, out.end, out.rules,
      [&](std::size_t row, double reading) {
        float* const inputs = out.values_of(row);
        const float* const season = cells.details(row);
        inputs[0] = scaled(reading);
        inputs[1] = season[0];
        inputs[2] = season[1];
      },
      [&](std::size_t row, CellState state) { out.write_gap(row, state); });
}

std::pair<double, double> DateCodec::fillable_range(const Feature&, double lowest,
                                                    double highest) const {
  return {lowest, highest};
}

bool DateCodec::writes_numbers(const Feature&, const Column&) const { return false; }

std::string DateCodec::word_of(const Feature&, double reading) const {
  const std::chrono::sys_days day{std::chrono::days{static_cast<int>(std::round(reading))}};
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
