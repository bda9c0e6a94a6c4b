// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/masked_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/test_columns.h"

namespace knockout::nn {
namespace {

using test::kGap;
using test::kReasonGap;
using test::numbers;
using test::words;

using Floats = std::vector<float>;

Schema infer(const Table& table, SchemaOptions options = {}) {
  options.targets = {"y"};
  options.task = Task::kRegression;
  return infer_schema(table, options).schema;
}

/// Mean 2 and deviation 1 of a; b has a gap for a reason, kind an ordinary one.
Table small_table() {
  return Table({words("kind", {"red", "", "blue", "red"}), numbers("a", {1, 3, 3, 1}),
                numbers("b", {kReasonGap, -1, 1, kGap}), numbers("y", {10, 20, kGap, 60})},
               "made");
}

SchemaOptions small_options() { return {.categorical = {"kind"}, .continuous = {"a", "b"}}; }

TEST(MaskedInputs, ZScoresComeFirstThenCategoriesAndGapsAreZero) {
  const Table table = small_table();
  const MaskedInputs inputs(table, infer(table, small_options()));
  EXPECT_EQ(inputs.layout().numbers, 2);
  ASSERT_EQ(inputs.layout().categories.size(), 1U);
  EXPECT_EQ(inputs.layout().width(), 4);
  const MaskedRows rows = inputs.encode(table, 1);
  EXPECT_EQ(rows.values, (Floats{-1, 0, 0, 1,  //
                                 1, -1, 0, 0,  //
                                 1, 1, 1, 0,   //
                                 -1, 0, 0, 1}));
  EXPECT_EQ(rows.observed, (Floats{1, 0, 1, 1,  //
                                   1, 1, 0, 0,  //
                                   1, 1, 1, 1,  //
                                   1, 0, 1, 1}));
}

/// A value that is exactly the mean is a zero too, but it is there.
TEST(MaskedInputs, AZeroIsNotAGap) {
  const Table table = small_table();
  const MaskedInputs inputs(table, infer(table, small_options()));
  const MaskedRows rows = inputs.encode(Table({numbers("a", {2}), numbers("b", {0})}), 1);
  EXPECT_EQ(rows.values, (Floats{0, 0, 0, 0}));
  EXPECT_EQ(rows.observed, (Floats{1, 1, 0, 0}));
}

TEST(MaskedInputs, AGroupIsOneUnitAtThePapersRate) {
  const Table table = small_table();
  SchemaOptions options = small_options();
  options.groups = {{"both", {"kind", "b"}}};
  const MaskedInputs inputs(table, infer(table, options));
  EXPECT_EQ(inputs.unit_of_input(), (std::vector<std::int64_t>{1, 0, 0, 0}));
  ASSERT_EQ(inputs.plan().units, 2);
  for (const double rate : inputs.plan().expected_rates()) EXPECT_NEAR(rate, paper_rate(2), 1e-12);
}

TEST(TargetLabels, AreStandardisedAndWeighted) {
  Table table = small_table();
  table.add_column(numbers("w", {1, 1, 1, 4}));
  SchemaOptions options = small_options();
  options.weight_column = "w";
  const Schema schema = infer(table, options);
  const auto targets = outputs_for(table, schema);
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_DOUBLE_EQ(targets[0].mean, 30);
  const double stddev = std::sqrt((400.0 + 100 + 900) / 3);
  EXPECT_DOUBLE_EQ(targets[0].stddev, stddev);
  const TargetLabels labels = labels_of(table, schema, targets);
  EXPECT_FLOAT_EQ(labels.values[3], static_cast<float>(30 / stddev));
  EXPECT_EQ(labels.weights, (Floats{0.5F, 0.5F, 0, 2}));
}

TEST(TargetLabels, ClassesAreTheirPositions) {
  const Table table({numbers("a", {1, 2, 3, 4}), words("y", {"no", "yes", "", "no"}),
                     numbers("z", {1, 2, 3, 4})});
  const Schema schema = infer_schema(table, {.targets = {"z", "y"}, .continuous = {"a"}}).schema;
  const auto targets = outputs_for(table, schema);
  ASSERT_EQ(targets.size(), 2U);
  const std::size_t y = targets[0].target.name == "y" ? 0 : 1;
  EXPECT_EQ(targets[y].width, 2);
  const TargetLabels labels = labels_of(table, schema, targets);
  EXPECT_EQ(labels.values[2 + y], 1) << "yes";
  EXPECT_EQ(labels.weights[4 + y], 0) << "missing";
  EXPECT_EQ(labels.weights[6 + y], 1);
  const Table other({numbers("a", {1}), words("y", {"perhaps"}), numbers("z", {1})});
  EXPECT_THROW(labels_of(other, schema, targets), DataError);
}

}  // namespace
}  // namespace knockout::nn
