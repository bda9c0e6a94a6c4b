// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/compare_cost.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

class CostlyMethod : public Method {
 public:
  CostlyMethod(std::string name, double bytes) : name_(std::move(name)), bytes_(bytes) {}
  std::string name() const override { return name_; }
  std::string label() const override { return name_; }
  std::string description() const override { return "is never trained"; }
  MethodCost cost(const Table&, const InferredSchema&) const override {
    return {.memory_bytes = bytes_, .text = "much of it"};
  }
  std::unique_ptr<Predictor> fit(const Table&, const InferredSchema&,
                                 const FitContext&) const override {
    throw DataError("it should not come to this");
  }

 private:
  std::string name_;
  double bytes_;
};

std::vector<std::shared_ptr<const Method>> methods_of(std::initializer_list<double> bytes) {
  std::vector<std::shared_ptr<const Method>> methods;
  for (const double each : bytes) {
    methods.push_back(
        std::make_shared<CostlyMethod>("method " + std::to_string(methods.size()), each));
  }
  return methods;
}

/// 100 rows, 900 bytes a column: numbers, and a state each.
Table two_columns() {
  std::vector<double> x, y;
  for (int row = 0; row < 100; ++row) {
    x.push_back(row % 11 + 0.25);
    y.push_back(row % 7 + 0.5);
  }
  return Table({Column::numbers("x", x), Column::numbers("y", y)});
}

InferredSchema with_classes(std::size_t count) {
  InferredSchema inferred;
  Target target{.name = "y", .task = Task::kClassification, .classes = {}};
  for (std::size_t c = 0; c < count; ++c) target.classes.push_back(std::to_string(c));
  inferred.schema.targets = {target};
  return inferred;
}

TEST(ComparisonCost, IsWhatAnswersPartsOfTheTableAndTrainingsTake) {
  const CompareOptions options{
      .folds = 5, .repeats = 2, .testing = {RemoveNothing{}, RemoveNothing{}}, .threads = 3};
  const ComparisonCost cost =
      comparison_cost(two_columns(), with_classes(4), methods_of({10, 7'000, 20}), options);
  EXPECT_EQ(cost.trainings(), 30U);
  EXPECT_EQ(cost.at_a_time, 3U);
  // 3 methods under 2 removals and one copy, 2 repeats, 100 rows, 4 classes, 8 bytes.
  EXPECT_EQ(cost.answer_bytes, 7.0 * 2 * 100 * 4 * 8);
  EXPECT_EQ(cost.memory_bytes, cost.answer_bytes + 3.0 * (2 * 1'800 + 7'000));
  EXPECT_EQ(cost.largest, "method 1, much of it");
}

TEST(ComparisonCost, RunsNoMoreTrainingsAtATimeThanThereAre) {
  const CompareOptions options{.folds = 2, .testing = {RemoveNothing{}}, .threads = 64};
  EXPECT_EQ(comparison_cost(two_columns(), with_classes(2), methods_of({1}), options).at_a_time,
            2U);
}

TEST(ComparisonCost, IsRefusedBeforeAnythingIsTrained) {
  CompareOptions options{.schema = {.targets = {"y"}}, .testing = {RemoveNothing{}}, .threads = 1};
  options.limits.max_memory = 1;
  try {
    compare(two_columns(), methods_of({2e9}), options);
    FAIL() << "it was taken";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("about 2.0 GB of memory, where 1.0 GB are allowed"), std::string::npos)
        << text;
    EXPECT_NE(text.find("max_memory"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace knockout
