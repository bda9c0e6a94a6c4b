// SPDX-License-Identifier: Apache-2.0
#include "experiments/classification_trial.h"

#include <span>

#include <fmt/format.h>

namespace knockout::experiments {
namespace {

using Problem = ClassificationProblem;

double error_rate(const TargetPrediction& prediction, std::span<const double> truth) {
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < truth.size(); ++row) {
    wrong += prediction.best_class(row) != static_cast<std::size_t>(truth[row]);
  }
  return static_cast<double>(wrong) / static_cast<double>(truth.size());
}

}  // namespace

ClassificationRepetition draw_repetition(Problem problem, std::uint64_t seed) {
  ClassificationRepetition drawn;
  drawn.all = draw_classification(problem, seed, kClassificationRows);
  std::vector<std::size_t> training, test;
  for (std::size_t row = 0; row < kClassificationRows; ++row) {
    (row < kClassificationTrainingRows ? training : test).push_back(row);
  }
  drawn.training = drawn.all.take_rows(training);
  drawn.test = drawn.all.take_rows(test);
  for (const std::string& input : kClassificationInputs)
    drawn.bins.push_back(bin_rows(problem, input, drawn.all));
  return drawn;
}

nlohmann::json run_trial(Problem problem, const Method& method, std::uint64_t seed,
                         const std::function<void(double)>& progress) {
  const ClassificationRepetition drawn = draw_repetition(problem, seed);
  const InferredSchema inferred =
      infer_schema(drawn.training, {.targets = {"y"}, .task = Task::kClassification});
  const auto predictor =
      method.fit(drawn.training, inferred, {.seed = seed, .threads = 1, .progress = progress});
  const std::span<const double> truth = drawn.test.at("y").numbers();
  const std::vector<MissingPattern> patterns = {{{}}, {{"x2"}}, {{"x1"}}};
  std::vector<double> errors;
  predictor->predict_patterns(
      drawn.test, patterns,
      [&](std::size_t, const std::vector<TargetPrediction>& predictions) {
        errors.push_back(error_rate(predictions[0], truth));
      },
      {}, 1);
  nlohmann::json marginals = nlohmann::json::array();
  for (const MarginalBins& bins : drawn.bins) {
    const TargetPrediction prediction = predictor->predict(bins_to_table(bins), {}, 1)[0];
    std::vector<double> of_one;
    for (std::size_t row = 0; row < prediction.rows(); ++row) {
      of_one.push_back(prediction.values[2 * row + 1]);
    }
    marginals.push_back(of_one);
  }
  return {{"error", errors[0]}, {"error_with", {errors[1], errors[2]}}, {"marginals", marginals}};
}

ClassificationOutcome outcome_from(const nlohmann::json& json) {
  return {json.at("error").get<double>(), json.at("error_with").get<std::vector<double>>(),
          json.at("marginals").get<std::vector<std::vector<double>>>()};
}

std::vector<ClassificationMeasure> classification_measures() {
  using Outcome = ClassificationOutcome;
  using Repetition = ClassificationRepetition;
  std::vector<ClassificationMeasure> all = {
      {"error", "error (X)", [](const Outcome& o, const Repetition&) { return o.error; }}};
  for (std::size_t i = 0; i < kClassificationInputs.size(); ++i) {
    const std::string input = i == 0 ? "X1" : "X2";
    all.push_back({fmt::format("error_{}", kClassificationInputs[i]),
                   fmt::format("error ({})", input),
                   [i](const Outcome& o, const Repetition&) { return o.error_with[i]; }});
    all.push_back({fmt::format("jsd_{}", kClassificationInputs[i]), fmt::format("jsd ({})", input),
                   [i](const Outcome& o, const Repetition& r) {
                     return jensen_shannon(o.marginals[i], r.bins[i].frequencies);
                   }});
    all.push_back({fmt::format("jsd_paper_{}", kClassificationInputs[i]),
                   fmt::format("jsd_paper ({})", input),
                   [i](const Outcome& o, const Repetition& r) {
                     return jensen_shannon_of_paper(o.marginals[i], r.bins[i].frequencies);
                   }});
  }
  return all;
}

}  // namespace knockout::experiments
