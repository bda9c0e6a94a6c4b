// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/methods/imputed_network.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::numbers;
using test::words;

/// a is standard normal, b = a + noise, y = 2 a + 1 up to a little noise; "kind" says whether a is
/// above 0. Every seventh a is missing, every ninth kind.
Table make_table(std::uint32_t rows, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  std::vector<double> a, b, y;
  std::vector<std::string> kind;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double value = random.normal(0, row, 0);
    a.push_back(row % 7 == 3 ? kGap : value);
    b.push_back(value + 0.5 * random.normal(1, row, 0));
    kind.push_back(row % 9 == 4 ? "" : value > 0 ? "high" : "low");
    y.push_back(2 * value + 1 + 0.1 * random.normal(2, row, 0));
  }
  return Table({numbers("a", a), numbers("b", b), words("kind", kind), numbers("y", y)}, "made");
}

MethodOptions quick() {
  MethodOptions options;
  options.fit.train.hidden = std::vector{32};
  options.fit.train.networks = 1;
  options.fit.train.steps = 800;
  options.impute.trees = 20;
  options.boosting.rounds = 100;
  return options;
}

/// The methods that need no engine beside this one.
std::vector<std::string> native_method_names() {
  std::vector<std::string> names = method_names();
  std::erase_if(names, needs_torch);
  return names;
}

TEST(Methods, ThereIsOneForEveryImputer) {
  const std::vector<std::string> names = method_names();
  for (const ImputerKind kind : imputer_kinds()) {
    const std::string_view name = kind == ImputerKind::kMean ? "common-baseline" : to_string(kind);
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end())
        << "no method of compare fills gaps by " << name;
  }
}

double rmse(std::span<const double> predicted, std::span<const double> truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    sum += (predicted[i] - truth[i]) * (predicted[i] - truth[i]);
  }
  return std::sqrt(sum / static_cast<double>(truth.size()));
}

/// sd(y) is 2: a method that learned nothing has an error of 2.
TEST(Methods, AreFoundByTheNamesThatPagesShow) {
  for (const std::string& name : method_names()) {
    EXPECT_EQ(find_method_name(name), name);
    EXPECT_EQ(find_method_name(method_label(name)), name);
  }
  EXPECT_EQ(find_method_name("xgboost"), "boosting");
  EXPECT_EQ(find_method_name("MISSFOREST"), "missforest");
  try {
    find_method_name("xgbost");
    FAIL();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Did you mean \"XGBoost\"?"), std::string::npos) << text;
    EXPECT_NE(text.find("boosting (XGBoost)"), std::string::npos) << text;
  }
}

TEST(Methods, EveryOneLearnsATableWithGaps) {
  const Table training = make_table(600, 1), test = make_table(300, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  for (const std::string& name : native_method_names()) {
    const auto predictor = make_method(name, quick())->fit(training, inferred, {.seed = 1});
    const auto predicted = predictor->predict(test)[0].values;
    ASSERT_EQ(predicted.size(), 300U) << name;
    // Placeholders that training never showed are answered at random: that is its point.
    if (name == "baseline-xbar") continue;
    EXPECT_LT(rmse(predicted, test.at("y").numbers()), 1.2) << name;
  }
}

TEST(Methods, BaselineWithPlaceholdersIsGoodOnlyWhereNothingIsMissing) {
  const Table training = make_table(600, 1), test = make_table(300, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  const auto predictor =
      make_method("baseline-xbar", quick())->fit(training, inferred, {.seed = 1});
  const Table complete = test.take_rows(complete_rows(test, inferred.schema));
  EXPECT_LT(rmse(predictor->predict(complete)[0].values, complete.at("y").numbers()), 1.0);
  EXPECT_GT(rmse(predictor->predict(test)[0].values, test.at("y").numbers()), 2.0);
}

TEST(Methods, EveryOneAnswersARowThatIsWhollyMissing) {
  const Table training = make_table(300, 1);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  const Table nothing({numbers("a", {kGap}), numbers("b", {kGap}), words("kind", {""})});
  for (const std::string& name : native_method_names()) {
    const auto predictor = make_method(name, quick())->fit(training, inferred, {.seed = 1});
    EXPECT_TRUE(std::isfinite(predictor->predict(nothing)[0].values[0])) << name;
  }
}

TEST(Methods, SameSeedSamePredictions) {
  const Table training = make_table(200, 1), test = make_table(50, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  for (const char* name : {"knockout", "mice", "missforest", "boosting"}) {
    const auto method = make_method(name, quick());
    const auto one = method->fit(training, inferred, {.seed = 4, .threads = 1})->predict(test);
    const auto two = method->fit(training, inferred, {.seed = 4, .threads = 2})->predict(test);
    EXPECT_EQ(one[0].values, two[0].values) << name;
  }
}

TEST(Methods, ClassifyWithProbabilitiesThatSumToOne) {
  const Table training = make_table(400, 1), test = make_table(100, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"kind"}, .ignore = {"y"}});
  for (const char* name : {"knockout", "common-baseline", "boosting"}) {
    const TargetPrediction predicted =
        make_method(name, quick())->fit(training, inferred, {})->predict(test)[0];
    ASSERT_EQ(predicted.width(), 2U);
    std::size_t right = 0;
    for (std::size_t row = 0; row < predicted.rows(); ++row) {
      EXPECT_NEAR(predicted.values[2 * row] + predicted.values[2 * row + 1], 1.0, 1e-6) << name;
      const Column& kind = test.at("kind");
      right += kind.observed(row) &&
               predicted.target.classes[predicted.best_class(row)] == kind.word(row);
    }
    EXPECT_GT(right, 70U) << name;
  }
}

TEST(Methods, UnknownNameSuggestsTheNearest) {
  try {
    make_method("missforrest", {});
    FAIL() << "expected a ConfigError";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("\"missforest\"?"), std::string::npos);
  }
}

TEST(Methods, ThoseOnLibTorchSayHowToGetIt) {
  for (const std::string& name : torch_method_names()) {
    EXPECT_FALSE(method_description(name).empty()) << "the help lists it all the same";
    const std::string message = test::message_of<ConfigError>([&] { make_method(name, quick()); });
    EXPECT_TRUE(test::contains(message, "\"" + name + "\" needs the LibTorch engine")) << message;
    EXPECT_TRUE(test::contains(message, "libtorch-dev")) << message;
  }
}

TEST(Methods, ThoseOnLibTorchComeFromTheMakerTheyAreGiven) {
  MethodOptions options = quick();
  std::vector<std::string> asked;
  options.torch_methods = [&](const std::string& name, const MethodOptions&) {
    asked.push_back(name);
    return make_method("linear", quick());
  };
  EXPECT_EQ(make_method("supmiwae", options)->name(), "linear");
  EXPECT_EQ(make_method("mice", options)->name(), "mice");
  EXPECT_EQ(asked, std::vector<std::string>{"supmiwae"});
}

TEST(ImputedNetwork, CompleteCasesAreTheRowsWithoutGaps) {
  const Table table({numbers("a", {1, kGap, 3, 4}), words("b", {"x", "y", "", "z"})});
  Schema schema;
  schema.features = {{.name = "a"}, {.name = "b", .kind = ColumnKind::kCategorical}};
  EXPECT_EQ(complete_rows(table, schema), (std::vector<std::size_t>{0, 3}));
}

TEST(ImputedNetwork, CompleteCasesSayWhenThereAreTooFew) {
  std::vector<double> a(40, kGap), y(40);
  for (std::size_t row = 0; row < 5; ++row) a[row] = static_cast<double>(row);
  std::iota(y.begin(), y.end(), 0.0);
  const Table table({numbers("a", a), numbers("y", y)}, "made");
  const InferredSchema inferred = infer_schema(table, {.targets = {"y"}, .continuous = {"a"}});
  EXPECT_THROW(make_method("complete-case", quick())->fit(table, inferred, {}), DataError);
}

TEST(Marginals, RefuseMorePatternsThanAllowed) {
  MethodOptions options = quick();
  options.fit.train.steps = 20;
  options.most_marginals = 2;
  const Table training = make_table(100, 1);
  const auto predictor = make_method("marginals", options)
                             ->fit(training, infer_schema(training, {.targets = {"y"}}), {});
  const Table two({numbers("a", {1, kGap}), numbers("b", {1, 2}), words("kind", {"low", "low"})});
  EXPECT_EQ(predictor->predict(two)[0].values.size(), 2U);
  const Table third({numbers("a", {1}), numbers("b", {kGap}), words("kind", {"low"})});
  EXPECT_THROW(predictor->predict(third), DataError);
}

/// With a group declared, "features" knocks its columns out one by one: the unit names tell.
TEST(Methods, FeaturesDissolvesGroups) {
  const Table training = make_table(100, 1);
  MethodOptions options = quick();
  options.fit.train.steps = 20;
  const InferredSchema inferred =
      infer_schema(training, {.targets = {"y"}, .groups = {{"both", {"a", "b"}}}});
  const auto units = [&](const char* name) {
    const auto predictor = make_method(name, options)->fit(training, inferred, {});
    return dynamic_cast<const Model&>(*predictor).encoder().units().size();
  };
  EXPECT_EQ(units("knockout"), 2U);
  EXPECT_EQ(units("knockout-features"), 3U);
}

}  // namespace
}  // namespace knockout
