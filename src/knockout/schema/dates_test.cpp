// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/dates.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

TEST(ParseDate, CountsDaysSince1970) {
  EXPECT_EQ(parse_date("1970-01-01"), 0.0);
  EXPECT_EQ(parse_date("1969-12-31"), -1.0);
  EXPECT_EQ(parse_date("2000-03-01"), 11017.0);  // 30 years, 7 leap days before 2000, 31 + 29
  EXPECT_EQ(parse_date("2008/12/01"), 14214.0);
}

TEST(ParseDate, ReadsTimesAsFractionsOfADay) {
  EXPECT_EQ(parse_date("1970-01-01T12:00"), 0.5);
  EXPECT_EQ(parse_date("1970-01-02 06:00:00"), 1.25);
  EXPECT_DOUBLE_EQ(parse_date("1970-01-01T00:00:43.2").value(), 43.2 / 86400);
  EXPECT_EQ(parse_date("1970-01-01T12:00Z"), 0.5);
  EXPECT_EQ(parse_date("1970-01-01T12:00+06:00"), 0.25);
  EXPECT_EQ(parse_date("1970-01-01T12:00-0600"), 0.75);
}

TEST(ParseDate, RefusesWhatIsNoDate) {
  for (const char* word :
       {"", "2008", "2008-12", "2008-13-01", "2008-02-30", "2007-02-29", "2008-12/01", "08-12-01",
        "2008-12-01T", "2008-12-01T9:30", "2008-12-01T24:00", "2008-12-01T09:60", "2008-12-01 x",
        "2008-12-01T09:30:00.", "2008-12-01T09:30+2", "20081201", "2008-12-01x", " 2008-12-01"}) {
    EXPECT_FALSE(parse_date(word).has_value()) << word;
  }
}

TEST(SeasonOfDate, IsTheShareOfTheYearThatHasPassed) {
  EXPECT_EQ(season_of_date(*parse_date("2023-01-01")), 0.0);
  EXPECT_DOUBLE_EQ(season_of_date(*parse_date("2023-01-11T12:00")), 10.5 / 365.2425);
  EXPECT_DOUBLE_EQ(season_of_date(*parse_date("1965-12-31")), 364 / 365.2425);
  EXPECT_DOUBLE_EQ(season_of_date(*parse_date("2024-12-31")), 365 / 365.2425);
}

TEST(Dates, KnowTheirWeekdayAndTime) {
  EXPECT_DOUBLE_EQ(weekday_of_date(*parse_date("1970-01-01")), 3.0 / 7.0) << "a Thursday";
  EXPECT_DOUBLE_EQ(weekday_of_date(*parse_date("2024-02-26T23:59")), 0.0) << "a Monday";
  EXPECT_DOUBLE_EQ(weekday_of_date(*parse_date("1969-07-20")), 6.0 / 7.0) << "a Sunday";
  EXPECT_DOUBLE_EQ(time_of_date(*parse_date("2024-02-26T18:00")), 0.75);
  EXPECT_DOUBLE_EQ(time_of_date(*parse_date("1969-07-20T06:00")), 0.25);
  EXPECT_EQ(time_of_date(*parse_date("2024-02-26")), 0.0);
}

}  // namespace
}  // namespace knockout
