// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/load_model.h"

namespace knockout {
namespace {

/// Fruit: the colour decides the kind unless it is missing; the weight helps; gaps here and there.
std::string fruit_csv(int rows) {
  const Random random(2, Stream::kSimulation);
  std::ostringstream csv;
  csv << "weight,colour,price,kind\n";
  for (int r = 0; r < rows; ++r) {
    const bool apple = random.uniform(0, r, 0) < 0.7;
    const double weight = (apple ? 150 : 120) + 10 * random.normal(0, r, 1);
    if (random.uniform(0, r, 2) < 0.1) {
      csv << ",";
    } else {
      csv << weight << ",";
    }
    csv << (random.uniform(0, r, 3) < 0.1 ? ""
            : apple                       ? "red"
                                          : "yellow")
        << "," << 0.01 * weight << "," << (apple ? "apple" : "banana") << "\n";
  }
  return csv.str();
}

FitOptions quick_options(std::vector<std::string> targets) {
  FitOptions options;
  options.schema.targets = std::move(targets);
  options.train.hidden = std::vector{24};
  options.train.networks = 2;
  options.train.steps = 1000;
  options.train.seed = 3;
  return options;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(Fit, TakesOneTargetByItsName) {
  const Table table = read_csv_text(fruit_csv(200), "fruit.csv");
  FitOptions options = quick_options({"kind"});
  options.train.steps = 50;
  const std::string expected = fit(table, options).model.to_bytes();
  options.schema.targets = {"price"};  // the name that is given counts
  EXPECT_EQ(fit(table, "kind", options).model.to_bytes(), expected);
  EXPECT_THROW(fit(table, "knid", options), ConfigError);
}

TEST(Fit, RefusesATrainingBeyondTheMemoryBeforeItTakesAny) {
  const Table table = read_csv_text(fruit_csv(60), "fruit.csv");
  FitOptions options = quick_options({"kind"});
  options.train.hidden = std::vector<int>{65536, 65536};
  options.limits.max_memory = 8;
  bool prepared = false;
  options.on_prepared = [&](const FitReport&) { prepared = true; };
  EXPECT_THROW(fit(table, options), ConfigError);
  EXPECT_FALSE(prepared);
}

TEST(Fit, SaysWhatManyNetworksCost) {
  const Table table = read_csv_text(fruit_csv(60), "fruit.csv");
  FitOptions options = quick_options({"kind"});
  std::string cost;
  struct Enough {};
  options.on_prepared = [&](const FitReport& report) {
    cost = report.cost;
    throw Enough();
  };
  EXPECT_THROW(fit(table, options), Enough);
  EXPECT_EQ(cost, "");
  options.train.networks = 1000;
  EXPECT_THROW(fit(table, options), Enough);
  EXPECT_NE(cost.find("1,000 networks of "), std::string::npos) << cost;
  EXPECT_NE(cost.find("of memory"), std::string::npos) << cost;
}

TEST(Fit, ClassifiesWithAnyInputMissing) {
  const Table table = read_csv_text(fruit_csv(600), "fruit.csv");
  const FitResult fitted = fit(table, quick_options({"kind"}));
  const auto probability = [&](const std::string& csv) {
    return fitted.model.predict(read_csv_text(csv, "new.csv"))[0].values[0];  // of "apple"
  };
  EXPECT_GT(probability("weight,colour,price\n150,red,1.5\n"), 0.95);
  EXPECT_LT(probability("weight,colour,price\n120,yellow,1.2\n"), 0.05);
  EXPECT_GT(probability("colour\nred\n"), 0.9);
  EXPECT_LT(probability("colour\nyellow\n"), 0.1);
  EXPECT_NEAR(probability("nothing\n1\n"), 0.7, 0.1) << "an all-missing row gets the base rate";
}

TEST(Fit, PredictsForTablesMadeInMemoryWhatItPredictsForTheirFiles) {
  FitResult fitted = fit(read_csv_text(fruit_csv(300), "fruit.csv"), quick_options({"kind"}));
  const std::vector<double> expected =
      fitted.model
          .predict(read_csv_text("weight,colour,price\n150,red,1.5\n,,1.2\n120,yellow,inf\n,,\n",
                                 "new.csv"))[0]
          .values;
  const Column weight = Column::numbers("weight", {150, NAN, 120, NAN});
  const Column price = Column::numbers("price", {1.5, 1.2, INFINITY, NAN});
  const Column colour = Column::words("colour", {"red", {}, "yellow", {}});
  EXPECT_EQ(fitted.model.predict(Table({weight, colour, price}))[0].values, expected);
  // Numbers as words, words that no cell uses, rubbish below the mask.
  const Column spelled = Column::words("weight", {"150", {}, "120.0", {}});
  const Column coded = Column::coded(
      "colour", {2, 99, 1, -7}, {"green", "yellow", "red"},
      {CellState::kObserved, CellState::kMissing, CellState::kObserved, CellState::kMissing});
  EXPECT_EQ(fitted.model.predict(Table({price, coded, spelled}))[0].values, expected);
  EXPECT_EQ(fitted.model.predict(Table({Column::missing("colour", 4), weight}))[0].values,
            fitted.model.predict(read_csv_text("weight,colour\n150,\n,\n120,\n,\n", "new.csv"))[0]
                .values);
  // The wrong kind of cell says nothing, or is told, and is never read past its end.
  const std::vector<double> nothing =
      fitted.model.predict(Table({Column::missing("weight", 1)}))[0].values;
  EXPECT_EQ(fitted.model.predict(Table({Column::words("weight", {"heavy"})}))[0].values, nothing);
  fitted.model.set_unseen_category(UnseenCategory::kError);
  EXPECT_THROW(fitted.model.predict(Table({Column::words("weight", {"heavy"})})), DataError);
  EXPECT_THROW(fitted.model.predict(Table({Column::numbers("colour", {1})})), DataError);
  EXPECT_TRUE(fitted.model.predict(Table({Column::numbers("weight", {})}))[0].values.empty());
}

TEST(Fit, LearnsSeveralTargetsAtOnceWithMissingLabels) {
  std::string csv = fruit_csv(600);
  Table table = read_csv_text(csv, "fruit.csv");
  Column price = table.at("price");
  for (std::size_t r = 0; r < price.size(); r += 3) price.set_missing(r);
  table.replace_column(std::move(price));
  const FitResult fitted = fit(table, quick_options({"kind", "price"}));
  const auto predictions =
      fitted.model.predict(read_csv_text("weight,colour\n150,red\n120,yellow\n", "new.csv"));
  ASSERT_EQ(predictions.size(), 2u);
  for (const TargetPrediction& prediction : predictions) {
    if (prediction.target.name == "kind") {
      EXPECT_GT(prediction.values[0], 0.9) << "apple";
    } else {
      EXPECT_NEAR(prediction.values[0], 1.50, 0.08);
      EXPECT_NEAR(prediction.values[1], 1.20, 0.08);
    }
  }
}

/// Labels far from 0 and far apart: a network that learned their Z-scores is quickly near them, one
/// that learns them as they are starts at 0 and has a long way to go.
TEST(Fit, LearnsNumbersAsTheyAreOnlyWhereAsked) {
  const Table table =
      read_csv_text("a,y\n1,100\n2,110\n3,120\n4,130\n5,140\n6,150\n7,160\n8,170\n", "numbers.csv");
  FitOptions options = quick_options({"y"});
  options.schema.task = Task::kRegression;
  options.train.steps = 1;
  options.train.validation_share = 0;
  for (const bool raw : {false, true}) {
    options.raw_targets = raw;
    const Model model = fit(table, options).model;
    EXPECT_EQ(model.targets()[0].mean, raw ? 0.0 : 135.0);
    EXPECT_EQ(model.targets()[0].stddev == 1.0, raw);
    EXPECT_NEAR(model.predict(table)[0].values[3], raw ? 0.0 : 135.0, 30.0);
  }
}

TEST(Fit, ShiftsTowardsTheClassThatCountsMore) {
  const Table table = read_csv_text(fruit_csv(600), "fruit.csv");
  FitOptions options = quick_options({"kind"});
  options.class_weights = BalancedClasses{};
  const FitResult fitted = fit(table, options);
  EXPECT_NEAR(fitted.model.predict(read_csv_text("nothing\n1\n", "new.csv"))[0].values[0], 0.5,
              0.1);
}

TEST(Fit, RefusesWeightsOfUnknownClasses) {
  const Table table = read_csv_text(fruit_csv(100), "fruit.csv");
  FitOptions options = quick_options({"kind"});
  options.class_weights = std::map<std::string, double>{{"aple", 2}};
  try {
    fit(table, options);
    FAIL() << "an unknown class was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"apple\"?"), std::string::npos)
        << error.what();
  }
}

TEST(Fit, CountsSampleWeights) {
  // Two groups that contradict each other: the one with the weight wins.
  std::ostringstream csv;
  csv << "x,w,y\n";
  for (int r = 0; r < 400; ++r)
    csv << r % 7 << "," << (r % 2 == 0 ? 1 : 0.01) << "," << (r % 2 == 0 ? 5.0 : -5.0) + 0.001 * r
        << "\n";
  FitOptions options = quick_options({"y"});
  options.schema.weight_column = "w";
  const FitResult fitted = fit(read_csv_text(csv.str(), "w.csv"), options);
  EXPECT_NEAR(fitted.model.predict(read_csv_text("x\n3\n", "new.csv"))[0].values[0], 5.0, 0.5);
}

TEST(Fit, EmbedsCategoriesOfManyValues) {
  std::ostringstream csv;
  csv << "code,y\n";
  for (int r = 0; r < 3000; ++r)
    csv << "c" << r % 60 << "," << (r % 60 < 30 ? -1.0 : 1.0) + 0.0001 * r << "\n";
  FitOptions options = quick_options({"y"});
  options.encode.max_one_hot = 10;
  const FitResult fitted = fit(read_csv_text(csv.str(), "codes.csv"), options);
  ASSERT_EQ(fitted.model.encoder().embedded().size(), 1u);
  const auto values =
      fitted.model.predict(read_csv_text("code\nc5\nc45\n\"\"\n", "new.csv"))[0].values;
  EXPECT_LT(values[0], -0.5);
  EXPECT_GT(values[1], 1.0);
  EXPECT_NEAR(values[2], 0.15, 0.4) << "a missing code gets the mean";
}

TEST(Fit, KnocksOutWhatTheReferenceShows) {
  const Table table = read_csv_text(fruit_csv(200), "fruit.csv");
  FitOptions options = quick_options({"kind"});
  options.expect_missing =
      read_csv_text("weight,colour,price\n150,,1\n,,2\n150,red,\n", "reference.csv");
  options.train.steps = 20;
  const FitResult fitted = fit(table, options);
  const auto& units = fitted.model.encoder().units();
  std::map<std::string, double> share;  // by what goes missing together
  for (const auto& part : fitted.model.plan().parts) {
    double all = 0;
    for (const auto& pattern : part.patterns) all += pattern.weight;
    for (const auto& pattern : part.patterns) {
      std::string names;
      for (const int unit : pattern.missing_units) names += units[unit].name + ' ';
      share[names] += part.weight * pattern.weight / all;
    }
    if (part.patterns.empty()) {
      for (const double rate : part.unit_rates) EXPECT_EQ(rate, 0.0);
      share[""] += part.weight;
    }
  }
  // A third of the reference's rows each, and the share of complete rows that is mixed in.
  ASSERT_EQ(share.size(), 4u);
  EXPECT_NEAR(share["colour "], 0.7 / 3, 1e-12);
  EXPECT_NEAR(share["weight colour "], 0.7 / 3, 1e-12);
  EXPECT_NEAR(share["price "], 0.7 / 3, 1e-12);
  EXPECT_NEAR(share[""], 0.3, 1e-12);
}

TEST(FittedModel, TakesAnotherPolicyForUnseenCategories) {
  FitOptions options = quick_options({"kind"});
  options.train.steps = 50;
  options.schema.unseen_category = UnseenCategory::kError;
  Model model = fit(read_csv_text(fruit_csv(200), "fruit.csv"), options).model;
  const Table blue = read_csv_text("weight,colour\n130,blue\n", "new.csv");
  const Table absent = read_csv_text("weight\n130\n", "new.csv");
  EXPECT_THROW(model.predict(blue), DataError);
  model.set_unseen_category(UnseenCategory::kMissing);
  EXPECT_EQ(model.predict(blue)[0].values, model.predict(absent)[0].values);
  EXPECT_EQ(model_from_bytes(model.to_bytes()).schema().unseen_category, UnseenCategory::kMissing);
  model.set_unseen_category(UnseenCategory::kError);
  EXPECT_THROW(model.predict(blue), DataError);
}

TEST(FittedModel, PredictsTheSameAfterSavingAndLoading) {
  const Table table = read_csv_text(fruit_csv(300), "fruit.csv");
  const FitResult fitted = fit(table, quick_options({"kind", "price"}));
  const std::string path = temporary("round_trip.safetensors");
  fitted.model.save(path);
  const Model loaded = load_model(path);
  const auto before = fitted.model.predict(table), after = loaded.predict(table);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t t = 0; t < before.size(); ++t) EXPECT_EQ(before[t].values, after[t].values);
  std::filesystem::remove(path);
}

TEST(FittedModel, HasTheSameBytesForAnyNumberOfThreads) {
  const Table table = read_csv_text(fruit_csv(300), "fruit.csv");
  std::string first;
  for (const int threads : {1, 2, 3, 8}) {
    FitOptions options = quick_options({"kind"});
    options.train.steps = 60;
    options.train.threads = threads;
    const std::string path = temporary("threads.safetensors");
    fit(table, options).model.save(path);
    if (first.empty()) first = bytes_of(path);
    EXPECT_EQ(bytes_of(path), first) << threads << " threads";
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace knockout
