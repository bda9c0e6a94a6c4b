// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_format.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/schema/dates.h"
#include "knockout/schema/reading/calendar_date.h"
#include "knockout/schema/reading/date_column.h"
#include "knockout/schema/reading/date_row_order.h"
#include "knockout/schema/reading/month_names.h"
#include "knockout/schema/reading/no_days.h"
#include "knockout/schema/reading/test_word_columns.h"

namespace knockout {
namespace {

using test::CountedCells;
using test::many;
using Cells = std::vector<std::string>;
using DateWriting = DateFormat::Form;

constexpr DateOrder kDmy = DateOrder::kDayFirst;
constexpr DateOrder kMdy = DateOrder::kMonthFirst;
constexpr DateOrder kYmd = DateOrder::kYearFirst;

struct DateCase {
  std::string cell;
  DateOrder order;
  std::string iso;  ///< "" = no date.
};

TEST(ReadDate, ReadsDatesAsPeopleWriteThem) {
  const std::vector<DateCase> cases = {
      {"2020-12-31", kDmy, "2020-12-31"},
      {"2020/12/31", kDmy, "2020-12-31"},
      {"2020.12.31", kDmy, "2020-12-31"},
      {"2020-1-5", kDmy, "2020-01-05"},
      {"2020-12", kDmy, "2020-12-01"},
      {"12/31/2020", kMdy, "2020-12-31"},
      {"12/31/2020", kDmy, ""},
      {"31/12/2020", kDmy, "2020-12-31"},
      {"31.12.2020", kDmy, "2020-12-31"},
      {"31. 12. 2020", kDmy, "2020-12-31"},
      {"1.2.2020", kDmy, "2020-02-01"},
      {"31-12-2020", kDmy, "2020-12-31"},
      {"12/31/20", kMdy, "2020-12-31"},
      {"1/2/29", kMdy, "2029-01-02"},
      {"1/2/30", kMdy, "1930-01-02"},
      {"2021Q3", kDmy, "2021-07-01"},
      {"2021-q4", kDmy, "2021-10-01"},
      {"Q1 2021", kDmy, "2021-01-01"},
      {"2021Q5", kDmy, ""},
      {"Q1 21", kDmy, ""},
      {"2021-W01", kDmy, "2021-01-04"},
      {"2020-W53", kDmy, "2020-12-28"},
      {"2021-W53", kDmy, ""},
      {"2020W10-7", kDmy, "2020-03-08"},
      {"2021年3月5日", kDmy, "2021-03-05"},
      {"2. Quartal 2019", kDmy, "2019-04-01"},
      {"5. Quartal 2019", kDmy, ""},
      {"2021年12月", kDmy, "2021-12-01"},
      {"令和3年3月5日", kDmy, "2021-03-05"},
      {"平成元年1月8日", kDmy, "1989-01-08"},
      {"令和123年3月5日", kDmy, ""},
      {"2023/03/05 2:14:33 PM GMT+1", kDmy, "2023-03-05T14:14:33+01:00"},
      {"2021年13月", kDmy, ""},
      {"1/2/69", kMdy, "1969-01-02"},
      {"20-12-31", kYmd, "2020-12-31"},
      {"1-Jan-2020", kDmy, "2020-01-01"},
      {"01-JAN-20", kMdy, "2020-01-01"},
      {"01JAN2020", kDmy, "2020-01-01"},
      {"01JAN2020:10:30:00", kDmy, "2020-01-01T10:30:00"},
      {"Jan 1, 2020", kDmy, "2020-01-01"},
      {"January 1st, 2020", kDmy, "2020-01-01"},
      {"Sept. 5, 2019", kDmy, "2019-09-05"},
      {"1 January 2020", kDmy, "2020-01-01"},
      {"2nd of May 2020", kDmy, "2020-05-02"},
      {"1. März 2020", kDmy, "2020-03-01"},
      {"15 DÉC. 2019", kDmy, "2019-12-15"},
      {"3 août 2019", kDmy, "2019-08-03"},
      {"1 de enero de 2020", kDmy, "2020-01-01"},
      {"7 luglio 2021", kDmy, "2021-07-07"},
      {"4 mrt 2021", kDmy, "2021-03-04"},
      {"Jan 2020", kDmy, "2020-01-01"},
      {"Jan-20", kDmy, "2020-01-01"},
      {"2020-Jan-05", kDmy, "2020-01-05"},
      {"12/2020", kDmy, "2020-12-01"},
      {"Mon, 06 Jan 2020", kDmy, "2020-01-06"},
      {"12/31/2020 14:30", kMdy, "2020-12-31T14:30:00"},
      {"12/31/2020 2:30 PM", kMdy, "2020-12-31T14:30:00"},
      {"12/31/2020 12:05:10 am", kMdy, "2020-12-31T00:05:10"},
      {"31.12.2020, 9:05", kDmy, "2020-12-31T09:05:00"},
      {"2020-12-31 14:30:15.25", kDmy, "2020-12-31 14:30:15.25"},
      {"2020/12/31 14:30:15.25+02:00", kDmy, "2020-12-31T14:30:15.25+02:00"},
      {"2020/12/31 14:30 UTC", kDmy, "2020-12-31T14:30:00Z"},
      {"2020-12-31T14:30:00Z", kDmy, "2020-12-31T14:30:00Z"},
      {"1 Jan 2020 10:00 GMT+0200", kDmy, "2020-01-01T10:00:00+02:00"},
      {"20201231T103000Z", kDmy, "2020-12-31T10:30:00Z"},
      // What is no date:
      {"", kDmy, ""},
      {"20201231", kDmy, ""},
      {"2020", kDmy, ""},
      {"2020.12", kDmy, ""},
      {"30/02/2020", kDmy, ""},
      {"29.02.2019", kDmy, ""},
      {"120/80", kDmy, ""},
      {"3/5", kDmy, ""},
      {"10-20", kDmy, ""},
      {"1.2.3", kDmy, ""},
      {"1-Mar", kDmy, ""},
      {"MARCH1", kDmy, ""},
      {"May 5", kDmy, ""},
      {"555-12-3456", kDmy, ""},
      {"192.168.1.20", kDmy, ""},
      {"12/31/2020 25:00", kMdy, ""},
      {"12/31/2020 14:30 PM", kMdy, ""},
      {"12/31/2020x", kMdy, ""},
      {"1 Foo 2020", kDmy, ""},
      {"14:30", kDmy, ""},
      {"2020-12-31 morning", kDmy, ""},
  };
  for (const DateCase& c : cases) {
    const auto iso = read_date(c.cell, {.order = c.order});
    EXPECT_EQ(iso.value_or(""), c.iso) << c.cell;
    EXPECT_TRUE(!iso || parse_date(*iso).has_value()) << c.cell;
  }
}

TEST(ReadDate, ReadsNumbersThatAreDates) {
  EXPECT_EQ(read_date(20201231.0, {.form = DateWriting::kCompact}), "2020-12-31");
  EXPECT_EQ(read_date("20201231", {.form = DateWriting::kCompact}), "2020-12-31");
  EXPECT_FALSE(read_date(20201331.0, {.form = DateWriting::kCompact}).has_value());
  EXPECT_EQ(read_date(1e9, {.form = DateWriting::kEpochSeconds}), "2001-09-09T01:46:40");
  EXPECT_EQ(read_date(1000000000.25, {.form = DateWriting::kEpochSeconds}),
            "2001-09-09T01:46:40.250");
  EXPECT_EQ(read_date(1e12 + 1, {.form = DateWriting::kEpochMilliseconds}),
            "2001-09-09T01:46:40.001");
  EXPECT_FALSE(read_date(1e30, {.form = DateWriting::kEpochSeconds}).has_value());
}

TEST(ReadDate, ReadsBackAnyDayInAnyFormat) {
  const Random random(3, Stream::kSimulation);
  const char* const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::uint32_t row = 0; row < 5000; ++row) {
    const int days = static_cast<int>(random.below(40000, 0, row, 0)) - 5000;
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
    const int y = static_cast<int>(date.year());
    const unsigned m = static_cast<unsigned>(date.month()), d = static_cast<unsigned>(date.day());
    const std::string iso = fmt::format("{:04}-{:02}-{:02}", y, m, d);
    EXPECT_EQ(read_date(fmt::format("{}/{}/{}", m, d, y), {.order = kMdy}), iso);
    EXPECT_EQ(read_date(fmt::format("{:02}.{:02}.{}", d, m, y), {.order = kDmy}), iso);
    EXPECT_EQ(read_date(fmt::format("{}-{}-{}", d, months[m - 1], y), {}), iso);
    EXPECT_EQ(read_date(fmt::format("{} {}, {}", months[m - 1], d, y), {}), iso);
    EXPECT_EQ(read_date(days * 86400.0, {.form = DateWriting::kEpochSeconds}), iso + "T00:00:00");
  }
}

TEST(DatePattern, SaysHowADateIsWritten) {
  EXPECT_EQ(date_pattern("12/31/2020", {.order = kMdy}), "MM/DD/YYYY");
  EXPECT_EQ(date_pattern("31.12.20 14:30", {.order = kDmy}), "DD.MM.YY hh:mm");
  EXPECT_EQ(date_pattern("1-Jan-2020", {}), "DD-Mon-YYYY");
  EXPECT_EQ(date_pattern("January 1, 2020", {}), "Month DD, YYYY");
}

TEST(MonthNames, AreKnownInSixLanguages) {
  EXPECT_EQ(month_of_name("MÄRZ"), 3);
  EXPECT_EQ(month_of_name("Février"), 2);
  EXPECT_EQ(month_of_name("SETTEMBRE"), 9);
  EXPECT_EQ(month_of_name("mei"), 5);
  EXPECT_EQ(month_of_name("dic"), 12);
  for (const char* const word : {"", "ja", "mayor", "marvel", "decent"}) {
    EXPECT_EQ(month_of_name(word), 0) << word;
  }
}

std::string order_of(const Cells& cells) {
  const auto order = weigh_orders(CountedCells(cells).counts()).decided();
  return order ? std::string(name_of(*order)) : "open";
}

TEST(WeighOrders, LetsAnyCellAboveTwelveDecide) {
  EXPECT_EQ(order_of({"01/02/2020", "03/04/2020", "12/31/2020"}), "mdy");
  EXPECT_EQ(order_of({"01/02/2020", "03/04/2020", "31/12/2020"}), "dmy");
  EXPECT_EQ(order_of({"01/02/2020", "03/04/2020"}), "open");
  EXPECT_EQ(order_of({"99-12-31", "98-01-31", "20-10-10"}), "ymd");
  EXPECT_EQ(usual_order('/'), kMdy);
  EXPECT_EQ(usual_order('.'), kDmy);
  EXPECT_EQ(usual_order('-'), kDmy);
}

bool are_dates_in(const Cells& cells, DateOrder order = kDmy) {
  return find_dates(CountedCells(cells).counts(), order, true).is_column();
}

TEST(FindDates, AllowsAFewStrays) {
  EXPECT_TRUE(are_dates_in({"1.2.2020", "3.4.2020", "unknown", "0000-00-00"}));
  EXPECT_TRUE(are_dates_in({"2020-12", "2021-01", "2021-02"}));
  EXPECT_FALSE(are_dates_in({"2009-10", "2010-11", "2011-12"}));  // seasons
  EXPECT_FALSE(are_dates_in({"1.2.2020", "red", "green"}));
  EXPECT_FALSE(are_dates_in({"1.12.20", "1.2.3", "2.0.1", "1.10.11"}));  // versions
}

std::string form_of(const std::string& name, const std::vector<double>& numbers) {
  const auto form = date_form_of_numbers(name, numbers);
  return form ? std::string(name_of(*form)) : "";
}

TEST(DateFormOfNumbers, NeedsANameOrManyThatFit) {
  EXPECT_EQ(form_of("visit_date", {20200131, 20200229}), "compact");
  EXPECT_EQ(form_of("x", {20200131, 20200229}), "");
  EXPECT_EQ(form_of("x", {20200131, 20200229, 20190304, 20181231, 20180101}), "compact");
  EXPECT_EQ(form_of("x", {20200131, 20200229, 20190304, 20181231, 20181301}), "");
  EXPECT_EQ(form_of("created_at", {1.6e9, 1.61e9}), "epoch_seconds");
  EXPECT_EQ(form_of("timestamp", {1.6e12, 1.61e12}), "epoch_milliseconds");
  EXPECT_EQ(form_of("weight", {1.6e9, 1.61e9}), "");
  EXPECT_EQ(form_of("time", {12.5, 14.0}), "");
  EXPECT_EQ(form_of("date", {}), "");
  EXPECT_EQ(form_of("visitDate", {43834, 44918.5}), "spreadsheet_days");
  EXPECT_EQ(form_of("candidate", {43834, 44918}), "");
  EXPECT_EQ(form_of("uptime", {43834, 44918}), "");
  EXPECT_EQ(form_of("ym", {201904, 202112}), "compact_month");
  EXPECT_EQ(form_of("ym", {201904, 202113}), "");
  EXPECT_EQ(form_of("sales", {201904, 202112}), "");
}

TEST(DateFormat, ReadsSpreadsheetDaysAndMonths) {
  const DateFormat days{.form = DateWriting::kSpreadsheetDays};
  EXPECT_EQ(read_date(44197.0, days), "2021-01-01");
  EXPECT_EQ(read_date(44197.25, days), "2021-01-01T06:00:00");
  EXPECT_EQ(read_date(3.0, days), std::nullopt);
  EXPECT_EQ(read_date(202112.0, {.form = DateWriting::kCompactMonth}), "2021-12-01");
}

TEST(DateFormat, TakesTheUsualOrderWhereLearningSawNone) {
  EXPECT_EQ(read_date("04/01/2021", {.order = std::nullopt}), "2021-04-01");
  EXPECT_EQ(read_date("04.01.2021", {.order = std::nullopt}), "2021-01-04");
  EXPECT_EQ(order_asked_of("04/01/2021 10:00"), kMdy);
  EXPECT_EQ(order_asked_of("2021-01-04"), std::nullopt);
  EXPECT_EQ(order_asked_of("4 Jan 2021"), std::nullopt);
}

TEST(DateFormat, ReadsShortYearsAsTheModelThatWroteItDid) {
  nlohmann::json json = date_format_to_json({.order = kMdy});
  EXPECT_EQ(read_date("1/2/50", date_format_from_json(json, "x")), "1950-01-02");
  json.erase("last_short_year");  // as models of before have it
  EXPECT_EQ(read_date("1/2/50", date_format_from_json(json, "x")), "2050-01-02");
  json["order"] = "usual";
  EXPECT_EQ(date_format_from_json(json, "x").order, std::nullopt);
}

TEST(IsNoDay, KnowsFillersAndUnknownParts) {
  for (const std::string word :
       {"0000-00-00", "99/99/9999", "00/00/0000 00:00:00", "UN-UNK-2021", "un/mar/2021",
        "?\?-03-2021", "2021-XX-XX", "2021-00-00", "xx.xx.xxxx"}) {
    EXPECT_TRUE(is_no_day(word)) << word;
  }
  for (const std::string word : {"", "unknown", "2021", "99", "a-b-c", "12-34-56", "UNK", "1-2"}) {
    EXPECT_FALSE(is_no_day(word)) << word;
  }
}

std::string order_of_cells(const Cells& cells) {
  const auto order = order_of_rows(test::words("x", cells));
  return order ? std::string(name_of(*order)) : "open";
}

TEST(OrderOfRows, IsTheOneInWhichTheyAreSortedOrEven) {
  EXPECT_EQ(order_of_cells({"01/05/2021", "09/05/2021", "02/06/2021", "07/06/2021", "01/07/2021"}),
            "dmy");
  EXPECT_EQ(order_of_cells({"01/07/2021", "07/06/2021", "02/06/2021", "09/05/2021", "01/05/2021"}),
            "dmy");
  EXPECT_EQ(order_of_cells({"05/01/2021", "05/09/2021", "06/02/2021", "06/07/2021", "07/01/2021"}),
            "mdy");
  // Every hour over midnight: one month's step lies between if the month comes first.
  EXPECT_EQ(order_of_cells({"01/05/2021 22:00", "01/05/2021 23:00", "02/05/2021 00:00",
                            "02/05/2021 01:00", "02/05/2021 02:00"}),
            "dmy");
  // The first of each month, or the first days of January.
  EXPECT_EQ(order_of_cells({"01/01/2021", "02/01/2021", "03/01/2021", "04/01/2021", "05/01/2021"}),
            "open");
  EXPECT_EQ(order_of_cells({"03/04/2021", "01/02/2021", "05/06/2021", "02/09/2021", "07/01/2021"}),
            "open");
  EXPECT_EQ(order_of_cells({"01/05/2021", "09/05/2021"}), "open");
}

TEST(DateFormat, SurvivesJsonAndBelievesNothing) {
  const DateFormat format{.form = DateWriting::kCompact, .order = kMdy, .pattern = "x"};
  const nlohmann::json json = date_format_to_json(format);
  EXPECT_EQ(date_format_from_json(json, "x"), format);
  for (const auto& [key, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"form", "roman"}, {"order", 1}, {"order", "myd"}, {"pattern", nullptr}}) {
    nlohmann::json bad = json;
    bad[key] = value;
    EXPECT_THROW(date_format_from_json(bad, "x"), ModelFileError) << bad.dump();
  }
}

}  // namespace
}  // namespace knockout
