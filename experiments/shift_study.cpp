// SPDX-License-Identifier: Apache-2.0
#include "experiments/shift_study.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "experiments/regression_data.h"
#include "knockout/methods/methods.h"

namespace knockout::experiments {
namespace {

/// Where the rows of each purpose begin in the endless table of a repetition.
constexpr std::size_t kShiftedTestRow = 100'000, kFirstExpectedRow = 200'000;
constexpr std::size_t kExpectedRows = 1000;

MethodOptions shift_methods(const ShiftDesign& design) {
  MethodOptions options;
  options.fit.train.hidden = {100, 100};
  options.fit.train.networks = 1;
  options.fit.train.batch_rows = 256;
  options.fit.train.steps = design.steps;
  options.fit.train.learning_rate = 3e-3;
  options.fit.train.weight_decay = 0;
  options.fit.train.validation_share = 0;
  return options;
}

/// Three blocks of three inputs, for whole blocks that go missing. Methods are not told of them.
Schema schema_with_blocks(const Table& table) {
  SchemaOptions options{.targets = {"y"}};
  for (int block = 0; block < 3; ++block) {
    std::vector<std::string> columns;
    for (int i = 1; i <= 3; ++i) columns.push_back(fmt::format("x{}", 3 * block + i));
    options.groups.push_back({fmt::format("block{}", block + 1), columns});
  }
  return infer_schema(table, options).schema;
}

double relative_loss(const std::vector<double>& predicted, std::span<const double> truth) {
  double sum = 0, errors = 0, squares = 0;
  const auto count = static_cast<double>(truth.size());
  for (std::size_t row = 0; row < truth.size(); ++row) {
    sum += truth[row];
    errors += (predicted[row] - truth[row]) * (predicted[row] - truth[row]);
  }
  for (const double value : truth) squares += (value - sum / count) * (value - sum / count);
  return std::sqrt(errors / squares);
}

/// The losses of one arm, trained once, under every removal from the test rows.
nlohmann::json run_shift_arm(const ShiftDesign& design, const ShiftArm& arm,
                             const RemovalRule& training_rule, std::uint64_t seed,
                             const std::function<void(double)>& progress) {
  const GaussianProblem problem = draw_problem(seed);
  const Table complete = draw_rows(problem, seed, 0, design.training_rows);
  const Schema blocks = schema_with_blocks(complete);
  const auto removed = [&](const Table& table, const RemovalRule& rule, std::uint64_t draw) {
    return remove_cells(table, blocks, rule, 10 * seed + draw, seed);
  };
  const Table training = removed(complete, training_rule, 1);
  MethodOptions options = shift_methods(design);
  if (arm.expects) {
    const Table like = draw_rows(problem, seed, kFirstExpectedRow, kExpectedRows);
    options.fit.expect_missing = removed(like, *arm.expects, 2);
  }
  const auto predictor = make_method(arm.method, options)
                             ->fit(training, infer_schema(training, {.targets = {"y"}}),
                                   {.seed = seed, .threads = 1, .progress = progress});
  const Table test = draw_rows(problem, seed, kShiftedTestRow, design.test_rows);
  const std::span<const double> truth = test.at("y").numbers();
  std::vector<double> losses;
  for (const RemovalRule& rule : design.testing) {
    losses.push_back(
        relative_loss(predictor->predict(removed(test, rule, 3), {}, 1)[0].values, truth));
  }
  return losses;
}

bool removes_nothing(const RemovalRule& rule) {
  return std::holds_alternative<RemoveNothing>(rule);
}

/// Every method of `compare` but those that cannot take part, and Knockout once for each removal
/// that it could expect.
std::vector<ShiftArm> shift_arms(const StudyOptions& options,
                                 const std::vector<RemovalRule>& testing) {
  std::vector<std::string> names = options.methods;
  if (names.empty()) {
    names = method_names();
    // One network per pattern: there are 512. No groups are named to be dissolved. LibTorch's take
    // minutes each.
    std::erase_if(names, [](const std::string& name) {
      return name == "marginals" || name == "knockout-features" || needs_torch(name);
    });
  }
  std::vector<ShiftArm> arms;
  for (const std::string& name : names) arms.push_back({name, method_label(name), name});
  if (std::find(names.begin(), names.end(), "knockout") == names.end()) return arms;
  for (const RemovalRule& rule : testing) {
    if (removes_nothing(rule)) continue;
    arms.push_back({fmt::format("knockout-expects-{}", to_string(rule)),
                    fmt::format("Knockout, expects {}", to_string(rule)), "knockout", rule});
  }
  return arms;
}

}  // namespace

ShiftLosses run_shift(const ShiftDesign& design, Journal& journal, const StudyContext& run) {
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < design.repetitions; ++repetition) {
    const std::uint64_t seed = repetition_seed(design.seed, repetition);
    for (const RemovalRule& training : design.training) {
      for (const ShiftArm& arm : design.arms) {
        jobs.push_back({fmt::format("{}, trained under {}, repetition {}", arm.name,
                                    to_string(training), repetition + 1),
                        [&design, &arm, &training, seed](const auto& progress) {
                          return run_shift_arm(design, arm, training, seed, progress);
                        }});
      }
    }
  }
  const std::vector<nlohmann::json> results = run_jobs(jobs, journal, run);
  ShiftLosses losses(design.training.size(),
                     {design.arms.size(), std::vector<std::vector<double>>(design.testing.size())});
  std::size_t next = 0;
  for (int repetition = 0; repetition < design.repetitions; ++repetition) {
    for (auto& of_training : losses) {
      for (auto& of_arm : of_training) {
        const auto found = results[next++].get<std::vector<double>>();
        for (std::size_t t = 0; t < found.size(); ++t) of_arm[t].push_back(found[t]);
      }
    }
  }
  return losses;
}

std::vector<Expectation> judge_expectations(const ShiftDesign& design, const ShiftLosses& losses) {
  const auto plain = std::find_if(design.arms.begin(), design.arms.end(),
                                  [](const ShiftArm& arm) { return arm.name == "knockout"; });
  std::vector<Expectation> judged;
  if (plain == design.arms.end()) return judged;
  const auto base = static_cast<std::size_t>(plain - design.arms.begin());
  for (std::size_t arm = 0; arm < design.arms.size(); ++arm) {
    if (!design.arms[arm].expects) continue;
    Expectation expectation;
    std::vector<double> met, not_met;
    for (int r = 0; r < design.repetitions; ++r) {
      const auto repetition = static_cast<std::size_t>(r);
      double here = 0, elsewhere = 0;
      int others = 0;
      for (std::size_t t = 0; t < design.testing.size(); ++t) {
        const bool expected = to_string(design.testing[t]) == to_string(*design.arms[arm].expects);
        if (expected) expectation.testing = t;
        others += expected ? 0 : 1;
        for (const auto& of_training : losses) {
          (expected ? here : elsewhere) +=
              of_training[arm][t][repetition] - of_training[base][t][repetition];
        }
      }
      const auto trainings = static_cast<double>(losses.size());
      met.push_back(here / trainings);
      not_met.push_back(elsewhere / (trainings * others));
    }
    expectation.met = over_repetitions(met);
    expectation.not_met = over_repetitions(not_met);
    judged.push_back(expectation);
  }
  return judged;
}

StudyResult reproduce_shift(const StudyOptions& options) {
  using Cells = RemoveCells;
  ShiftDesign design;
  design.training = {RemoveNothing{}, Cells{Mechanism::kMcar, 0.2}, Cells{Mechanism::kMar, 0.2},
                     Cells{Mechanism::kMnar, 0.2}, RemoveGroups{0.2}};
  design.testing = {RemoveNothing{},
                    Cells{Mechanism::kMcar, 0.1},
                    Cells{Mechanism::kMcar, 0.5},
                    Cells{Mechanism::kMar, 0.3},
                    Cells{Mechanism::kMnar, 0.3},
                    RemoveGroups{0.5}};
  design.arms = shift_arms(options, design.testing);
  design.repetitions = options.quick ? 1 : options.repetitions;
  design.seed = options.seed;
  auto journal = open_journal({{"study", "shift"}, {"seed", design.seed}}, options.run);
  StudyResult result = shift_result(design, run_shift(design, *journal, options.run));
  result.journal = std::move(journal);
  return result;
}

}  // namespace knockout::experiments
