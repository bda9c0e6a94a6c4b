// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"

namespace knockout {
namespace {

TEST(JsonWriter, WritesOneObjectPerRow) {
  const Table table = read_csv_text("id,x\na,0.1\n\"b \"\"c\"\"\",2\n", "test");
  EXPECT_EQ(write_json_text(table),
            "[\n{\"id\":\"a\",\"x\":0.1},\n{\"id\":\"b \\\"c\\\"\",\"x\":2.0}\n]\n");
}

TEST(JsonWriter, WritesGapsAsNull) {
  const Table table = read_csv_text("w,x\na,inf\n,2\nb,\n", "test");
  const nlohmann::json rows = nlohmann::json::parse(write_json_text(table));
  EXPECT_EQ(rows,
            nlohmann::json::parse(R"([{"w":"a","x":null},{"w":null,"x":2},{"w":"b","x":null}])"));
}

TEST(JsonWriter, KeepsEveryBitOfANumber) {
  const Table table = read_csv_text("x\n0.1000000000000000055\n1e-300\n-3.3333333333333335\n", "t");
  const nlohmann::json rows = nlohmann::json::parse(write_json_text(table));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    EXPECT_EQ(rows[row]["x"].get<double>(), table.at("x").number(row));
  }
}

TEST(JsonWriter, WritesATableWithoutRowsAsAnEmptyArray) {
  EXPECT_TRUE(nlohmann::json::parse(write_json_text(read_csv_text("x\n", "t"))).empty());
}

TEST(JsonWriter, ReportsAFullDisk) {
  EXPECT_THROW(write_json(read_csv_text("x\n1\n", "t"), "/dev/full"), FileError);
}

}  // namespace
}  // namespace knockout
