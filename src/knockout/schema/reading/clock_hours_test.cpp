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

TEST(ReadClock, RefusesWhatMaySayOtherwise) {
  for (const std::string_view cell : {"36:15", "14:60", "14:30:61", "13:30 PM", "36:15:00 PM", "14",
                                      "1:5", "12:34:56:78", "12345:00:00", ":30", "", "14:30 h"}) {
    EXPECT_FALSE(read_clock(cell)) << cell;
  }
}

}  // namespace
}  // namespace knockout
