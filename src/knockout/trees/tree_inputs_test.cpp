// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/tree_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/data/csv_reader.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

/// Gaps of unknown cause in `a`, none in `b`; `colour` is one-hot, `place` is embedded.
constexpr const char* kCsv =
    "a,b,colour,place\n"
    "1,5,red,p\n2,6,blue,q\n,7,red,r\n4,8,blue,p\n5,9,red,q\n6,3,blue,r\n7,1,red,p\n8,2,blue,q\n";

Encoder encoder_of(const Table& table) {
  SchemaOptions options;
  options.continuous = {"a", "b"};
  options.categorical = {"colour", "place"};
  return Encoder::fit(table, infer_schema(table, options).schema, {.max_one_hot = 2});
}

std::vector<float> written(const Encoder& encoder, const std::string& csv) {
  const EncodedRows rows = encoder.encode(read_csv_text(csv, "new.csv"));
  const TreeInputs inputs(encoder);
  std::vector<float> out(rows.rows * static_cast<std::size_t>(inputs.columns()));
  inputs.write({static_cast<int>(rows.rows), rows.values.data(), rows.codes.data()}, {{10, 20, 30}},
               out.data());
  return out;
}

TEST(TreeInputs, GivesValuesAndNumbersOfLevels) {
  const Encoder encoder = encoder_of(read_csv_text(kCsv, "t.csv"));
  const std::vector<float> row = written(encoder, "a,b,colour,place\n4,8,blue,q\n");
  // a, its flag of unknown cause, b, two colours, the place and its kind of gap.
  ASSERT_EQ(row.size(), 7U);
  const EncodedRows encoded =
      encoder.encode(read_csv_text("a,b,colour,place\n4,8,blue,q\n", "new.csv"));
  EXPECT_EQ(row[0], encoded.values[static_cast<std::size_t>(encoder.coding()[0].begin)]);
  EXPECT_EQ(row[1], 0.0F);
  EXPECT_EQ(row[2], encoded.values[static_cast<std::size_t>(encoder.coding()[1].begin)]);
  EXPECT_EQ(row[3] + row[4], 1.0F);
  EXPECT_EQ(row[5], 20.0F);
  EXPECT_EQ(row[6], 0.0F);
}

TEST(TreeInputs, MakesGapsNanAndTellsTheirKindsApart) {
  const Encoder encoder = encoder_of(read_csv_text(kCsv, "t.csv"));
  const std::vector<float> row = written(encoder, "a,b,colour,place\n,,,\n");
  ASSERT_EQ(row.size(), 7U);
  EXPECT_TRUE(std::isnan(row[0]));
  EXPECT_EQ(row[1], kGapInput) << "training had gaps of a, whose cause nobody knows";
  EXPECT_TRUE(std::isnan(row[2])) << "training had no gap of b, which is missing by chance";
  EXPECT_TRUE(std::isnan(row[3]) && std::isnan(row[4]));
  EXPECT_TRUE(std::isnan(row[5]));

  EncodedRows knocked_out = encoder.encode(read_csv_text("a,b,colour,place\n4,8,blue,q\n", "t"));
  knocked_out.values = encoder.missing_values();
  knocked_out.codes = encoder.missing_codes();
  const TreeInputs inputs(encoder);
  std::vector<float> out(static_cast<std::size_t>(inputs.columns()));
  inputs.write({1, knocked_out.values.data(), knocked_out.codes.data()}, {{10, 20, 30}},
               out.data());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 0.0F) << "knocked out, so not for a reason";
}

}  // namespace
}  // namespace knockout
