// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/fit_cost.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// One column of words, each in two rows.
Table words(std::size_t count) {
  std::vector<std::optional<std::string>> cells;
  for (std::size_t i = 0; i < 2 * count; ++i) cells.emplace_back("w" + std::to_string(i % count));
  std::vector<double> y(2 * count);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 7) + 0.5;
  return Table({Column::words("word", cells), Column::numbers("y", y)});
}

TEST(FitCost, RefusesWhatNoFileCouldDescribe) {
  const Table table = words(20'000);
  const SchemaOptions options{.targets = {"y"}, .categorical = {"word"}};
  const Encoder encoder = Encoder::fit(table, infer_schema(table, options).schema);
  const nlohmann::json nothing = nlohmann::json::array();
  // A word, its two quotes with a backslash each, a comma: 9 to 11 bytes.
  EXPECT_NO_THROW(check_description(encoder, nothing, 300'000));
  EXPECT_THROW(check_description(encoder, nothing, 180'000), ConfigError);
  EXPECT_NO_THROW(check_description(encoder, nothing));
  const nlohmann::json long_text = std::string(300'000, 'x');
  EXPECT_THROW(check_description(encoder, long_text, 300'000), ConfigError);
}

TEST(FitCost, IsTheSameAskedWithATableAsTheTrainingFinds) {
  const Table table = words(30);
  FitOptions options{.schema = {.targets = {"y"}, .categorical = {"word"}}};
  options.train.networks = 1;
  options.train.threads = 1;
  const InferredSchema inferred = infer_schema(table, options.schema);
  const TrainingCost cost = fit_cost(table, inferred, options);
  EXPECT_EQ(cost.networks, 1U);
  EXPECT_GT(cost.parameters, 30U * 128);
  EXPECT_EQ(told_cost(cost, options.limits), "");
  options.train.networks = 21;
  EXPECT_NE(told_cost(fit_cost(table, inferred, options), options.limits).find("21 networks"),
            std::string::npos);
}

}  // namespace
}  // namespace knockout
