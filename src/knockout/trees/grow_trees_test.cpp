// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/grow_trees.h"

#include <gtest/gtest.h>
#include <xgboost/c_api.h>

#include <array>
#include <cmath>
#include <limits>
#include <locale>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/random.h"

namespace knockout {
namespace {

constexpr float kGap = std::numeric_limits<float>::quiet_NaN();

/// Standard normal columns.
std::vector<float> noise(std::size_t rows, int columns, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  std::vector<float> values;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (int c = 0; c < columns; ++c) {
      values.push_back(static_cast<float>(random.normal(0, row, static_cast<std::uint32_t>(c))));
    }
  }
  return values;
}

std::vector<float> predict(const TreeModel& model, const std::vector<float>& values, int columns,
                           int threads = 1) {
  const std::size_t rows = values.size() / static_cast<std::size_t>(columns);
  std::vector<float> out(rows * static_cast<std::size_t>(model.outputs()));
  model.predict({values.data(), rows, columns}, out, threads);
  return out;
}

/// A table of four columns whose label depends on two of them, with gaps here and there.
struct Wavy {
  explicit Wavy(std::size_t count = 700) : values(noise(count, 4, 5)) {
    for (std::size_t row = 0; row < count; ++row) {
      labels.push_back(std::sin(2 * values[4 * row]) + values[4 * row + 1]);
      if (row % 7 == 0) values[4 * row + 2] = kGap;
    }
  }
  TreeRows rows() const { return {values.data(), labels.size(), 4}; }

  std::vector<float> values, labels;
};

/// What XGBoost itself (libxgboost 1.7) predicts for the rows that it learned from.
std::vector<float> peer_predictions(const Wavy& wavy, const std::vector<float>& labels,
                                    std::vector<std::array<const char*, 2>> parameters) {
  DMatrixHandle matrix = nullptr;
  BoosterHandle booster = nullptr;
  EXPECT_EQ(XGDMatrixCreateFromMat(wavy.values.data(), labels.size(), 4, kGap, &matrix), 0);
  EXPECT_EQ(XGDMatrixSetFloatInfo(matrix, "label", labels.data(), labels.size()), 0);
  EXPECT_EQ(XGBoosterCreate(&matrix, 1, &booster), 0);
  for (const auto& [name, value] : parameters) XGBoosterSetParam(booster, name, value);
  for (int round = 0; round < 20; ++round) XGBoosterUpdateOneIter(booster, round, matrix);
  bst_ulong size = 0;
  const float* predicted = nullptr;
  EXPECT_EQ(XGBoosterPredict(booster, matrix, 0, 0, 0, &size, &predicted), 0);
  std::vector<float> copy(predicted, predicted + size);
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
  return copy;
}

TEST(GrowTrees, PredictsAsXgboostDoesItself) {
  const Wavy wavy;
  struct Case {
    TreeObjective objective;
    const char *name, *start, *classes;
    double step;  ///< Classes are steps of the label; 0 = the label itself.
  };
  for (const Case& c : {Case{TreeObjective::kSquaredError, "reg:squarederror", nullptr, "0", 0},
                        Case{TreeObjective::kLogistic, "binary:logistic", nullptr, "0", 10},
                        Case{TreeObjective::kSoftmax, "multi:softprob", "0.5", "3", 0.5}}) {
    std::vector<float> labels = wavy.labels;
    double sum = 0;
    for (float& label : labels) {
      if (c.step == 10) label = label > 0.3F ? 1.0F : 0.0F;
      if (c.step == 0.5) label = label < -0.5F ? 0.0F : label < 0.5F ? 1.0F : 2.0F;
      sum += label;
    }
    const std::string start =
        c.start != nullptr ? c.start : std::to_string(sum / static_cast<double>(labels.size()));
    std::vector<std::array<const char*, 2>> parameters = {
        {"objective", c.name},      {"verbosity", "0"}, {"base_score", start.c_str()},
        {"learning_rate", "0.3"},   {"max_depth", "5"}, {"tree_method", "hist"},
        {"min_child_weight", "1.5"}};
    if (c.objective == TreeObjective::kSoftmax) parameters.push_back({"num_class", c.classes});
    const TreeModel model = grow_trees(wavy.rows(), labels, {}, 0,
                                       {.objective = c.objective,
                                        .classes = 3,
                                        .rounds = 20,
                                        .learning_rate = 0.3,
                                        .max_depth = 5,
                                        .min_child_weight = 1.5});
    const std::vector<float> ours = predict(model, wavy.values, 4);
    const std::vector<float> theirs = peer_predictions(wavy, labels, parameters);
    ASSERT_EQ(ours.size(), theirs.size()) << c.name;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_NEAR(ours[i], theirs[i], 2e-5) << c.name << " at " << i;
    }
  }
}

TEST(GrowTrees, LearnsAStepExactly) {
  std::vector<float> values, labels;
  for (int row = 0; row < 40; ++row) {
    values.push_back(static_cast<float>(row));
    labels.push_back(row < 17 ? -3.0F : 8.0F);
  }
  const TreeModel model =
      grow_trees({values.data(), 40, 1}, labels, {}, 0, {.rounds = 1, .learning_rate = 1, .l2 = 0});
  EXPECT_EQ(model.outputs(), 1);
  const std::vector<float> predictions = predict(model, values, 1);
  for (std::size_t row = 0; row < 40; ++row) EXPECT_FLOAT_EQ(predictions[row], labels[row]);
}

TEST(GrowTrees, LearnsWhatAGapMeans) {
  std::vector<float> values, labels;
  for (int row = 0; row < 90; ++row) {
    values.push_back(row % 3 == 0 ? kGap : static_cast<float>(row % 3));
    labels.push_back(static_cast<float>(10 * (row % 3) + 1));  // a gap: 1, one: 11, two: 21
  }
  const TreeModel model =
      grow_trees({values.data(), 90, 1}, labels, {}, 0, {.rounds = 1, .learning_rate = 1, .l2 = 0});
  const std::vector<float> predictions = predict(model, {kGap, 1.0F, 2.0F}, 1);
  EXPECT_FLOAT_EQ(predictions[0], 1.0F);
  EXPECT_FLOAT_EQ(predictions[1], 11.0F);
  EXPECT_FLOAT_EQ(predictions[2], 21.0F);
}

TEST(GrowTrees, StartsFromTheWeightedMean) {
  const std::vector<float> values(4, 1.0F);  // nothing to split on
  const TreeModel model = grow_trees({values.data(), 4, 1}, std::vector<float>{100, 100, 100, 200},
                                     std::vector<float>{1, 1, 1, 7}, 0, {.rounds = 1});
  EXPECT_FLOAT_EQ(predict(model, {1.0F}, 1)[0], 170.0F);
}

TEST(GrowTrees, GivesTheShareOfClassOneAsItsProbability) {
  std::vector<float> values, labels;
  for (int row = 0; row < 100; ++row) {
    values.push_back(static_cast<float>(row % 2));
    labels.push_back(row % 2 == 0 ? (row < 20 ? 1.0F : 0.0F) : (row < 80 ? 1.0F : 0.0F));
  }
  const TreeModel model =
      grow_trees({values.data(), 100, 1}, labels, {}, 0,
                 {.objective = TreeObjective::kLogistic, .rounds = 200, .l2 = 0});
  const std::vector<float> probabilities = predict(model, {0.0F, 1.0F}, 1);
  EXPECT_NEAR(probabilities[0], 0.2, 1e-3);
  EXPECT_NEAR(probabilities[1], 0.8, 1e-3);
}

TEST(GrowTrees, GivesProbabilitiesOfSeveralClassesThatSumToOne) {
  const std::vector<float> values = noise(300, 2, 1);
  std::vector<float> labels;
  for (std::size_t row = 0; row < 300; ++row) {
    labels.push_back(values[2 * row] < -0.4F ? 0.0F : values[2 * row] < 0.4F ? 1.0F : 2.0F);
  }
  const TreeModel model =
      grow_trees({values.data(), 300, 2}, labels, {}, 0,
                 {.objective = TreeObjective::kSoftmax, .classes = 3, .rounds = 30});
  ASSERT_EQ(model.outputs(), 3);
  const std::vector<float> probabilities = predict(model, values, 2);
  for (std::size_t row = 0; row < 300; ++row) {
    const float* const p = &probabilities[3 * row];
    EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-5);
    EXPECT_GT(p[static_cast<std::size_t>(labels[row])], 0.5F);
  }
}

TEST(GrowTrees, GivesTheSameTreesForTheSameSeedAndOthersForAnother) {
  const Wavy wavy;
  TreeOptions options{.rounds = 20, .row_share = 0.6, .split_column_share = 0.5, .seed = 7};
  const auto trained = [&] { return grow_trees(wavy.rows(), wavy.labels, {}, 0, options); };
  const std::vector<float> first = predict(trained(), wavy.values, 4);
  EXPECT_EQ(predict(trained(), wavy.values, 4), first);
  options.seed = 8;
  EXPECT_NE(predict(trained(), wavy.values, 4), first);
  options.seed = 7 + (1ULL << 40);  // the upper half of the seed counts too
  EXPECT_NE(predict(trained(), wavy.values, 4), first);
}

TEST(GrowTrees, GivesTheSamePredictionsWithOneAndThreeThreads) {
  const Wavy wavy(20011);  // enough for three threads, and no multiple of three
  TreeOptions options{.rounds = 3, .trees_per_round = 3, .row_share = 0.632, .threads = 1};
  const TreeModel alone = grow_trees(wavy.rows(), wavy.labels, {}, 0, options);
  options.threads = 3;
  const TreeModel together = grow_trees(wavy.rows(), wavy.labels, {}, 0, options);
  const std::vector<float> expected = predict(alone, wavy.values, 4, 1);
  EXPECT_EQ(predict(together, wavy.values, 4, 1), expected);
  EXPECT_EQ(predict(together, wavy.values, 4, 3), expected);
}

TEST(GrowTrees, PredictsFromSeveralThreadsAtOnce) {
  const Wavy wavy;
  const TreeModel model = grow_trees(wavy.rows(), wavy.labels, {}, 0, {.rounds = 20});
  const std::vector<float> expected = predict(model, wavy.values, 4);
  std::vector<int> wrong(6, 0);
  {
    std::vector<std::jthread> callers;
    for (int& count : wrong) {
      callers.emplace_back([&] {
        for (int call = 0; call < 20; ++call) count += predict(model, wavy.values, 4) != expected;
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(6, 0));
}

TEST(GrowTrees, KeepsFewRoundsOfPureNoise) {
  const std::vector<float> values = noise(400, 3, 2);
  const std::vector<float> labels = noise(400, 1, 3);
  const TreeModel model =
      grow_trees({values.data(), 400, 3}, labels, {}, 100, {.rounds = 300, .patience = 10});
  EXPECT_LT(model.rounds(), 30);
}

TEST(GrowTrees, KeepsTheRoundsOfTheLowestHeldOutLoss) {
  const std::vector<float> values = noise(400, 3, 4);
  std::vector<float> labels = noise(400, 1, 6);
  for (std::size_t row = 0; row < 400; ++row) labels[row] += 2 * values[3 * row];
  const TreeRows rows{values.data(), 400, 3};
  const TreeModel model = grow_trees(rows, labels, {}, 100, {.rounds = 40, .learning_rate = 0.3});
  // The naive twin: a model of every length, trained on the first rows alone.
  const TreeRows learned{values.data(), 300, 3};
  int best_rounds = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  for (int length = 1; length <= 40; ++length) {
    const TreeModel shorter = grow_trees(learned, std::span(labels).first(300), {}, 0,
                                         {.rounds = length, .learning_rate = 0.3, .threads = 1});
    const std::vector<float> predictions = predict(shorter, values, 3);
    double loss = 0;
    for (std::size_t row = 300; row < 400; ++row) {
      loss += std::pow(predictions[row] - labels[row], 2.0);
    }
    if (loss < best_loss) best_loss = loss, best_rounds = length;
  }
  EXPECT_EQ(model.rounds(), best_rounds);
}

/// Numbers as Germans write them: 1.234,5.
struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(GrowTrees, KeepsTheSameRoundsWhereTheProgramsLocaleHasCommas) {
  const std::vector<float> values = noise(400, 3, 2);
  for (const float size : {0.3F, 30000.0F}) {
    std::vector<float> labels = noise(400, 1, 3);
    for (std::size_t row = 0; row < 400; ++row) {
      labels[row] = size * (labels[row] + values[3 * row]);
    }
    const auto grown = [&] {
      return grow_trees({values.data(), 400, 3}, labels, {}, 100, {.rounds = 60, .patience = 10});
    };
    const TreeModel model = grown();
    const std::locale before = std::locale::global(std::locale(std::locale(), new Commas));
    const TreeModel again = grown();
    std::locale::global(before);
    EXPECT_EQ(again.rounds(), model.rounds());
    EXPECT_EQ(predict(again, values, 3), predict(model, values, 3));
  }
}

TEST(GrowTrees, StopsClassifiersByLogLossNotByErrors) {
  // Labels are coin flips with 70 % ones: the error rate stays put while log loss gets worse.
  const std::vector<float> values = noise(400, 3, 9);
  const Random random(10, Stream::kSimulation);
  std::vector<float> labels;
  for (std::uint32_t row = 0; row < 400; ++row) labels.push_back(random.uniform(0, row, 0) < 0.7);
  const TreeModel model =
      grow_trees({values.data(), 400, 3}, labels, {}, 100,
                 {.objective = TreeObjective::kLogistic, .rounds = 300, .patience = 20});
  double loss = 0;
  const std::vector<float> probabilities = predict(model, values, 3);
  for (std::size_t row = 300; row < 400; ++row) {
    loss -= std::log(labels[row] > 0 ? probabilities[row] : 1 - probabilities[row]) / 100;
  }
  EXPECT_LT(loss, 0.66);  // of the prior: about 0.61; of a model grown to the end: about 1
}

TEST(GrowTrees, AveragesTheTreesOfAForest) {
  // No forest of means can leave the range of its labels.
  const Wavy wavy;
  const TreeModel forest = grow_trees(wavy.rows(), wavy.labels, {}, 0,
                                      {.rounds = 1,
                                       .trees_per_round = 50,
                                       .learning_rate = 1,
                                       .max_depth = 12,
                                       .row_share = 0.632,
                                       .split_column_share = 0.5,
                                       .l2 = 0,
                                       .max_bins = 64});
  const auto [low, high] = std::minmax_element(wavy.labels.begin(), wavy.labels.end());
  double squared_error = 0;
  const std::vector<float> predictions = predict(forest, wavy.values, 4);
  for (std::size_t row = 0; row < 700; ++row) {
    EXPECT_GE(predictions[row], *low - 1e-4F);
    EXPECT_LE(predictions[row], *high + 1e-4F);
    squared_error += std::pow(predictions[row] - wavy.labels[row], 2.0) / 700;
  }
  EXPECT_LT(squared_error, 0.15);  // the labels' variance is about 1.5
}

TEST(GrowTrees, RefusesWithTheReasonAndWithoutAStackTrace) {
  const std::vector<float> values(4, 1.0F);
  const auto message = [&](std::vector<float> labels, TreeObjective objective) -> std::string {
    try {
      grow_trees({values.data(), 4, 1}, labels, {}, 0, {.objective = objective});
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = message({0, 1, 2, 3}, TreeObjective::kLogistic);
  EXPECT_NE(text.find("label must be in [0,1]"), std::string::npos) << text;
  EXPECT_EQ(text.find("Stack trace"), std::string::npos) << text;
  EXPECT_NE(message({0, 1, 2, kGap}, TreeObjective::kSquaredError), "");
}

TEST(GrowTrees, RefusesToHoldOutEveryRow) {
  const std::vector<float> values(4, 1.0F);
  EXPECT_THROW(grow_trees({values.data(), 4, 1}, values, {}, 4, {}), DataError);
}

}  // namespace
}  // namespace knockout
