// SPDX-License-Identifier: Apache-2.0
// knockout demo: the paper's regression simulation, end to end.
#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "experiments/regression_study.h"

namespace knockout::cli {
namespace {

using experiments::RegressionErrors;
using experiments::RegressionStudyOptions;

constexpr const char* kExamples =
    R"(  knockout demo
      Draws the paper's regression data, fits, and shows the error by number of missing inputs.
  knockout demo --seed 1
      Another mean and covariance.
)";

struct DemoFlags {
  CommonOptions common;
  RegressionStudyOptions study;
};

void print_table(const DemoFlags& flags, const std::vector<RegressionErrors>& errors,
                 double seconds) {
  print_out(
      "The paper's regression simulation: 9 inputs and y, jointly Gaussian; {} training rows.\n"
      "Mean squared error on {} new rows when inputs are missing:\n\n",
      with_thousands(flags.study.training_rows), with_thousands(flags.study.test_rows));
  TextTable table({"missing inputs", "Knockout", "mean imputation", "best possible"}, "lrrr");
  for (const RegressionErrors& level : errors) {
    table.add({std::to_string(level.missing), fmt::format("{:.3f}", level.knockout),
               fmt::format("{:.3f}", level.mean_imputation), fmt::format("{:.3f}", level.bayes)});
  }
  print_out("{}\n", table.text());
  print_out(
      "Knockout: one model for all of these. Mean imputation: the same network without knockout,\n"
      "gaps filled with the mean. Best possible: the Bayes optimum, from the true distribution.\n"
      "({})\n",
      seconds_text(seconds));
}

void print_json(const DemoFlags& flags, const std::vector<RegressionErrors>& errors,
                double seconds) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const RegressionErrors& level : errors) {
    levels.push_back({{"missing", level.missing},
                      {"patterns", level.patterns},
                      {"knockout", level.knockout},
                      {"mean_imputation", level.mean_imputation},
                      {"bayes", level.bayes}});
  }
  const nlohmann::ordered_json result = {{"seed", flags.study.seed},
                                         {"training_rows", flags.study.training_rows},
                                         {"test_rows", flags.study.test_rows},
                                         {"mean_squared_error", levels},
                                         {"seconds", seconds}};
  print_out("{}\n", result.dump(2));
}

void run_demo(const CLI::App& verb, const DemoFlags& flags) {
  warn_of_slow_blas(verb, flags.common);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<RegressionErrors> errors = [&] {
    ProgressLine progress(flags.common.quiet);
    return experiments::study_regression(flags.study, progress.function());
  }();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (flags.common.json) {
    print_json(flags, errors, elapsed.count());
  } else {
    print_table(flags, errors, elapsed.count());
  }
}

}  // namespace

Verb setup_demo(CLI::App& command) {
  const auto flags = std::make_shared<DemoFlags>();
  CLI::App* const verb =
      command.add_subcommand("demo", "the paper's simulation end to end, in under a minute");
  verb->footer(kExamples);
  verb->add_option("--steps", flags->study.train.steps, "Steps per network; 0 = chosen")
      ->option_text("N")
      ->check(whole_number(0))
      ->group("How long it trains");
  add_seed(*verb, flags->study.seed, "Same seed, same data and models (default 0)");
  add_threads(*verb, flags->study.train.threads);
  add_common(*verb, flags->common, "The errors as one JSON object");
  return {verb, [verb, flags] { run_demo(*verb, *flags); }};
}

}  // namespace knockout::cli
