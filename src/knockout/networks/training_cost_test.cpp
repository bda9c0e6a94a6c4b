// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/training_cost.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

/// Three continuous columns without gaps; what they are encoded as is the encoder's to say.
struct Small {
  Table table = read_csv_text("a,b,c,y\n1,2,3,4.5\n2,3,5,6.5\n3,5,8,9.5\n5,8,13,1.5\n", "t.csv");
  Schema schema = infer_schema(table, {.targets = {"y"}, .continuous = {"*"}}).schema;
  Encoder encoder = Encoder::fit(table, schema);
  std::vector<Head> heads = {code_targets(table, schema).front().head};

  TrainingCost cost(std::size_t rows, const TrainOptions& options) const {
    return training_cost(rows, heads, encoder, resolve(options, rows));
  }
};

TEST(TrainingCost, CountsTheWeightsOfANetwork) {
  const Small small;
  const std::uint64_t inputs = static_cast<std::uint64_t>(small.encoder.width());
  const TrainingCost cost = small.cost(1000, {.hidden = std::vector<int>{7, 5}, .networks = 3});
  EXPECT_EQ(cost.parameters, (inputs + 1) * 7 + (7 + 1) * 5 + (5 + 1));
  EXPECT_EQ(cost.networks, 3U);
  EXPECT_EQ(cost.model_bytes, 3.0 * 4 * static_cast<double>(cost.parameters));
}

TEST(TrainingCost, GrowsWithNetworksRowsAndUnits) {
  const Small small;
  const TrainOptions one{.networks = 1, .threads = 1};
  const double before = small.cost(1000, one).memory_bytes;
  TrainOptions many = one;
  many.networks = 1000;
  EXPECT_GE(small.cost(1000, many).memory_bytes,
            before + 999 * 4.0 * static_cast<double>(small.cost(1000, one).parameters));
  EXPECT_GT(small.cost(1'000'000, one).memory_bytes, before + 1e6 * 4 * small.encoder.width());
  TrainOptions wide = one;
  wide.hidden = std::vector<int>{65536, 65536};
  EXPECT_GT(small.cost(1000, wide).memory_bytes, 6 * 4.0 * 65536 * 65536);
}

TEST(TrainingCost, BeyondTheLimitIsRefusedWithTheFigureAndTheWayOut) {
  const Small small;
  const TrainingCost cost =
      small.cost(1000, {.hidden = std::vector<int>{65536, 65536}, .networks = 1, .threads = 1});
  std::string message;
  try {
    check_cost(cost, {.max_memory = 16});
  } catch (const ConfigError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("about 1"), std::string::npos) << message;  // 120 GB and some
  EXPECT_NE(message.find("where 16 GB are allowed"), std::string::npos) << message;
  EXPECT_NE(message.find("`max_memory = 1"), std::string::npos) << message;
  EXPECT_NE(message.find("`hidden`"), std::string::npos) << message;
  EXPECT_NO_THROW(check_cost(cost, {.max_memory = 1000}));
}

}  // namespace
}  // namespace knockout
