// SPDX-License-Identifier: Apache-2.0
#include "experiments/recipe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/regression_data.h"
#include "knockout/methods/imputed_network.h"
#include "knockout/model/model.h"

namespace knockout::experiments {
namespace {

/// How the network behind a predictor was trained, as a model file would tell it.
nlohmann::json recipe_behind(const Predictor& predictor) {
  if (const auto* imputed = dynamic_cast<const ImputedNetwork*>(&predictor)) {
    return imputed->network().recipe();
  }
  const auto* model = dynamic_cast<const Model*>(&predictor);
  return model != nullptr ? model->recipe() : nlohmann::json();
}

std::vector<std::shared_ptr<const Method>> all_methods(const std::vector<Recipe>& recipes) {
  return methods_in(recipes,
                    {"knockout", "knockout-star", "knockout-minus", "dropout", "baseline-xbar",
                     "common-baseline", "zero-indicator", "linear", "mice", "boosting"},
                    [](Recipe recipe) { return method_options(recipe); });
}

/// Few rows: all 5,000 steps of the real recipe take a moment.
Table few_rows() { return draw_rows(draw_problem(1), 1, 0, 12); }

TEST(Recipe, OfThePaperIsFollowedByEveryNetworkThatIsCalledSo) {
  const Table table = few_rows();
  const InferredSchema inferred = infer_schema(table, {.targets = {"y"}});
  int networks = 0;
  for (const auto& method : all_methods({Recipe::kPaper})) {
    if (method->name() == "boosting") continue;
    SCOPED_TRACE(method->name());
    EXPECT_TRUE(method->name().ends_with("-paper"));
    EXPECT_TRUE(method->label().ends_with(" (paper)"));
    const auto predictor = method->fit(table, inferred, {.seed = 3, .threads = 1});
    const nlohmann::json recipe = recipe_behind(*predictor);
    ASSERT_FALSE(recipe.is_null());
    const nlohmann::json& train = recipe.at("train");
    EXPECT_EQ(train.at("full_batch"), true);
    EXPECT_EQ(train.at("batch_rows"), 12);
    EXPECT_EQ(train.at("steps"), 5000);
    EXPECT_EQ(train.at("optimizer"), "adam");
    EXPECT_EQ(train.at("learning_rate"), 3e-3);
    EXPECT_EQ(train.at("schedule"), "constant");
    EXPECT_EQ(train.at("averaging"), 0.0);
    EXPECT_EQ(train.at("weight_decay"), 0.0);
    EXPECT_EQ(train.at("dropout"), 0.0);
    EXPECT_EQ(train.at("validation_share"), 0.0);
    EXPECT_EQ(train.at("networks"), 1);
    EXPECT_EQ(train.at("mask_per"), "row");
    EXPECT_EQ(train.at("hidden"), (std::vector{100, 100}));
    EXPECT_EQ(train.at("architecture"), "mlp");
    EXPECT_EQ(recipe.at("members").at(0).at("best_step"), 5000) << "the last weights";
    EXPECT_EQ(recipe.at("raw_targets"), true);
    EXPECT_EQ(recipe.at("encode").at("scaling"), "zscore");
    EXPECT_TRUE(recipe.at("encode").at("clip_stddevs").is_null());
    ++networks;
  }
  EXPECT_EQ(networks, 9);
}

TEST(Recipe, OfThePaperPutsPlaceholdersOnTheAxisAndKnocksOutAtItsRate) {
  const Table table = few_rows();
  const auto knockout = methods_in({Recipe::kPaper}, {"knockout"}, [](Recipe recipe) {
    MethodOptions options = method_options(recipe);
    options.fit.train.steps = 1;
    return options;
  });
  const auto predictor =
      knockout[0]->fit(table, infer_schema(table, {.targets = {"y"}}), {.seed = 3, .threads = 1});
  const auto& model = dynamic_cast<const Model&>(*predictor);
  EXPECT_EQ(model.encoder().width(), 9) << "no inputs beside the values";
  for (const float placeholder : model.encoder().missing_values()) EXPECT_EQ(placeholder, 10.0f);
  EXPECT_EQ(model.recipe().at("knockout").at("rate"), "paper");
  EXPECT_EQ(model.recipe().at("knockout").at("reason_share"), 0.0);
  // y itself is learned, not its Z-score.
  EXPECT_EQ(model.targets()[0].mean, 0.0);
  EXPECT_EQ(model.targets()[0].stddev, 1.0);
}

TEST(Recipe, ShowsBothAndWhatIsNoNetworkOnce) {
  std::vector<std::string> names;
  for (const auto& method : methods_in({Recipe::kOurs, Recipe::kPaper},
                                       {"knockout", "mice", "boosting", "knockout-paper"},
                                       [](Recipe recipe) { return method_options(recipe); })) {
    names.push_back(method->name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"knockout", "mice", "boosting", "knockout-paper",
                                             "mice-paper"}));
  EXPECT_EQ(base_name("mice-paper"), "mice");
  EXPECT_EQ(base_name("mice"), "mice");
}

TEST(Recipe, OfOursIsNotThePapers) {
  const FitOptions ours = fit_options(Recipe::kOurs);
  EXPECT_EQ(ours.train.batch_rows, 256);
  EXPECT_FALSE(ours.train.full_batch);
  EXPECT_EQ(ours.train.schedule, Schedule::kCosine);
  EXPECT_GT(ours.train.averaging, 0);
  EXPECT_FALSE(ours.encode.inline_placeholders);
}

}  // namespace
}  // namespace knockout::experiments
