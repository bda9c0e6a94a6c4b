// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/placeholder.h"

#include <gtest/gtest.h>

#include <array>

#include "knockout/base/error.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

TEST(Placeholders, AreThoseOfThePapersTable) {
  EXPECT_EQ(recommended_placeholders(Support::kInterval).missing, -1.0);
  EXPECT_EQ(recommended_placeholders(Support::kInterval).for_a_reason, 2.0);
  EXPECT_EQ(recommended_placeholders(Support::kHalfLine).missing, -1.0);
  EXPECT_EQ(recommended_placeholders(Support::kHalfLine).for_a_reason, -2.0);
  EXPECT_EQ(recommended_placeholders(Support::kRealLine).missing, 10.0);
  EXPECT_EQ(recommended_placeholders(Support::kRealLine).for_a_reason, -10.0);
}

TEST(Placeholders, StayWhereDataKeepTheirDistance) {
  struct Case {
    Support support;
    double low, high;
  };
  for (const Case& c : {Case{Support::kInterval, 0, 1}, Case{Support::kHalfLine, 0, 1e6},
                        Case{Support::kRealLine, -9, 9}}) {
    PlaceholderValues pair = recommended_placeholders(c.support);
    EXPECT_FALSE(move_out_of_range(pair, c.support, c.low, c.high));
    EXPECT_EQ(pair.missing, recommended_placeholders(c.support).missing);
    EXPECT_EQ(pair.for_a_reason, recommended_placeholders(c.support).for_a_reason);
  }
}

TEST(Placeholders, MoveOnTheSideThatDataReach) {
  PlaceholderValues pair = recommended_placeholders(Support::kRealLine);
  EXPECT_TRUE(move_out_of_range(pair, Support::kRealLine, -3, 9.5));
  EXPECT_EQ(pair.missing, 10.5);  // a margin of 1
  EXPECT_EQ(pair.for_a_reason, -10.0);
  EXPECT_TRUE(move_out_of_range(pair, Support::kRealLine, -50, 9.5));
  EXPECT_EQ(pair.missing, 10.5);
  EXPECT_EQ(pair.for_a_reason, -55.0);  // a margin of a tenth

  PlaceholderValues below = recommended_placeholders(Support::kHalfLine);
  EXPECT_TRUE(move_out_of_range(below, Support::kHalfLine, -0.5, 3));
  EXPECT_EQ(below.missing, -1.5);
  EXPECT_EQ(below.for_a_reason, -2.5);
}

TEST(Placeholders, StayApartFromLargeDataAsFloats) {
  PlaceholderValues pair = recommended_placeholders(Support::kRealLine);
  EXPECT_TRUE(move_out_of_range(pair, Support::kRealLine, -1, 1e9));
  EXPECT_GT(static_cast<float>(pair.missing), 1e9F);
}

TEST(Placeholders, OfGapsThatAreSaidToBeForAReasonLieBeyondTheSecond) {
  for (const Support support : {Support::kInterval, Support::kHalfLine, Support::kRealLine}) {
    PlaceholderValues values = recommended_placeholders(support);
    EXPECT_EQ(values.said, values.for_a_reason) << "the paper has no third";
    set_said_apart(values, std::array{GapKind::kUnknownCause, GapKind::kSaid});
    EXPECT_EQ(values.said, 2 * values.for_a_reason);
    EXPECT_EQ(values.of(GapKind::kAtRandom), values.missing);
    EXPECT_EQ(values.of(GapKind::kUnknownCause), values.for_a_reason);
    EXPECT_EQ(values.of(GapKind::kSaid), values.said);
  }
  PlaceholderValues taken{.missing = -20.0, .for_a_reason = -10.0};
  set_said_apart(taken, std::array{GapKind::kUnknownCause, GapKind::kSaid});
  EXPECT_EQ(taken.said, -30.0);
}

TEST(Placeholders, OfTheTwoSidesOfALimitDiffer) {
  PlaceholderValues values = recommended_placeholders(Support::kRealLine);
  set_said_apart(values, std::array{GapKind::kBelow, GapKind::kAbove});
  EXPECT_EQ(values.of(GapKind::kBelow), -10.0) << "the paper's: no other gap takes it";
  EXPECT_EQ(values.of(GapKind::kAbove), 20.0) << "on the other side, beyond the first";

  PlaceholderValues interval = recommended_placeholders(Support::kInterval);
  set_said_apart(interval, std::array{GapKind::kBelow, GapKind::kAbove});
  EXPECT_EQ(interval.below, -2.0);
  EXPECT_EQ(interval.above, 2.0);
  set_said_apart(interval, std::array{GapKind::kAbove});
  EXPECT_EQ(interval.above, 2.0) << "alone, it is the paper's";

  PlaceholderValues all{.missing = -20.0, .for_a_reason = -10.0};
  set_said_apart(
      all, std::array{GapKind::kUnknownCause, GapKind::kSaid, GapKind::kBelow, GapKind::kAbove});
  EXPECT_EQ(all.said, -30.0);
  EXPECT_EQ(all.below, -40.0);
  EXPECT_EQ(all.above, -50.0) << "within kFarthestSaid, which model files are checked against";
}

TEST(Placeholders, AreRefusedInsideTheDataWithTheReason) {
  EXPECT_NO_THROW(require_outside_support("age", 3.1, -2.0, 3.0));
  EXPECT_THROW(require_outside_support("age", 3.0, -2.0, 3.0), ConfigError);
  EXPECT_THROW(require_outside_support("age", 3.0 + 1e-12, -2.0, 3.0), ConfigError);  // same float
  const std::string message =
      test::message_of<ConfigError>([] { require_outside_support("age", 0.0, -2.0, 3.0); });
  EXPECT_TRUE(test::contains(message, "\"age\"")) << message;
  EXPECT_TRUE(test::contains(message, "tell a gap from a real 0")) << message;
  EXPECT_TRUE(test::contains(message, "`force_placeholders`")) << message;
}

}  // namespace
}  // namespace knockout
