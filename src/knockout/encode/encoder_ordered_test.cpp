// SPDX-License-Identifier: Apache-2.0
// Ordered categories as thresholds, and their gaps.
#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::fit;
using test::message_of;
using test::numbers;
using test::words;
using Floats = std::vector<float>;

const SchemaOptions kSeverityOrder = {.ordered = {{"severity", {"none", "mild", "severe"}}}};

Table severities(const std::vector<std::string>& cells) {
  return Table({words("severity", cells)}, "new.csv");
}

TEST(EncoderOrdered, WritesOneThresholdLessThanLevels) {
  const Encoder encoder = fit(severities({"none", "mild", "severe"}), kSeverityOrder);
  EXPECT_EQ(encoder.width(), 2);
  EXPECT_EQ(encoder.encode(severities({"severe", "none", "mild"})).values,
            (Floats{1, 1, 0, 0, 1, 0}));
}

TEST(EncoderOrdered, ReadsNumbersAsTheLevelsTheyAre) {
  const Table table({numbers("grade", {10, 20, 30, 20})});
  const Encoder encoder = fit(table, {.ordered = {{"grade", {"30", "20.0", "10"}}}});
  EXPECT_EQ(encoder.encode(table).values, (Floats{1, 1, 1, 0, 0, 0, 1, 0}));
}

TEST(EncoderOrdered, GivesGapsInputsOfTheirOwn) {
  const Table table = severities({"none", "", "severe", "!", "mild"});
  const Encoder encoder = fit(table, kSeverityOrder, {});
  // Two thresholds, then gaps at random, of unknown cause, and said to be for a reason.
  EXPECT_EQ(encoder.width(), 5);
  EXPECT_EQ(encoder.encode(table).values, (Floats{0, 0, 0, 0, 0,  //
                                                  0, 0, 0, 2, 0,  //
                                                  1, 1, 0, 0, 0,  //
                                                  0, 0, 0, 0, 2,  //
                                                  1, 0, 0, 0, 0}));
  EXPECT_EQ(encoder.missing_values(), (Floats{0, 0, 2, 0, 0}));
  EXPECT_EQ(encoder.reason_values(), (Floats{0, 0, 0, 2, 0}));
}

TEST(EncoderOrdered, WritesThePapersPlaceholdersIntoEveryThreshold) {
  const Table table = severities({"none", "", "severe", "mild"});
  const Encoder encoder = fit(table, kSeverityOrder, {.inline_placeholders = true});
  EXPECT_EQ(encoder.encode(table).values, (Floats{0, 0, 2, 2, 1, 1, 1, 0}));
  EXPECT_EQ(encoder.missing_values(), (Floats{-1, -1}));
}

TEST(EncoderOrdered, TakesTheUsersPlaceholders) {
  const Table table = severities({"none", "mild", "severe", "mild"});
  EXPECT_EQ(fit(table, kSeverityOrder, {.placeholders = {{"severity", -3.0}}}).missing_values(),
            (Floats{-3, -3}));
  EXPECT_EQ(fit(table, kSeverityOrder,
                {.placeholders = {{"severity", ColumnMean{}}}, .force_placeholders = true})
                .missing_values(),
            (Floats{1, 0}))
      << "the mode";
  EXPECT_THROW(fit(table, kSeverityOrder, {.placeholders = {{"severity", 0.5}}}), ConfigError);
}

TEST(EncoderOrdered, TreatsAnUnknownLevelAsThePolicyForUnseenCategoriesSays) {
  const Table train = severities({"none", "mild", "severe"}), asked = severities({"mild", "worse"});
  SchemaOptions said = kSeverityOrder;
  said.unseen_category = UnseenCategory::kError;
  const Encoder strict = fit(train, said, {});
  const std::string message = message_of<DataError>([&] { strict.encode(asked); });
  for (const char* part : {"new.csv:3", "column \"severity\"", "\"worse\" is not one of the levels",
                           "\"none\", \"mild\", \"severe\"", "`unseen_category = missing`"}) {
    EXPECT_TRUE(contains(message, part)) << part << "\n" << message;
  }
  SchemaOptions lenient = kSeverityOrder;
  lenient.unseen_category = UnseenCategory::kMissing;
  EXPECT_EQ(fit(train, lenient, {}).encode(asked).values, (Floats{1, 0, 0, 0, 0, 2}));
}

}  // namespace
}  // namespace knockout
