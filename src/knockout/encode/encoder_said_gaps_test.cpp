// SPDX-License-Identifier: Apache-2.0
// Gaps that are said to be for a reason, beside those of unknown cause and those at random.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/encode/row_encoder.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::fit;
using test::kGap;
using test::kReasonGap;
using test::numbers;
using test::words;
using Floats = std::vector<float>;
using Codes = std::vector<std::int32_t>;

constexpr float kOn = kGapInput;

/// Half of the gaps of each column are said to be for a reason.
Table assay() {
  return Table({numbers("x", {0, kGap, 2, kReasonGap}), words("c", {"a", "", "b", "!"}),
                words("grade", {"low", "", "high", "!"})});
}

const SchemaOptions kGrades{.ordered = {{"grade", {"low", "high"}}}};

TEST(SaidGaps, HaveAnInputOfTheirOwn) {
  const Encoder encoder = fit(assay(), kGrades, {});
  // Of x: value, missing, unknown, said. Of c: a, b, unknown, said. Of grade: as x.
  EXPECT_EQ(encoder.encode(assay()).values, (Floats{-1, 0, 0,   0,    //
                                                    1,  0, 0,   0,    //
                                                    0,  0, 0,   0,    //
                                                    0,  0, kOn, 0,    //
                                                    0,  0, 1,   0,    //
                                                    0,  0, kOn, 0,    //
                                                    1,  0, 0,   0,    //
                                                    0,  1, 0,   0,    //
                                                    1,  0, 0,   0,    //
                                                    0,  0, 0,   kOn,  //
                                                    0,  0, 0,   1,    //
                                                    0,  0, 0,   kOn}));
}

TEST(SaidGaps, AreNeverWhatAKnockedOutCellLooksLike) {
  const Encoder encoder = fit(assay(), kGrades, {});
  EXPECT_EQ(encoder.missing_values(), (Floats{0, kOn, 0, 0, 0, 0, 0, 0, 0, kOn, 0, 0}));
  EXPECT_EQ(encoder.reason_values(), (Floats{0, 0, kOn, 0, 0, 0, 1, 0, 0, 0, kOn, 0}));
}

TEST(SaidGaps, HaveACodeOfTheirOwnWhereCategoriesAreEmbedded) {
  const Table table({words("c", {"a", "", "b", "!"})});
  const Encoder encoder = fit(table, {}, {.max_one_hot = 1});
  EXPECT_EQ(encoder.encode(table).codes, (Codes{0, 3, 1, 4}));
  EXPECT_EQ(encoder.encode(Table({numbers("other", {0})})).codes, Codes{2});
  EXPECT_EQ(encoder.embedded()[0].table_rows(), 5);
  EXPECT_EQ(encoder.reason_codes(), Codes{3});
  EXPECT_EQ(
      fit(Table({words("c", {"a", "", "b"})}), {}, {.max_one_hot = 1}).embedded()[0].table_rows(),
      4);
}

TEST(SaidGaps, LieBeyondTheSecondPlaceholderInline) {
  const Encoder encoder = fit(assay(), kGrades);
  const EncodedRows rows = encoder.encode(assay());
  const std::size_t last = 3 * static_cast<std::size_t>(rows.width);
  EXPECT_EQ(rows.values[static_cast<std::size_t>(rows.width)], -10.0F);
  EXPECT_EQ(rows.values[last], -20.0F);
  EXPECT_EQ(rows.values.back(), 4.0F) << "of an ordered category, whose second is 2";
}

TEST(SaidGaps, AloneTakeThePapersPlaceholderForThem) {
  const Table table({numbers("x", {0, kReasonGap, 2})});
  const Encoder encoder = fit(table);
  EXPECT_EQ(encoder.encode(table).values, (Floats{-1, -10, 1}));
  EXPECT_EQ(encoder.reason_values(), Floats{10}) << "no knocked-out cell takes it";
  EXPECT_EQ(encoder.encode(Table({numbers("x", {kGap})})).values, Floats{10})
      << "training showed no gap that nobody explained";
}

TEST(SaidGaps, CountAsOfUnknownCauseWhereTrainingHadNoneThatWereSaid) {
  const Encoder unknown = fit(Table({numbers("x", {0, kGap, 2})}), {}, {});
  EXPECT_EQ(unknown.encode(Table({numbers("x", {kReasonGap})})).values, (Floats{0, 0, kOn}));
  const Encoder random = fit(Table({numbers("x", {0, kGap, 2})}), {.missing_at_random = {"x"}}, {});
  EXPECT_EQ(random.encode(Table({numbers("x", {kReasonGap})})).values, (Floats{0, kOn}));
}

TEST(SaidGaps, AreWhatAnOverrideDeclares) {
  const Encoder encoder = fit(assay(), {}, {});
  const Table gap({numbers("x", {kGap}), words("c", {""}), words("grade", {""})});
  const Floats said = encoder.encode(gap, {.missing_for_a_reason = {"x"}}).values;
  EXPECT_EQ(Floats(said.begin(), said.begin() + 4), (Floats{0, 0, 0, kOn}));
}

TEST(SaidGaps, OfAWholeStructuredGroupHaveAFlagOfTheirOwn) {
  std::vector<Column> columns;
  for (int i = 0; i < 17; ++i) {
    columns.push_back(numbers(fmt::format("v{}", i), {0, 2, kGap, kReasonGap}));
  }
  const Table table(columns);
  const Encoder encoder = fit(table, {.groups = {{"g", {"v*"}}}}, {});
  ASSERT_EQ(encoder.units()[0].reason_flag, 17);
  ASSERT_EQ(encoder.units()[0].said_flag, 18);
  const Floats values = encoder.encode(table).values;
  const auto flags = [&](std::size_t row) {
    return std::pair(values[19 * row + 17], values[19 * row + 18]);
  };
  EXPECT_EQ(flags(1), std::pair(0.0F, 0.0F));
  EXPECT_EQ(flags(2), std::pair(1.0F, 0.0F));
  EXPECT_EQ(flags(3), std::pair(0.0F, 1.0F));
  EXPECT_EQ(encoder.reason_values()[17], 1.0F);
  EXPECT_EQ(encoder.reason_values()[18], 0.0F);

  // Said of some, unknown of the others: for one reason or another.
  columns[0] = numbers("v0", {kGap});
  for (int i = 1; i < 17; ++i) columns[i] = numbers(fmt::format("v{}", i), {kReasonGap});
  const Floats mixed = encoder.encode(Table(columns)).values;
  EXPECT_EQ(std::pair(mixed[17], mixed[18]), std::pair(1.0F, 0.0F));
}

TEST(SaidGaps, SurviveJson) {
  for (const bool inline_placeholders : {false, true}) {
    const Encoder encoder =
        fit(assay(), kGrades, {.max_one_hot = 1, .inline_placeholders = inline_placeholders});
    const Encoder loaded = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
    EXPECT_EQ(loaded.encode(assay()).values, encoder.encode(assay()).values);
    EXPECT_EQ(loaded.encode(assay()).codes, encoder.encode(assay()).codes);
    EXPECT_EQ(loaded.reason_values(), encoder.reason_values());
    EXPECT_EQ(loaded.to_json(), encoder.to_json());
  }
}

TEST(SaidGaps, AreEncodedAloneAsInATable) {
  const Encoder encoder = fit(assay(), kGrades, {});
  RowEncoder row(encoder);
  for (std::size_t f = 0; f < 3; ++f) row.set_missing(f, CellState::kMissingForAReason);
  const Floats all = encoder.encode(assay()).values;
  EXPECT_EQ(row.encode().values, Floats(all.end() - encoder.width(), all.end()));
}

// --- the two sides of a limit ---

/// Nothing but values and both limits; with gaps that nobody explained; and with all reasons.
Table limits_alone() { return Table({numbers("x", {0, -kReasonGap, 2, kReasonGap})}); }
Table all_reasons() {
  Table table({numbers("x", {0, kGap, 2, 0, -kReasonGap, kReasonGap})});
  table.set_missing(3, 0, kReason);
  return table;
}

Floats encoded(const Encoder& encoder, CellState state) {
  Table table({numbers("x", {0})});
  table.set_missing(0, 0, state);
  return encoder.encode(table).values;
}

TEST(SidesOfALimit, HaveAnInputEach) {
  const Encoder encoder = fit(limits_alone(), {}, {});
  EXPECT_EQ(encoder.encode(limits_alone()).values, (Floats{-1, 0, 0, 0,   //
                                                           0, 0, kOn, 0,  //
                                                           1, 0, 0, 0,    //
                                                           0, 0, 0, kOn}));
  EXPECT_EQ(encoder.missing_values(), (Floats{0, kOn, 0, 0}));
  EXPECT_EQ(encoder.reason_values(), encoder.missing_values()) << "no knocked-out cell takes one";

  const Encoder all = fit(all_reasons(), {}, {});
  EXPECT_EQ(encoded(all, kMissing), (Floats{0, 0, kOn, 0, 0, 0}));
  EXPECT_EQ(encoded(all, kReason), (Floats{0, 0, 0, kOn, 0, 0}));
  EXPECT_EQ(encoded(all, kBelow), (Floats{0, 0, 0, 0, kOn, 0}));
  EXPECT_EQ(encoded(all, kAbove), (Floats{0, 0, 0, 0, 0, kOn}));
}

TEST(SidesOfALimit, HaveAPlaceholderEachInline) {
  const Encoder encoder = fit(limits_alone());
  EXPECT_EQ(encoder.encode(limits_alone()).values, (Floats{-1, -10, 1, 20}));
  const Encoder all = fit(all_reasons());
  EXPECT_EQ(all.encode(all_reasons()).values, (Floats{-1, -10, 1, -20, -30, 20}));
}

TEST(SidesOfALimit, AreNeverTakenForEachOther) {
  const Encoder below = fit(Table({numbers("x", {0, -kReasonGap, 2})}), {}, {});
  EXPECT_EQ(encoded(below, kBelow), (Floats{0, 0, kOn}));
  EXPECT_EQ(encoded(below, kAbove), (Floats{0, kOn, 0})) << "training never showed it: at random";
  EXPECT_EQ(encoded(below, kReason), (Floats{0, 0, kOn})) << "the one reason that there was";
  const Encoder unknown = fit(Table({numbers("x", {0, -kReasonGap, kGap, 2})}), {}, {});
  EXPECT_EQ(encoded(unknown, kAbove), (Floats{0, 0, kOn, 0}));
  EXPECT_EQ(encoded(fit(limits_alone(), {}, {}), kReason), (Floats{0, kOn, 0, 0}))
      << "either could be meant";
}

TEST(SidesOfALimit, CountAsSaidWhereTrainingShowedReasonsWithoutASide) {
  Table table({numbers("x", {0, 0, 2})});
  table.set_missing(1, 0, kReason);
  const Encoder encoder = fit(table, {}, {});
  EXPECT_EQ(encoded(encoder, kBelow), (Floats{0, 0, kOn}));
  EXPECT_EQ(encoded(encoder, kAbove), (Floats{0, 0, kOn}));
  const nlohmann::json json = encoder.to_json();
  EXPECT_FALSE(json["coding"][0].contains("learned_below")) << "as in files of older versions";
}

TEST(SidesOfALimit, AreOneReasonAmongCategories) {
  for (const int max_one_hot : {1, 8}) {
    const Table table({numbers("c", {1, 2, -kReasonGap, kReasonGap})});
    const Encoder encoder = fit(table, {.categorical = {"c"}}, {.max_one_hot = max_one_hot});
    const EncodedRows rows = encoder.encode(table);
    const std::size_t width = static_cast<std::size_t>(rows.width);
    EXPECT_TRUE(std::equal(rows.values.end() - 2 * rows.width, rows.values.end() - rows.width,
                           rows.values.begin() + 3 * static_cast<std::ptrdiff_t>(width)));
    if (max_one_hot == 1) EXPECT_EQ(rows.codes, (Codes{0, 1, 4, 4}));
    nlohmann::json forged = encoder.to_json();
    forged["coding"][0]["learned_below"] = true;
    EXPECT_THROW(Encoder::from_json(forged), ModelFileError);
  }
}

TEST(SidesOfALimit, SurviveJson) {
  for (const bool inline_placeholders : {false, true}) {
    const Encoder encoder = fit(all_reasons(), {}, {.inline_placeholders = inline_placeholders});
    const Encoder loaded = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
    EXPECT_EQ(loaded.encode(all_reasons()).values, encoder.encode(all_reasons()).values);
    EXPECT_EQ(loaded.to_json(), encoder.to_json());
  }
}

TEST(SidesOfALimit, AreEncodedAloneAsInATable) {
  const Encoder encoder = fit(limits_alone(), {}, {});
  RowEncoder row(encoder);
  row.set(0, -kReasonGap);
  EXPECT_EQ(row.encode().values, (Floats{0, 0, kOn, 0}));
  row.set(0, kReasonGap);
  EXPECT_EQ(row.encode().values, (Floats{0, 0, 0, kOn}));
}

}  // namespace
}  // namespace knockout
