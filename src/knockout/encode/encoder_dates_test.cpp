// SPDX-License-Identifier: Apache-2.0
// Dates: trend, season and, where they vary, weekday and time.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::fit;
using test::kGap;
using test::message_of;
using test::numbers;
using test::words;
using Floats = std::vector<float>;

float as_float(double value) { return static_cast<float>(value); }

TEST(EncoderDates, TurnsADateIntoItsDayAndSeason) {
  // Days 0 and 14 of 1970, both Thursdays: mean 7, deviation 7.
  const Table table({words("day", {"1970-01-01", "1970-01-15T00:00", ""})});
  const Encoder encoder = fit(table);
  const double angle = 2 * std::numbers::pi * 14 / 365.2425;
  EXPECT_EQ(encoder.width(), 3);
  EXPECT_EQ(encoder.encode(table).values,
            (Floats{-1, 0, 1, 1, as_float(std::sin(angle)), as_float(std::cos(angle)), -10, 0, 0}));
  EXPECT_EQ(encoder.missing_values(), (Floats{10, 0, 0}));
  EXPECT_EQ(encoder.encode(Table({words("day", {"2024-01-01"})})).values[0], 6.0F);
}

TEST(EncoderDates, AddsWeekdayAndTimeToADateWhereTheyVary) {
  const auto encoded = [](const std::vector<std::string>& days) {
    const Table table({words("day", days)});
    const EncodedRows rows = fit(table).encode(table);
    return Floats(rows.values.begin() + 3, rows.values.begin() + rows.width);
  };
  const double week = 2 * std::numbers::pi / 7;
  const Floats thursday = {as_float(std::sin(3 * week)), as_float(std::cos(3 * week))};
  EXPECT_EQ(encoded({"1970-01-01", "1970-01-02"}), thursday);
  const Floats evening = {as_float(std::sin(1.5 * std::numbers::pi)),
                          as_float(std::cos(1.5 * std::numbers::pi))};
  EXPECT_EQ(encoded({"1970-01-01T18:00", "1970-01-08T17:00"}), evening);
  EXPECT_EQ(encoded({"1970-01-01T18:00", "1970-01-02T17:00"}),
            (Floats{thursday[0], thursday[1], evening[0], evening[1]}));
  EXPECT_EQ(encoded({"1970-01-01T18:00", "1970-01-08T18:00"}), Floats());
}

TEST(EncoderDates, RefusesWhatIsNoDate) {
  const Encoder encoder = fit(Table({words("day", {"1970-01-01", "1970-01-11"})}));
  const Table late({words("day", {"", "yesterday"})}, "new.csv");
  const std::string message = message_of<DataError>([&] { encoder.encode(late); });
  EXPECT_TRUE(contains(message, "new.csv:3, column \"day\": cannot read \"yesterday\"")) << message;
  EXPECT_THROW(encoder.encode(Table({numbers("day", {19700101})})), DataError);
  EXPECT_NO_THROW(encoder.encode(Table({numbers("day", {kGap})})));
}

}  // namespace
}  // namespace knockout
