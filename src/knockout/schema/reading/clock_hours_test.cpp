// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/clock_hours.h"

#include <gtest/gtest.h>

#include <string_view>

namespace knockout {
namespace {

TEST(ReadClock, GivesHours) {
  EXPECT_EQ(read_clock("14:30"), 14.5);
  EXPECT_EQ(read_clock("2:30 PM"), 14.5);
  EXPECT_EQ(read_clock("12:15 a.m."), 0.25);
  EXPECT_EQ(read_clock("08:00:45.0"), 8.0125);
}

TEST(ReadClock, ReadsDurationsAboveADay) {
  EXPECT_EQ(read_clock("36:15:00"), 36.25);
  EXPECT_EQ(read_clock("120:30:00"), 120.5);
  EXPECT_EQ(read_clock("24:00:00"), 24.0);
}

TEST(ReadClock, ReadsDurationsInWords) {
  EXPECT_EQ(read_clock("1h 30min"), 1.5);
  EXPECT_EQ(read_clock("1 h 15 min"), 1.25);
  EXPECT_EQ(read_clock("2h30m"), 2.5);
  EXPECT_EQ(read_clock("2 h"), 2.0);
  EXPECT_EQ(read_clock("45 min"), 0.75);
  EXPECT_EQ(read_clock("1,5 Std."), 1.5);
  EXPECT_EQ(read_clock("PT3H15M"), 3.25);
  EXPECT_EQ(read_clock("P1DT45M"), 24.75);
  EXPECT_EQ(read_clock("2 days 06:30:00"), 54.5);
  EXPECT_EQ(read_clock("1 day, 0:15:00"), 24.25);
  EXPECT_EQ(read_clock("-1 days +23:00:00"), -1.0);
  for (const std::string_view cell : {"5 m", "4y 5m", "20min 1h", "PT", "P1M", "P", "1h h", "h",
                                      "Paris", "PT5", "2 days", "3 h of 5"}) {
    const bool days = cell == "2 days";
    EXPECT_EQ(read_clock(cell).has_value(), days) << cell;
  }
}

TEST(ReadClock, RefusesWhatMaySayOtherwise) {
  for (const std::string_view cell : {"36:15", "14:60", "14:30:61", "13:30 PM", "36:15:00 PM", "14",
                                      "1:5", "12:34:56:78", "12345:00:00", ":30", "", "14:30 h"}) {
    EXPECT_FALSE(read_clock(cell)) << cell;
  }
}

}  // namespace
}  // namespace knockout
