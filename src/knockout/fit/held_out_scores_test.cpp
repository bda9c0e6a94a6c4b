// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/held_out_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/load_model.h"

namespace knockout {
namespace {

/// y = 3 a + b, c tells nothing; one cell of b in five is missing.
Table sums_table(int rows) {
  const Random random(7, Stream::kSimulation);
  std::ostringstream csv;
  csv << "a,b,c,y,big\n";
  for (int r = 0; r < rows; ++r) {
    const double a = random.normal(0, r, 0), b = random.normal(0, r, 1);
    csv << a << ',';
    if (random.uniform(0, r, 2) >= 0.2) csv << b;
    csv << ',' << random.normal(0, r, 3) << ',' << 10 * (3 * a + b) << ','
        << (3 * a + b > 0 ? "yes" : "no") << '\n';
  }
  return read_csv_text(csv.str(), "sums.csv");
}

FitOptions small_fit(std::vector<std::string> targets) {
  FitOptions options;
  if (targets == std::vector<std::string>{"y"}) options.schema.ignore = {"big"};
  options.schema.targets = std::move(targets);
  options.train.hidden = std::vector{24};
  options.train.networks = 2;
  options.train.steps = 1500;
  options.train.seed = 3;
  return options;
}

std::size_t judged_rows(const FitReport& report) {
  std::size_t rows = 0;
  for (const HeldOutLevel& level : report.held_out) rows += level.targets[0].rows;
  return rows;
}

TEST(HeldOutScores, AddUpToTheValidationLoss) {
  const FitResult fitted = fit(sums_table(600), small_fit({"y"}));
  double loss = 0, of_networks = 0;
  for (const HeldOutLevel& level : fitted.report.held_out) loss += level.targets[0].loss;
  for (const NetworkReport& member : fitted.report.members) {
    of_networks += member.validation_loss / 2;
  }
  // Training sees standardised labels; the networks hold out equally many rows.
  const double variance = std::pow(fitted.model.targets()[0].stddev, 2);
  const auto rows = static_cast<double>(judged_rows(fitted.report));
  EXPECT_NEAR(loss / rows / variance, of_networks, 1e-4);
}

TEST(HeldOutScores, GrowWithTheNumberOfMissingInputs) {
  const FitResult fitted = fit(sums_table(600), small_fit({"y"}));
  const std::vector<HeldOutLevel>& levels = fitted.report.held_out;
  ASSERT_EQ(levels.size(), 4U) << "0, 1, 2 and 3 of 3 inputs";
  const auto mse = [&](std::size_t i) {
    return levels[i].targets[0].loss / static_cast<double>(levels[i].targets[0].rows);
  };
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(levels[i].missing, i);
  EXPECT_LT(mse(0), 0.3 * mse(1));
  EXPECT_LT(mse(1), mse(2));
  // All missing: nothing but the mean, whose error is the variance of y, 10^2 (3^2 + 1).
  EXPECT_NEAR(mse(3), 1000, 350);
}

TEST(HeldOutScores, DoNotDependOnTheThreads) {
  const Table table = sums_table(300);
  FitOptions options = small_fit({"y", "big"});
  options.train.steps = 50;
  options.train.threads = 1;
  const std::string one = fit(table, options).model.to_bytes();
  options.train.threads = 5;
  EXPECT_TRUE(fit(table, options).model.to_bytes() == one);
}

TEST(HeldOutScores, AreAbsentWithoutValidation) {
  FitOptions options = small_fit({"y"});
  options.train.steps = 20;
  options.train.validation_share = 0.0;
  const FitResult fitted = fit(sums_table(100), options);
  EXPECT_TRUE(fitted.report.held_out.empty());
  EXPECT_TRUE(fitted.model.provenance().at("held_out").empty());
}

TEST(HeldOutScores, TravelInTheModelWithWhatTrainingSaw) {
  const Table table = sums_table(300);
  FitOptions options = small_fit({"big"});
  options.schema.ignore = {"c", "y"};
  options.train.steps = 200;
  const FitResult fitted = fit(table, options);
  const nlohmann::json said = model_from_bytes(fitted.model.to_bytes()).provenance();
  ASSERT_EQ(said.at("held_out").size(), fitted.report.held_out.size());
  for (const nlohmann::json& level : said.at("held_out")) {
    const nlohmann::json& score = level.at("targets")[0];
    EXPECT_GE(score.at("error_rate"), 0.0);
    EXPECT_LE(score.at("error_rate"), 1.0);
    EXPECT_GT(score.at("log_loss"), 0.0);
  }
  const nlohmann::json& seen = said.at("seen");
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[1].at("name"), "b");
  std::size_t gaps = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) gaps += !table.at("b").observed(r);
  EXPECT_EQ(seen[1].at("missing"), gaps);
  EXPECT_EQ(said.at("set_aside").size(), 2U);
}

TEST(FitOptions, TellWhatWasUnderstoodBeforeTraining) {
  FitOptions options = small_fit({"y"});
  options.train.steps = 20;
  bool told = false, trained = false;
  options.on_prepared = [&](const FitReport& report) {
    EXPECT_FALSE(trained);
    EXPECT_FALSE(std::exchange(told, true)) << "once";
    EXPECT_EQ(report.inferred.schema.features.size(), 3U);
    EXPECT_EQ(report.rows, 100U);
    EXPECT_EQ(report.train.steps, 20);
  };
  fit(sums_table(100), options, [&](const TrainProgress&) { trained = true; });
  EXPECT_TRUE(told);
  EXPECT_TRUE(trained);
}

TEST(FitOptions, WhatTheListenerThrowsEndsTheFit) {
  FitOptions options = small_fit({"y"});
  options.on_prepared = [](const FitReport&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(fit(sums_table(50), options), std::runtime_error);
}

}  // namespace
}  // namespace knockout
