// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression_study.h"

#include <fmt/format.h>

#include <chrono>
#include <span>
#include <utility>

#include "knockout/base/clock.h"
#include "knockout/eval/patterns.h"
#include "knockout/mask/ampute.h"

namespace knockout::experiments {
namespace {

double mean_squared_difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

Table training_table(const GaussianProblem& problem, std::uint64_t seed, TrainingKind kind,
                     std::size_t rows) {
  Table complete = draw_rows(problem, seed, 0, rows);
  if (kind == TrainingKind::kComplete) return complete;
  return ampute(complete,
                {.mechanism = kind == TrainingKind::kMcar ? Mechanism::kMcar : Mechanism::kMnar,
                 .rate = 0.1,
                 .keep = {"y"},
                 .seed = seed});
}

/// Test rows are drawn after all training rows that any study takes.
constexpr std::size_t kFirstTestRow = 15000;

struct Patterns {
  std::vector<std::vector<int>> inputs;
  std::vector<MissingPattern> columns;
  std::vector<double> per_size;  ///< How many there are of each size.
};

Patterns hidden_inputs(int inputs, int most_missing) {
  Patterns patterns;
  for (int size = 0; size <= most_missing; ++size) {
    const auto of_size =
        all_combinations(static_cast<std::size_t>(inputs), static_cast<std::size_t>(size));
    patterns.per_size.push_back(static_cast<double>(of_size.size()));
    for (const Combination& combination : of_size) {
      const std::vector<int> pattern(combination.begin(), combination.end());
      patterns.inputs.push_back(pattern);
      patterns.columns.emplace_back();
      for (const int input : pattern) {
        patterns.columns.back().columns.push_back(fmt::format("x{}", input + 1));
      }
    }
  }
  return patterns;
}

nlohmann::json run_arm(const RegressionDesign& design, const Arm& arm, TrainingKind kind,
                       std::size_t training_rows, int repetition,
                       const std::function<void(double)>& progress) {
  const std::uint64_t seed = repetition_seed(design.seed, repetition);
  const GaussianProblem problem = draw_problem(seed);
  const auto shown = [&](Table table) {
    return arm.prepare ? arm.prepare(table, problem) : std::move(table);
  };
  const Table training = shown(training_table(problem, seed, kind, training_rows));
  const Table test =
      draw_rows(problem, seed, kFirstTestRow, arm.slow ? design.slow_test_rows : design.test_rows);
  SchemaOptions schema{.targets = {"y"}};
  if (kind == TrainingKind::kMcar) schema.missing_at_random = {"all"};

  auto start = std::chrono::steady_clock::now();
  const auto predictor = arm.method->fit(
      training, infer_schema(training, schema),
      {.seed = seed, .threads = 1, .progress = [&](double share) { progress(0.5 * share); }});
  const double fit_seconds = seconds_since(start);

  const Patterns patterns = hidden_inputs(problem.inputs(), design.most_missing);
  std::vector<double> against_bayes(patterns.per_size.size(), 0.0), against_y = against_bayes;
  const std::span<const double> truth = test.at("y").numbers();
  double scoring_seconds = 0;
  start = std::chrono::steady_clock::now();
  predictor->predict_patterns(
      shown(test), patterns.columns,
      [&](std::size_t p, const std::vector<TargetPrediction>& predictions) {
        const auto received = std::chrono::steady_clock::now();
        const std::size_t size = patterns.inputs[p].size();
        const std::vector<double>& predicted = predictions[0].values;
        against_bayes[size] += mean_squared_difference(
            predicted, bayes_predictions(problem, test, patterns.inputs[p]));
        against_y[size] += mean_squared_difference(predicted, truth);
        progress(0.5 +
                 0.5 * static_cast<double>(p + 1) / static_cast<double>(patterns.columns.size()));
        scoring_seconds += seconds_since(received);
      },
      // The patterns are chosen without looking at the values: missing completely at random.
      {.missing_at_random = {"all"}}, 1);
  const double predict_seconds = seconds_since(start) - scoring_seconds;
  for (std::size_t size = 0; size < against_y.size(); ++size) {
    against_bayes[size] /= patterns.per_size[size];
    against_y[size] /= patterns.per_size[size];
  }
  return {{"bayes", against_bayes},
          {"y", against_y},
          {"fit_seconds", fit_seconds},
          {"predict_seconds", predict_seconds}};
}

nlohmann::json run_bayes(const RegressionDesign& design, int repetition) {
  const std::uint64_t seed = repetition_seed(design.seed, repetition);
  const GaussianProblem problem = draw_problem(seed);
  const Table test = draw_rows(problem, seed, kFirstTestRow, design.test_rows);
  const Patterns patterns = hidden_inputs(problem.inputs(), design.most_missing);
  std::vector<double> errors(patterns.per_size.size(), 0.0);
  for (const auto& pattern : patterns.inputs) {
    errors[pattern.size()] +=
        mean_squared_difference(bayes_predictions(problem, test, pattern), test.at("y").numbers()) /
        patterns.per_size[pattern.size()];
  }
  return errors;
}

ArmErrors errors_from(const nlohmann::json& json) {
  return {json.at("bayes").get<std::vector<double>>(), json.at("y").get<std::vector<double>>(),
          json.at("fit_seconds").get<double>(), json.at("predict_seconds").get<double>()};
}

}  // namespace

std::string_view to_string(TrainingKind kind) {
  switch (kind) {
    case TrainingKind::kComplete:
      return "complete";
    case TrainingKind::kMcar:
      return "mcar";
    case TrainingKind::kMnar:
      return "mnar";
  }
  return "";
}

RegressionErrors run_regression(const RegressionDesign& design, Journal& journal,
                                const StudyContext& run) {
  std::vector<Job> jobs;
  jobs.reserve(static_cast<std::size_t>(design.repetitions));
  for (int repetition = 0; repetition < design.repetitions; ++repetition) {
    jobs.push_back({fmt::format("best possible, repetition {}", repetition + 1),
                    [&design, repetition](const auto&) { return run_bayes(design, repetition); }});
  }
  // Repetition by repetition: an interrupted run has whole ones.
  for (int repetition = 0; repetition < design.repetitions; ++repetition) {
    for (const TrainingKind kind : design.kinds) {
      for (const std::size_t rows : design.training_rows) {
        for (const Arm& arm : design.arms) {
          jobs.push_back({fmt::format("{}, {}, {} rows, repetition {}", arm.method->name(),
                                      to_string(kind), rows, repetition + 1),
                          [&design, &arm, kind, rows, repetition](const auto& progress) {
                            return run_arm(design, arm, kind, rows, repetition, progress);
                          }});
        }
      }
    }
  }
  const std::vector<nlohmann::json> results = run_jobs(jobs, journal, run);

  RegressionErrors errors;
  std::size_t next = 0;
  for (int repetition = 0; repetition < design.repetitions; ++repetition) {
    errors.bayes_against_y.push_back(results[next++].get<std::vector<double>>());
  }
  const std::vector<std::vector<ArmErrors>> arms(design.arms.size());
  errors.of.assign(design.kinds.size(), {design.training_rows.size(), arms});
  for (int repetition = 0; repetition < design.repetitions; ++repetition) {
    for (auto& of_kind : errors.of) {
      for (auto& of_rows : of_kind) {
        for (auto& of_arm : of_rows) of_arm.push_back(errors_from(results[next++]));
      }
    }
  }
  return errors;
}

}  // namespace knockout::experiments
