// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "knockout/schema/column_profile.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::numbers;
using test::words;

TEST(Kinds, StandInTheListWhereTheirNumberSays) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all_codecs().size(); ++i) {
    const ColumnCodec& codec = *all_codecs()[i];
    EXPECT_EQ(static_cast<std::size_t>(codec.kind()), i) << codec.name();
    EXPECT_EQ(&codec_of(codec.kind()), &codec);
    EXPECT_EQ(codec_named(codec.name()), &codec);
    EXPECT_EQ(to_string(codec.kind()), codec.name());
    names.insert(codec.name());
  }
  EXPECT_EQ(names.size(), all_codecs().size());
  EXPECT_EQ(codec_named("tensor"), nullptr);
}

TEST(Kinds, ExactlyOneClaimsAColumnOfWhichNothingIsSaid) {
  for (const Column& column :
       {numbers("n", {1, 2.5}), words("w", {"a", "b"}), words("d", {"2020-01-01", "2021-02-03"}),
        words("mixed", {"2020-01-01", "b"}), words("digits", {"1", "2"})}) {
    const ColumnProfile profile = profile_column(column);
    const auto codecs = all_codecs();
    EXPECT_EQ(
        std::count_if(codecs.begin(), codecs.end(),
                      [&](const ColumnCodec* codec) { return codec->looks_like(column, profile); }),
        1)
        << column.name();
  }
}

TEST(Kinds, AreCountedInWords) {
  EXPECT_EQ(codec_named("continuous")->counted(3), "3 continuous");
  EXPECT_EQ(codec_named("categorical")->counted(1), "1 categorical");
  EXPECT_EQ(codec_named("date")->counted(1), "1 date");
  EXPECT_EQ(codec_named("date")->counted(2), "2 dates");
}

TEST(Kinds, SayWhichColumnsAFileHoldsAsWords) {
  EXPECT_EQ(columns_of_words({.categorical = {"ward", "q_*"},
                              .continuous = {"age"},
                              .ordered = {{"pain", {"no", "yes"}}}}),
            (std::vector<std::string>{"ward", "q_*", "pain"}));
}

Feature feature_of(const char* kind, std::vector<std::string> categories = {}) {
  return {.name = "x", .kind = codec_named(kind)->kind(), .categories = std::move(categories)};
}

TEST(CellReader, ReadsEveryCellAsOneNumber) {
  const Feature amount = feature_of("continuous"), day = feature_of("date");
  const Column spelled = words("x", {"1.5", "n/k", "-2"});
  const CellReader amounts(amount, &spelled, nullptr);
  EXPECT_EQ(amounts.reading(0), 1.5);
  EXPECT_FALSE(amounts.accepts(amounts.reading(1)));
  EXPECT_EQ(amounts.reading(2), -2.0);

  const Column dates = words("x", {"1970-01-11", "soon"});
  const CellReader days(day, &dates, nullptr);
  EXPECT_EQ(days.reading(0), 10.0);
  EXPECT_FALSE(days.accepts(days.reading(1)));

  const Feature size = feature_of("categorical", {"1", "2", "big"});
  const auto labels = labels_for(size);
  const Column written = words("x", {"big", "2.0", "small"}), plain = numbers("x", {2, 3});
  const CellReader sizes(size, &written, labels.get()), codes(size, &plain, labels.get());
  EXPECT_EQ(sizes.reading(0), 2.0);
  EXPECT_EQ(sizes.reading(1), 1.0);
  EXPECT_EQ(sizes.reading(2), kUnseen);
  EXPECT_EQ(codes.reading(0), 1.0);
  EXPECT_EQ(codes.reading(1), kUnseen);
}

TEST(CellReader, VisitsGapsAndStopsAtTheFirstBadRow) {
  const Feature size = feature_of("categorical", {"a", "b"});
  const auto labels = labels_for(size);
  const Column column = words("x", {"a", "", "!", "c", "b"});
  const CellReader cells(size, &column, labels.get());
  std::vector<std::size_t> values, gaps;
  const auto visit = [&](const GapRules& rules) {
    values.clear(), gaps.clear();
    return cells.visit(
        0, 5, rules, [&](std::size_t row, double) { values.push_back(row); },
        [&](std::size_t row, CellState) { gaps.push_back(row); });
  };
  EXPECT_EQ(visit({}), 3U);
  EXPECT_EQ(visit({.unseen_is_missing = true}), 5U);
  EXPECT_EQ(values, (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(gaps, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(visit({.refuse_gaps = true, .unseen_is_missing = true}), 1U);
}

}  // namespace
}  // namespace knockout
