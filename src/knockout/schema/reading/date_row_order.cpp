// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_row_order.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "knockout/schema/dates.h"
#include "knockout/schema/reading/calendar_date.h"

namespace knockout {
namespace {

constexpr std::size_t kLeastSteps = 4;  ///< Fewer dates are sorted by chance.

/// A date as a number of days, and as months and the days within one.
struct Moment {
  double days = 0.0, months = 0.0, day_of_month = 0.0;
};

std::vector<std::optional<Moment>> moments_of(const Column& column, DateOrder order) {
  std::vector<std::optional<Moment>> moments;
  moments.reserve(column.words().size());
  for (const std::string& word : column.words()) {
    const std::optional<CalendarDate> date = parse_calendar(word, order);
    const std::optional<double> days = date ? parse_date(date->iso()) : std::nullopt;
    moments.push_back(days ? std::optional(Moment{*days, 12.0 * date->year + date->month,
                                                  date->day + *days - std::floor(*days)})
                           : std::nullopt);
  }
  return moments;
}

bool is_same(double a, double b) { return std::abs(a - b) < 1e-6; }

/// How the dates of one row after the other go on.
class RowSteps {
 public:
  void add(const Moment& now) {
    if (last_ && !is_same(now.days, last_->days)) add_step(now);
    last_ = now;
  }
  bool sorted() const { return steps_ >= kLeastSteps && (up_ || down_); }
  /// Always as many days, or the same day of months that follow each other.
  bool even() const { return sorted() && (even_days_ || even_months_); }

 private:
  void add_step(const Moment& now) {
    const double days = now.days - last_->days, months = now.months - last_->months;
    up_ = up_ && days > 0.0;
    down_ = down_ && days < 0.0;
    even_days_ = even_days_ && (steps_ == 0 || is_same(days, first_days_));
    even_months_ = even_months_ && is_same(now.day_of_month, last_->day_of_month) &&
                   (steps_ == 0 || is_same(months, first_months_));
    if (steps_++ == 0) first_days_ = days, first_months_ = months;
  }

  std::optional<Moment> last_;
  std::size_t steps_ = 0;
  bool up_ = true, down_ = true, even_days_ = true, even_months_ = true;
  double first_days_ = 0.0, first_months_ = 0.0;
};

RowSteps steps_of(const Column& column, DateOrder order) {
  const std::vector<std::optional<Moment>> moments = moments_of(column, order);
  RowSteps steps;
  for (const std::int32_t code : column.codes()) {
    if (code < 0) continue;
    if (const auto& moment = moments[static_cast<std::size_t>(code)]) steps.add(*moment);
  }
  return steps;
}

}  // namespace

std::optional<DateOrder> order_of_rows(const Column& column) {
  const RowSteps day = steps_of(column, DateOrder::kDayFirst);
  const RowSteps month = steps_of(column, DateOrder::kMonthFirst);
  if (day.sorted() != month.sorted()) {
    return day.sorted() ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
  }
  if (day.even() != month.even()) {
    return day.even() ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
  }
  return std::nullopt;
}

}  // namespace knockout
