// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/miwae.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <stop_token>
#include <thread>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/nn/generative/miwae_training.h"
#include "knockout/schema/test_columns.h"

namespace knockout::nn {
namespace {

using test::kGap;
using test::numbers;
using test::words;

MiwaeOptions quick() {
  return {.latent = 2,
          .hidden = 16,
          .training_samples = 5,
          .prediction_samples = 50,
          .steps = 400,
          .batch_rows = 64,
          .learning_rate = 1e-2,
          .predictor_hidden = {16}};
}

/// u is standard normal; a, b and c are u plus noise of deviation 0.5; kind says whether u is above
/// 0; y = 2 u + 1. Every seventh a is missing, every ninth kind, every eleventh y.
Table make_table(std::uint32_t rows, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  std::vector<double> a, b, c, y;
  std::vector<std::string> kind;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double u = random.normal(0, row, 0);
    a.push_back(row % 7 == 3 ? kGap : u + 0.5 * random.normal(1, row, 0));
    b.push_back(u + 0.5 * random.normal(2, row, 0));
    c.push_back(u + 0.5 * random.normal(3, row, 0));
    kind.push_back(row % 9 == 4 ? "" : u > 0 ? "high" : "low");
    y.push_back(row % 11 == 5 ? kGap : 2 * u + 1);
  }
  return Table(
      {numbers("a", a), numbers("b", b), numbers("c", c), words("kind", kind), numbers("y", y)},
      "made");
}

std::vector<std::unique_ptr<Method>> both() {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_miwae(quick()));
  methods.push_back(make_supmiwae(quick()));
  return methods;
}

/// Root mean squared difference over the rows that have a label.
double rmse(const std::vector<double>& predicted, const Column& truth) {
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < predicted.size(); ++row) {
    if (!truth.observed(row)) continue;
    sum += std::pow(predicted[row] - truth.number(row), 2);
    ++count;
  }
  return std::sqrt(sum / count);
}

/// a, b and c have variance 1.25 and covariances 1, so that E[a | b, c] = 4/9 (b + c), in their own
/// units as in standard deviations. Mean imputation answers 0.
TEST(Miwae, FillsGapsWithNearlyTheConditionalExpectation) {
  const Table training = make_table(800, 1);
  SchemaOptions options{.targets = {"y"}, .ignore = {"kind"}};
  options.missing_at_random = {"all"};
  const Schema schema = infer_schema(training, options).schema;
  const MaskedInputs inputs(training, schema);
  MiwaeOptions longer = quick();
  longer.steps = 800;
  const MiwaeModel model = train_miwae(training, schema, inputs, false, longer, {.seed = 1});

  const MaskedRows test = inputs.encode(make_table(300, 2), 1);
  const torch::NoGradGuard no_gradients;
  torch::Tensor values = as_tensor(test.values, 300, 3).clone();
  torch::Tensor observed = as_tensor(test.observed, 300, 3).clone();
  values.select(1, 0).zero_();
  observed.select(1, 0).zero_();
  const torch::Tensor filled = model.fill(values, observed);
  EXPECT_TRUE(torch::equal(filled.narrow(1, 1, 2), values.narrow(1, 1, 2)))
      << "observed cells stay";
  const torch::Tensor exact = (values.select(1, 1) + values.select(1, 2)) * (4.0 / 9);
  const double error = (filled.select(1, 0) - exact).square().mean().sqrt().item<float>();
  const double of_mean = exact.square().mean().sqrt().item<float>();
  EXPECT_GT(of_mean, 0.7);
  EXPECT_LT(error, 0.25 * of_mean);
}

/// sd(y) is 2: a method that learned nothing has an error of 2.
TEST(Miwae, BothLearnATableWithGapsInInputsAndLabels) {
  const Table training = make_table(600, 1), test = make_table(300, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  for (const auto& method : both()) {
    const auto predictor = method->fit(training, inferred, {.seed = 1});
    EXPECT_LT(rmse(predictor->predict(test)[0].values, test.at("y")), 0.9) << method->name();
    const Table hidden = hide_columns(test, std::vector<std::string>{"a", "kind"});
    EXPECT_LT(rmse(predictor->predict(hidden)[0].values, test.at("y")), 1.1) << method->name();
  }
}

TEST(Miwae, BothAnswerARowThatIsWhollyMissing) {
  const Table training = make_table(200, 1);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  const Table nothing({numbers("a", {kGap}), words("kind", {""})});
  for (const auto& method : both()) {
    const auto predictor = method->fit(training, inferred, {.seed = 1});
    // The labels have mean 1 and deviation 2.
    EXPECT_NEAR(predictor->predict(nothing)[0].values[0], 1.0, 2.0) << method->name();
  }
}

TEST(Miwae, PredictionsDoNotDependOnThreadsOrOnTrainingsAtTheSameTime) {
  const Table training = make_table(150, 1), test = make_table(70, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  MiwaeOptions options = quick();
  options.steps = 40;
  for (const bool supervised : {false, true}) {
    const auto method = supervised ? make_supmiwae(options) : make_miwae(options);
    const auto answers = [&](std::uint64_t seed, int threads) {
      return method->fit(training, inferred, {.seed = seed, .threads = threads})
          ->predict(test, {}, threads)[0]
          .values;
    };
    const std::vector<double> alone = answers(4, 1);
    EXPECT_EQ(alone, answers(4, 2));
    std::vector<double> first, second;
    {
      const std::jthread one([&] { first = answers(4, 1); });
      const std::jthread two([&] { second = answers(5, 1); });
    }
    EXPECT_EQ(first, alone);
    EXPECT_NE(second, alone) << "another seed";
    EXPECT_EQ(second, answers(5, 1));
  }
}

/// To the bit, whatever the kernels: run under several values of OPENBLAS_CORETYPE and
/// ATEN_CPU_CAPABILITY.
TEST(Miwae, ARowIsAnsweredAloneAsAmongOthers) {
  const Table training = make_table(150, 1), test = make_table(80, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"kind", "y"}});
  MiwaeOptions options = quick();
  options.latent = 3;
  options.hidden = 37;  // no multiple of what kernels take at once
  options.steps = 20;
  options.predictor_hidden = {19};
  for (const int samples : {5, 50, 100}) {
    options.prediction_samples = samples;
    for (const bool supervised : {false, true}) {
      const auto predictor = (supervised ? make_supmiwae(options) : make_miwae(options))
                                 ->fit(training, inferred, {.seed = 3, .threads = 1});
      const auto all = predictor->predict(test, {}, 2);
      for (std::size_t row = 0; row < test.rows(); ++row) {
        const auto alone = predictor->predict(test.take_rows({row}), {}, 1);
        for (std::size_t t = 0; t < all.size(); ++t) {
          const auto first =
              all[t].values.begin() + static_cast<std::ptrdiff_t>(row * all[t].width());
          const std::vector<double> among_others(
              first, first + static_cast<std::ptrdiff_t>(all[t].width()));
          EXPECT_EQ(alone[t].values, among_others) << row << ' ' << samples << ' ' << supervised;
        }
      }
    }
  }
}

TEST(Miwae, AFitThatWasCancelledGoesOnToTheSamePredictor) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("knockout_miwae_" + std::to_string(::getpid()));
  const Table training = make_table(150, 1), test = make_table(70, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  for (const bool supervised : {false, true}) {
    MiwaeOptions options = quick();
    options.steps = 800;  // long enough for a report on the way, and for checkpoints
    const auto method = [&] { return supervised ? make_supmiwae(options) : make_miwae(options); };
    const auto undisturbed = method()->fit(training, inferred, {.seed = 4})->predict(test);

    options.checkpoint_folder = folder.string();
    // MIWAE once in each of its two trainings.
    const std::vector<double> shares = supervised ? std::vector{0.0} : std::vector{0.0, 0.601};
    for (const double share : shares) {
      std::stop_source source;
      EXPECT_THROW(method()->fit(training, inferred,
                                 {.seed = 4,
                                  .progress =
                                      [&](double done) {
                                        if (done >= share) source.request_stop();
                                      },
                                  .stop = source.get_token()}),
                   Cancelled)
          << share;
    }
    const auto resumed = method()->fit(training, inferred, {.seed = 4})->predict(test);
    EXPECT_EQ(resumed[0].values, undisturbed[0].values) << supervised;
    std::filesystem::remove_all(folder);
  }
}

TEST(Miwae, LeavesTheHostsThreadsAndRandomNumbersAsTheyWere) {
  const Table training = make_table(150, 1), test = make_table(70, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"y"}});
  MiwaeOptions options = quick();
  options.steps = 5;
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  const auto state = [] { return at::globalContext().defaultGenerator(torch::kCPU).get_state(); };
  const torch::Tensor random = state();
  const auto predictor = make_miwae(options)->fit(training, inferred, {.threads = 2});
  predictor->predict(test, {}, 2);
  EXPECT_EQ(at::get_num_threads(), 3);
  EXPECT_TRUE(torch::GradMode::is_enabled());
  EXPECT_TRUE(torch::equal(state(), random));
  at::set_num_threads(before);
}

TEST(Miwae, BothClassifyAndTakeSeveralTargets) {
  const Table training = make_table(500, 1), test = make_table(200, 2);
  const InferredSchema inferred = infer_schema(training, {.targets = {"kind", "y"}});
  for (const auto& method : both()) {
    const auto predictions = method->fit(training, inferred, {})->predict(test);
    ASSERT_EQ(predictions.size(), 2U);
    for (const TargetPrediction& prediction : predictions) {
      if (prediction.target.task == Task::kRegression) {
        EXPECT_LT(rmse(prediction.values, test.at("y")), 1.0) << method->name();
        continue;
      }
      const Column& kind = test.at("kind");
      std::size_t right = 0, labelled = 0;
      for (std::size_t row = 0; row < prediction.rows(); ++row) {
        EXPECT_NEAR(prediction.values[2 * row] + prediction.values[2 * row + 1], 1.0, 1e-5);
        if (!kind.observed(row)) continue;
        ++labelled;
        right += prediction.target.classes[prediction.best_class(row)] == kind.word(row);
      }
      EXPECT_GT(static_cast<double>(right), 0.8 * static_cast<double>(labelled)) << method->name();
    }
  }
}

TEST(Miwae, WorksWithCategoriesAlone) {
  const Table training = make_table(300, 1);
  const InferredSchema inferred =
      infer_schema(training, {.targets = {"y"}, .ignore = {"a", "b", "c"}});
  for (const auto& method : both()) {
    const auto predicted = method->fit(training, inferred, {})->predict(training)[0].values;
    // Knowing the sign of u leaves 0.6 of its deviation.
    EXPECT_LT(rmse(predicted, training.at("y")), 1.6) << method->name();
  }
}

/// Two rows, one target of each kind, labels and weights by hand.
TEST(LogLikelihood, SumsSquaredErrorsAndLogProbabilities) {
  const std::vector<TargetOutputs> targets = {
      {.target = {.name = "y"}},
      {.target = {.name = "c", .task = Task::kClassification, .classes = {"no", "yes"}},
       .begin = 1,
       .width = 2}};
  const torch::Tensor outputs =
      torch::tensor({{{1.0F, 0.0F, 0.0F}}, {{3.0F, 0.0F, std::log(3.0F)}}});
  const torch::Tensor labels = torch::tensor({{3.0F, 0.0F}, {2.0F, 1.0F}});
  const torch::Tensor weights = torch::tensor({{1.0F, 1.0F}, {0.0F, 2.0F}});
  const torch::Tensor found = log_likelihood(outputs, targets, labels, weights);
  EXPECT_NEAR(found[0][0].item<float>(), -4 + std::log(0.5), 1e-6);
  EXPECT_NEAR(found[1][0].item<float>(), 2 * std::log(0.75), 1e-6);
}

}  // namespace
}  // namespace knockout::nn
