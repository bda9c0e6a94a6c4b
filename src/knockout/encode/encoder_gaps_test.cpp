// SPDX-License-Identifier: Apache-2.0
// What a gap becomes: policies, overrides, structured groups, placeholders set by the user.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::fit;
using test::kGap;
using test::kReasonGap;
using test::message_of;
using test::numbers;
using test::words;
using Floats = std::vector<float>;

/// The one input of one row, for encoders of a single continuous column.
float input(const Encoder& encoder, double value, const GapOverrides& overrides = {}) {
  return encoder.encode(Table({numbers("x", {value})}), overrides).values.at(0);
}

constexpr float kFirst = 10.0F, kSecond = -10.0F;

// --- policies ---

TEST(EncoderGaps, AreInformativeWhereTrainingHadGaps) {
  const Encoder encoder = fit(Table({numbers("x", {0, kGap, 2})}));
  EXPECT_EQ(input(encoder, kGap), kSecond);
  EXPECT_EQ(input(encoder, kReasonGap), kSecond);
}

TEST(EncoderGaps, AreOrdinaryWhereTrainingHadNone) {
  const Encoder encoder = fit(Table({numbers("x", {0, 2})}));
  EXPECT_EQ(input(encoder, kGap), kFirst);
  // The network never met the second placeholder here, so it would mean nothing.
  EXPECT_EQ(input(encoder, kReasonGap), kFirst);
  EXPECT_EQ(input(encoder, kGap, {.missing_for_a_reason = {"x"}}), kFirst);
}

TEST(EncoderGaps, AreOrdinaryWhereDeclaredRandomUnlessTheCellSaysOtherwise) {
  const Table table({numbers("x", {0, kGap, 2, kReasonGap})});
  const Encoder encoder = fit(table, {.missing_at_random = {"all"}});
  EXPECT_EQ(encoder.encode(table).values, (Floats{-1, kFirst, 1, kSecond}));
  EXPECT_EQ(input(encoder, kGap), kFirst);
  EXPECT_EQ(input(encoder, kReasonGap), kSecond);
}

TEST(EncoderGaps, OfAbsentColumnsAreOrdinary) {
  const Encoder encoder = fit(Table({numbers("x", {0, kGap, 2}), words("c", {"a", "", "b"})}));
  EXPECT_EQ(encoder.encode(Table({numbers("other", {1})})).values, (Floats{kFirst, 0, 0, 0}));
}

TEST(EncoderGaps, FollowOverridesButTheCellFirst) {
  const Encoder encoder = fit(Table({numbers("x", {0, kGap, 2})}));
  EXPECT_EQ(input(encoder, kGap, {.missing_at_random = {"all"}}), kFirst);
  EXPECT_EQ(input(encoder, kReasonGap, {.missing_at_random = {"x"}}), kSecond);
  const Encoder random =
      fit(Table({numbers("x", {0, kGap, 2, kReasonGap})}), {.missing_at_random = {"x"}});
  EXPECT_EQ(input(random, kGap, {.missing_for_a_reason = {"x"}}), kSecond);
  const Table absent({numbers("other", {1})});
  EXPECT_EQ(encoder.encode(absent, {.missing_for_a_reason = {"*"}}).values, Floats{kSecond});
}

TEST(EncoderGaps, RefuseOverridesThatContradictOrNameNothing) {
  const Encoder encoder = fit(Table({numbers("x", {0, kGap, 2}), numbers("z", {0, 1, 2})}));
  const Table table({numbers("x", {kGap})});
  EXPECT_NO_THROW(
      encoder.encode(table, {.missing_at_random = {"x"}, .missing_for_a_reason = {"z"}}));
  EXPECT_TRUE(contains(message_of<ConfigError>([&] {
                         encoder.encode(
                             table, {.missing_at_random = {"all"}, .missing_for_a_reason = {"z"}});
                       }),
                       "\"z\""));
  EXPECT_THROW(encoder.encode(table, {.missing_at_random = {"y"}}), ConfigError);
}

TEST(EncoderGaps, OfCategoriesTakeTheFlagOnlyForAReason) {
  const Encoder encoder =
      fit(Table({words("c", {"a", "", "b", "!"})}), {.missing_at_random = {"c"}});
  EXPECT_EQ(encoder.encode(Table({words("c", {"", "!", "b"})})).values,
            (Floats{0, 0, 0, 0, 0, 1, 0, 1, 0}));
  const Encoder never = fit(Table({words("c", {"a", "b"})}));
  EXPECT_EQ(never.encode(Table({words("c", {"", "!"})})).values, (Floats{0, 0, 0, 0}));
}

TEST(EncoderGaps, OfEmbeddedCategoriesHaveCodesOfTheirOwn) {
  const Encoder encoder =
      fit(Table({words("c", {"a", "", "b", "!"})}), {.missing_at_random = {"c"}},
          {.max_one_hot = 0, .inline_placeholders = true});
  EXPECT_EQ(encoder.encode(Table({words("c", {"", "!", "b"})})).codes,
            (std::vector<std::int32_t>{2, 4, 1}));
}

TEST(EncoderGaps, WriteTheSecondPlaceholdersOnlyWhereTrainingShowedThem) {
  const Table table({numbers("holey", {0, kGap, 2}), numbers("full", {0, 1, 2}),
                     words("c", {"a", "", "b"}), words("many", {"p", "", "q"})});
  const Encoder encoder =
      fit(table, {.categorical = {"c", "many"}}, {.max_one_hot = 2, .inline_placeholders = true});
  EXPECT_EQ(encoder.reason_values(), (Floats{kSecond, kFirst, 0, 0, 1, 0, 0, 1}));
  EXPECT_TRUE(encoder.reason_codes().empty());

  const Encoder embedding = fit(table, {}, {.max_one_hot = 1, .inline_placeholders = true});
  EXPECT_EQ(embedding.reason_values(), (Floats{kSecond, kFirst}));
  EXPECT_EQ(embedding.reason_codes(), (std::vector<std::int32_t>{3, 3}));
  EXPECT_EQ(embedding.missing_codes(), (std::vector<std::int32_t>{2, 2}));
}

// --- gaps with inputs of their own: the default ---

TEST(EncoderOwnGapInputs, SayMissingOnAnAxisThatValuesNeverTouch) {
  const Table table({numbers("x", {0, kGap, 2})});
  const Encoder encoder = Encoder::fit(table, infer_schema(table, {}).schema);
  // value, "missing", "missing for a reason"
  EXPECT_EQ(encoder.encode(table).values, (Floats{-1, 0, 0, 0, 0, kGapInput, 1, 0, 0}));
  EXPECT_EQ(encoder.encode(table, {.missing_at_random = {"x"}}).values,
            (Floats{-1, 0, 0, 0, kGapInput, 0, 1, 0, 0}));
  EXPECT_EQ(encoder.missing_values(), (Floats{0, kGapInput, 0}));
  EXPECT_EQ(encoder.reason_values(), (Floats{0, 0, kGapInput}));
}

TEST(EncoderOwnGapInputs, AreOnlyThoseThatCanBeNeeded) {
  const Table table({numbers("full", {0, 1, 2}), numbers("always", {1, 2, 3})});
  const Encoder encoder =
      Encoder::fit(table, infer_schema(table, {.never_missing = {"always"}}).schema);
  EXPECT_EQ(encoder.coding()[0].width, 2) << "no gaps in training: nothing to say a reason with";
  EXPECT_EQ(encoder.coding()[1].width, 1) << "never missing";
}

TEST(EncoderOwnGapInputs, GiveWayToAPlaceholderThatTheUserSets) {
  const Table table({numbers("x", {0, 2}), numbers("z", {0, 2})});
  const Encoder encoder =
      Encoder::fit(table, infer_schema(table, {}).schema, {.placeholders = {{"x", 20.0}}});
  EXPECT_EQ(encoder.missing_values(), (Floats{20, 0, kGapInput}));
}

TEST(EncoderOwnGapInputs, SurviveJson) {
  const Table table({numbers("x", {0, kGap, 2}), words("c", {"a", "", "b"})});
  const Encoder encoder = Encoder::fit(table, infer_schema(table, {}).schema);
  const Encoder loaded = Encoder::from_json(encoder.to_json());
  EXPECT_EQ(loaded.encode(table).values, encoder.encode(table).values);
  EXPECT_EQ(loaded.missing_values(), encoder.missing_values());
}

// --- structured groups ---

/// `count` columns v0, v1, .. with the given rows.
std::vector<Column> wide(int count, const std::vector<double>& values) {
  std::vector<Column> columns;
  for (int i = 0; i < count; ++i) columns.push_back(numbers(fmt::format("v{}", i), values));
  return columns;
}

TEST(EncoderGroups, OfSixteenInputsKeepTheirOwnPlaceholders) {
  const Encoder encoder = fit(Table(wide(16, {0, 2, kGap})), {.groups = {{"g", {"v*"}}}});
  EXPECT_FALSE(encoder.units()[0].structured);
  EXPECT_EQ(encoder.width(), 16);
  EXPECT_EQ(encoder.missing_values(), Floats(16, kFirst));
}

TEST(EncoderGroups, OfMoreInputsTakeZerosAndAFlag) {
  std::vector<Column> columns = wide(17, {0, 2, kGap});
  columns[3] = numbers("v3", {0, kGap, kGap});  // one observed value and a gap of its own
  const Table table(columns);
  const Encoder encoder = fit(table, {.groups = {{"g", {"v*"}}}});
  const KnockoutUnit& unit = encoder.units()[0];
  EXPECT_TRUE(unit.structured);
  EXPECT_EQ(unit.reason_flag, 17);
  EXPECT_EQ(unit.width, 18);
  EXPECT_EQ(encoder.missing_values(), Floats(18, 0.0F));
  Floats whole_group_gone(18, 0.0F);
  whole_group_gone[17] = 1;
  EXPECT_EQ(encoder.reason_values(), whole_group_gone);

  Floats expected(18, -1.0F);  // row 0: Z-scores of 0
  expected[3] = 0;
  expected[17] = 0;
  Floats second(18, 1.0F);  // row 1: one gap is a zero, not a missing group
  second[3] = 0;
  second[17] = 0;
  Floats third(18, 0.0F);  // row 2: the whole group is missing for a reason
  third[17] = 1;
  expected.insert(expected.end(), second.begin(), second.end());
  expected.insert(expected.end(), third.begin(), third.end());
  EXPECT_EQ(encoder.encode(table).values, expected);

  EXPECT_EQ(encoder.encode(table, {.missing_at_random = {"v5"}}).values[3 * 18 - 1], 0.0F);
  EXPECT_EQ(encoder.encode(Table({numbers("other", {1})})).values, Floats(18, 0.0F));
}

TEST(EncoderGroups, NeedNoFlagWithoutGapsInTraining) {
  const Encoder encoder = fit(Table(wide(17, {0, 2})), {.groups = {{"g", {"v*"}}}});
  EXPECT_EQ(encoder.units()[0].reason_flag, -1);
  EXPECT_EQ(encoder.width(), 17);
  EXPECT_EQ(encoder.encode(Table(wide(17, {kReasonGap}))).values, Floats(17, 0.0F));
}

TEST(EncoderGroups, CountOneHotsAndGiveThemNoFlagsOfTheirOwn) {
  std::vector<Column> columns = wide(14, {0, 2, kGap});
  columns.push_back(words("v_kind", {"a", "b", ""}));
  columns.push_back(words("v_side", {"l", "r", ""}));
  const Encoder encoder = fit(Table(columns), {.groups = {{"g", {"v*"}}}});  // 14 + 2 + 2 > 16
  EXPECT_TRUE(encoder.units()[0].structured);
  EXPECT_EQ(encoder.coding()[14].width, 2);
  EXPECT_EQ(encoder.width(), 19);
}

// --- placeholders set by the user ---

TEST(UserPlaceholders, ReplaceTheRecommendedOnes) {
  const Table table({numbers("x", {0, kGap, 2}), numbers("z", {0, kGap, 2})});
  const Encoder encoder =
      fit(table, {},
          {.placeholders = {{"*", 20.0}, {"x", 7.5}}, .reason_placeholders = {{"z", -30.0}}});
  EXPECT_EQ(encoder.missing_values(), (Floats{7.5, 20}));
  EXPECT_EQ(encoder.encode(table).values[2], -10.0F);
  EXPECT_EQ(encoder.encode(table).values[3], -30.0F);
}

TEST(UserPlaceholders, AreRefusedAmongTheDataUnlessForced) {
  const Table table({numbers("x", {0, 2})});
  EXPECT_THROW(fit(table, {}, {.placeholders = {{"x", 5.9}}}),
               ConfigError);  // a new row may be 5.9
  EXPECT_THROW(fit(table, {}, {.reason_placeholders = {{"x", 0.0}}}), ConfigError);
  EXPECT_THROW(fit(table, {.ranges = {{"x", 0, 4}}}, {.placeholders = {{"x", 0.5}}}), ConfigError);
  EXPECT_EQ(
      fit(table, {}, {.placeholders = {{"x", 0.0}}, .force_placeholders = true}).missing_values(),
      Floats{0});
}

TEST(UserPlaceholders, MustDifferUnlessForced) {
  const Table table({numbers("x", {0, 2})});
  const std::string message = message_of<ConfigError>([&] {
    fit(table, {}, {.placeholders = {{"x", -10.0}}});
  });
  EXPECT_TRUE(contains(message, "look alike")) << message;
  EXPECT_NO_THROW(fit(table, {}, {.placeholders = {{"x", -10.0}}, .force_placeholders = true}));
  EXPECT_NO_THROW(
      fit(table, {}, {.placeholders = {{"x", -10.0}}, .reason_placeholders = {{"x", 10.0}}}));
}

TEST(UserPlaceholders, MayBeMeanAndModeOnlyWhenForced) {
  const Table table({numbers("x", {0, 2, 4, 6}), numbers("ratio", {0.1, 0.2, 0.2, 0.5}),
                     words("c", {"a", "b", "b", "a"}), words("many", {"p", "q", "q", "r"})});
  const SchemaOptions schema{.ranges = {{"ratio", 0, 1}}};
  EncodeOptions options{.max_one_hot = 2, .placeholders = {{"*", ColumnMean{}}}};
  EXPECT_TRUE(contains(message_of<ConfigError>([&] { fit(table, schema, options); }), "Knockout*"));
  options.force_placeholders = true;
  const Encoder encoder = fit(table, schema, options);
  EXPECT_EQ(encoder.missing_values(), (Floats{0, 0.25, 1, 0}));  // of two modes, the first
  EXPECT_EQ(encoder.missing_codes(), std::vector<std::int32_t>{1});
  EXPECT_EQ(encoder.encode(Table({numbers("other", {1})})).values, encoder.missing_values());
}

// The paper's "either the image of all 0s or the mean image"; of shares in [0, 1] the two differ.
TEST(UserPlaceholders, MayBeTheMeanOfAStructuredGroupWithoutForce) {
  for (const int columns : {16, 17}) {
    std::vector<Column> pixels;
    std::vector<ColumnRange> ranges;
    Floats means;
    for (int c = 0; c < columns; ++c) {
      const std::string name = fmt::format("v{}", c);
      pixels.push_back(numbers(name, {0.1, 0.6, 0.2 + c / 100.0}));
      ranges.push_back({name, 0, 1});
      means.push_back(static_cast<float>((0.9 + c / 100.0) / 3));
    }
    const Table table(pixels);
    const SchemaOptions schema{.ranges = ranges, .groups = {{"g", {"v*"}}}};
    const EncodeOptions options{.placeholders = {{"v*", ColumnMean{}}}};
    if (columns == 16) {
      EXPECT_TRUE(contains(message_of<ConfigError>([&] { fit(table, schema, options); }), "mean"));
      continue;
    }
    const Floats found = fit(table, schema, options).missing_values();
    ASSERT_EQ(found.size(), means.size());
    for (std::size_t c = 0; c < means.size(); ++c) EXPECT_NEAR(found[c], means[c], 1e-6F);
  }
}

/// Knockout* has one placeholder: gaps of training data take the mean, too, whatever their cause.
TEST(UserPlaceholders, TheMeanStandsForEveryGapUnlessAnotherIsSaid) {
  const Table table({numbers("x", {0, 2, kGap, 4}), words("c", {"a", "b", "", "b"})});
  EncodeOptions options{.placeholders = {{"*", ColumnMean{}}}, .force_placeholders = true};
  const Encoder star = fit(table, {}, options);
  EXPECT_EQ(star.reason_values(), star.missing_values());
  const EncodedRows rows = star.encode(table);
  const auto width = static_cast<std::size_t>(rows.width);
  EXPECT_EQ(Floats(rows.values.begin() + 2 * width, rows.values.begin() + 3 * width),
            star.missing_values());
  options.reason_placeholders = {{"x", -10.0}};
  EXPECT_EQ(fit(table, {}, options).reason_values()[0], -10);
}

TEST(UserPlaceholders, AreRefusedWhenTheyMeanNothing) {
  const Table table({numbers("x", {0, 2}), words("c", {"a", "b"})});
  const auto refused = [&](const std::string& column, double value) {
    return message_of<ConfigError>([&] { fit(table, {}, {.placeholders = {{column, value}}}); });
  };
  EXPECT_TRUE(contains(refused("c", 20), "categorical"));
  EXPECT_EQ(refused("*", 20), "");  // a pattern passes over categories
  EXPECT_NE(refused("x", 1e300), "");
  EXPECT_NE(refused("x", kGap), "");
  EXPECT_NE(refused("y", 20), "");
}

}  // namespace
}  // namespace knockout
