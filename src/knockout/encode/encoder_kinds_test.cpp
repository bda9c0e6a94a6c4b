// SPDX-License-Identifier: Apache-2.0
// What every kind of column promises. A new kind joins by being listed and by an example here.
#include <gtest/gtest.h>

#include <map>

#include <nlohmann/json.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::kReasonGap;
using test::numbers;
using test::words;

/// A column that holds all there is to hold: values, a gap, and one for a reason.
struct Example {
  Column column;
  SchemaOptions options = {};
};

const std::map<std::string_view, Example>& examples() {
  static const std::map<std::string_view, Example> all = {
      {"continuous", {numbers("x", {1, 2.5, kGap, -4, kReasonGap, 2.5}), {}}},
      {"categorical", {words("x", {"b", "a", "", "c", "!", "a"}), {}}},
      {"date", {words("x", {"2020-01-05", "2021-06-01", "", "2020-01-05", "!", "1999-12-31"}), {}}},
      {"ordered",
       {words("x", {"mild", "none", "", "severe", "!", "none"}),
        {.ordered = {{"x", {"none", "mild", "severe"}}}}}},
  };
  return all;
}

/// Kinds are tested in both forms of gaps.
class EveryKind : public testing::TestWithParam<std::tuple<const ColumnCodec*, bool>> {
 protected:
  void SetUp() override {
    const auto [codec, gaps_inline] = GetParam();
    ASSERT_TRUE(examples().contains(codec->name())) << "an example of this kind is missing above";
    const Example& example = examples().at(codec->name());
    table_ = Table({example.column});
    schema_ = infer_schema(table_, example.options).schema;
    ASSERT_EQ(schema_.features.at(0).kind, codec->kind());
    encoder_ = Encoder::fit(table_, schema_, {.inline_placeholders = gaps_inline});
  }

  std::vector<float> row_of(const EncodedRows& rows, std::size_t row) const {
    const auto begin = rows.values.begin() + static_cast<std::ptrdiff_t>(row) * rows.width;
    return {begin, begin + rows.width};
  }

  Table table_;
  Schema schema_;
  Encoder encoder_;
};

TEST_P(EveryKind, ShowsGapsAsNoValueIsShown) {
  const EncodedRows rows = encoder_.encode(table_);
  const Column& column = table_.column(0);
  for (std::size_t a = 0; a < rows.rows; ++a) {
    for (std::size_t b = 0; b < rows.rows; ++b) {
      if (column.observed(a) == column.observed(b)) continue;
      EXPECT_NE(row_of(rows, a), row_of(rows, b)) << a << " and " << b;
    }
  }
  EXPECT_NE(encoder_.missing_values(), encoder_.reason_values());
  EXPECT_EQ(row_of(rows, 2), encoder_.reason_values()) << "nobody said why";
  EXPECT_NE(row_of(rows, 4), encoder_.reason_values()) << "said to be for a reason";
  EXPECT_NE(row_of(rows, 4), encoder_.missing_values());
}

TEST_P(EveryKind, ComesBackFromJsonEncodingTheSame) {
  const nlohmann::json json = encoder_.to_json();
  const Encoder loaded = Encoder::from_json(nlohmann::json::parse(json.dump()));
  EXPECT_EQ(loaded.encode(table_).values, encoder_.encode(table_).values);
  EXPECT_EQ(loaded.to_json(), json);
}

TEST_P(EveryKind, EncodesARowWhateverTheOtherRows) {
  const EncodedRows all = encoder_.encode(table_);
  for (std::size_t row = 0; row < all.rows; ++row) {
    EXPECT_EQ(encoder_.encode(table_.take_rows({row})).values, row_of(all, row)) << row;
  }
}

TEST_P(EveryKind, WritesFilledCellsThatItReadsBack) {
  const Feature& feature = schema_.features[0];
  const ColumnCodec& codec = codec_of(feature);
  const auto labels = labels_for(feature);
  const CellReader cells(feature, &table_.column(0), labels.get());
  for (const std::size_t row : {0U, 1U, 3U, 5U}) {
    const double reading = cells.reading(row);
    const Column filled = codec.writes_numbers(feature, table_.column(0))
                              ? Column::numbers("x", {codec.number_of(feature, reading)})
                              : words("x", {codec.word_of(feature, reading)});
    EXPECT_EQ(CellReader(feature, &filled, labels.get()).reading(0), reading) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, EveryKind,
    testing::Combine(testing::ValuesIn(all_codecs().begin(), all_codecs().end()), testing::Bool()),
    [](const auto& named) {
      return std::string(std::get<0>(named.param)->name()) +
             (std::get<1>(named.param) ? "_inline" : "_own_inputs");
    });

}  // namespace
}  // namespace knockout
