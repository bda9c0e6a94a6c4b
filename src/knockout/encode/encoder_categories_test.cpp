// SPDX-License-Identifier: Apache-2.0
// Categories: one-hot or embedded, rare ones, unseen ones.
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

TEST(EncoderCategories, OneHotsCategoriesWithAFlagWhereTrainingHadGaps) {
  const Table table({words("full", {"b", "a", "b"}), words("holey", {"u", "", "v"})});
  const Encoder encoder = fit(table);
  EXPECT_EQ(encoder.width(), 2 + 3);
  EXPECT_FALSE(encoder.coding()[0].has_reason_flag);
  EXPECT_TRUE(encoder.coding()[1].has_reason_flag);
  EXPECT_EQ(encoder.encode(table).values, (Floats{0, 1, 1, 0, 0,  //
                                                  1, 0, 0, 0, 1,  //
                                                  0, 1, 0, 1, 0}));
  EXPECT_EQ(encoder.missing_values(), Floats(5, 0.0F));
}

TEST(EncoderCategories, EmbedsCategoriesBeyondTheLimit) {
  const Table table({words("c", {"b", "a", "", "c"}), numbers("x", {0, 2, 0, 2})});
  const Encoder encoder = fit(table, {}, {.max_one_hot = 2, .inline_placeholders = true});
  ASSERT_EQ(encoder.embedded().size(), 1U);
  EXPECT_EQ(encoder.embedded()[0].name, "c");
  EXPECT_EQ(encoder.embedded()[0].table_rows(), 5);
  const EncodedRows rows = encoder.encode(table);
  EXPECT_EQ(rows.width, 1);
  EXPECT_EQ(rows.codes, (std::vector<std::int32_t>{1, 0, 4, 2}));
  EXPECT_EQ(rows.values, (Floats{-1, 1, -1, 1}));
  EXPECT_EQ(encoder.missing_codes(), std::vector<std::int32_t>{3});
  EXPECT_EQ(encoder.coding()[0].width, 0);
  EXPECT_EQ(fit(table, {}, {.max_one_hot = 3, .inline_placeholders = true}).embedded().size(), 0U);
}

/// Towns b and d are in one row each.
Table towns() { return Table({words("town", {"a", "a", "a", "b", "c", "c", "d", "e", "e", "e"})}); }

TEST(EncoderCategories, ShareOneLevelWhereTheyAreRare) {
  const Encoder encoder = fit(towns(), {}, {});
  EXPECT_EQ(encoder.encode(Table({words("town", {"a", "b", "c", "d", "e"})})).values,
            (Floats{1, 0, 0, 0,  //
                    0, 0, 0, 1,  //
                    0, 1, 0, 0,  //
                    0, 0, 0, 1,  //
                    0, 0, 1, 0}));
  ASSERT_EQ(encoder.notes().size(), 1U);
  EXPECT_TRUE(contains(encoder.notes()[0], "fewer than 2 rows")) << encoder.notes()[0];
  EXPECT_TRUE(contains(encoder.notes()[0], "\"town\" (2 of 5)")) << encoder.notes()[0];

  const Encoder embedding = fit(towns(), {}, {.max_one_hot = 3});
  EXPECT_EQ(embedding.encode(Table({words("town", {"a", "b", "c", "d", "e", ""})})).codes,
            (std::vector<std::int32_t>{0, 3, 1, 3, 2, 4}));
  EXPECT_EQ(embedding.embedded()[0].table_rows(), 6);
  EXPECT_EQ(fit(towns(), {}, {.max_one_hot = 4}).embedded().size(), 0U) << "four levels";
}

TEST(EncoderCategories, StayApartWhereThereIsNoneToShareWithOrNothingElse) {
  EXPECT_EQ(fit(towns(), {}, {.rare_rows = 0}).width(), 5);
  EXPECT_EQ(fit(towns(), {}, {.rare_rows = 3}).width(), 3) << "b, c and d";
  EXPECT_EQ(fit(towns(), {}, {.rare_rows = 10}).width(), 5) << "all are rare";
  EXPECT_EQ(fit(Table({words("c", {"a", "a", "a", "b", "e", "e", "e"})}), {}, {}).width(), 3);
}

TEST(EncoderCategories, MatchesNumbersAndWordsThatSpellTheSameLabel) {
  const Encoder encoder =
      fit(Table({numbers("code", {1, 2, 2}), numbers("x", {0, 2, 1})}), {.categorical = {"code"}});
  const Floats expected = {1, 0, -0.0F, 0, 1, -0.0F};
  const auto x = numbers("x", {1, 1});
  EXPECT_EQ(encoder.encode(Table({words("code", {"1.0", "2"}), x})).values, expected);
  EXPECT_EQ(encoder.encode(Table({numbers("code", {1, 2}), x})).values, expected);
  EXPECT_EQ(encoder.encode(Table({numbers("code", {1, 2}), words("x", {"1", "1e0"})})).values,
            expected);
}

TEST(EncoderCategories, NamesAnUnseenCategoryAndTheWaysOut) {
  std::vector<std::string> known;
  for (char c = 'a'; c < 'm'; ++c) known.push_back(std::string("port ") + c);
  const Encoder encoder =
      fit(Table({words("port", known)}), {.unseen_category = UnseenCategory::kError});
  const Table late({words("port", {"port a", "Port q"})}, "new.csv");
  const std::string message = message_of<DataError>([&] { encoder.encode(late); });
  EXPECT_TRUE(contains(message, "new.csv:3, column \"port\"")) << message;
  EXPECT_TRUE(contains(message, "\"Port q\"")) << message;
  EXPECT_TRUE(contains(message, "Did you mean \"port a\"?")) << message;
  EXPECT_TRUE(contains(message, "\"port j\", ... (12 in all)")) << message;
  EXPECT_FALSE(contains(message, "\"port k\"")) << message;
  EXPECT_TRUE(contains(message, "`unseen_category = missing`")) << message;
}

TEST(EncoderCategories, TakesUnseenCategoriesAsMissingByDefault) {
  const Table table({words("c", {"a", "b", ""})});
  const Encoder encoder = fit(table);
  // The first placeholder: unseen says nothing about why, unlike the gap after it.
  EXPECT_EQ(encoder.encode(Table({words("c", {"z", ""})})).values, (Floats{0, 0, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace knockout
