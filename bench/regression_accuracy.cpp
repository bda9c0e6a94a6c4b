// SPDX-License-Identifier: Apache-2.0
//
// The paper's regression simulation against the figures that its authors' own program reached on
// the same data: mean squared error against the Bayes optimum with 0 to 3 inputs missing, for
// complete, MCAR and MNAR training data, with the paper's knockout rate and with all defaults.
//
//   regression_accuracy DIRECTORY     the two repetitions in DIRECTORY/seed0 and seed1, as the
//   authors' program drew them regression_accuracy --draw 5      five repetitions drawn here: other
//   data of the same kind, to see that nothing is tuned to those two
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/regression_data.h"
#include "experiments/settings.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/eval/patterns.h"
#include "knockout/fit/fit.h"
#include "knockout/mask/ampute.h"
#include "knockout/mask/sampler.h"
#include "knockout/model/write_placeholders.h"

namespace {

using namespace knockout;
using namespace knockout::experiments;

constexpr int kMostMissing = 3;
using Errors = std::array<double, kMostMissing + 1>;

struct Kind {
  std::string name;
  Errors authors;  ///< Their Knockout on seed0 and seed1, mean.
};
const std::vector<Kind> kKinds = {{"full", {0.0090, 0.0206, 0.0439, 0.0893}},
                                  {"mcar", {0.1706, 0.0561, 0.0553, 0.0704}},
                                  {"mnar", {0.1278, 0.0837, 0.0863, 0.1760}}};

struct Repetition {
  GaussianProblem problem;
  std::map<std::string, Table> training;
  Table test;
};

Repetition read_repetition(const std::filesystem::path& folder) {
  Repetition repetition;
  for (const Kind& kind : kKinds)
    repetition.training[kind.name] = read_csv((folder / ("train_" + kind.name + ".csv")).string());
  repetition.test = read_csv((folder / "test.csv").string());
  const nlohmann::json truth = nlohmann::json::parse(std::ifstream(folder / "truth.json"));
  const auto mean = truth.at("mean").get<std::vector<double>>();
  const auto covariance = truth.at("covariance").get<std::vector<std::vector<double>>>();
  const auto size = static_cast<Eigen::Index>(mean.size());
  repetition.problem.mean = Eigen::VectorXd::Map(mean.data(), size);
  repetition.problem.covariance.resize(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    repetition.problem.covariance.row(i) = Eigen::RowVectorXd::Map(covariance[i].data(), size);
  return repetition;
}

Repetition draw_repetition(std::uint64_t seed) {
  Repetition repetition;
  repetition.problem = draw_problem(seed);
  repetition.training["full"] = draw_rows(repetition.problem, seed, 0, 3000);
  repetition.test = draw_rows(repetition.problem, seed, 3000, 9000);
  AmputeOptions options{.mechanism = Mechanism::kMcar, .rate = 0.1, .keep = {"y"}, .seed = seed};
  repetition.training["mcar"] = ampute(repetition.training["full"], options);
  options.mechanism = Mechanism::kMnar;
  repetition.training["mnar"] = ampute(repetition.training["full"], options);
  return repetition;
}

/// Errors of one fit, averaged over the patterns of each size. Every pattern goes through the
/// network as encoded rows.
Errors errors_of(const Model& model, const Repetition& repetition) {
  const EncodedRows complete = model.encoder().encode(repetition.test);
  Errors errors{};
  for (int missing = 0; missing <= kMostMissing; ++missing) {
    const auto patterns = all_combinations(repetition.problem.inputs(), missing);
    for (const auto& pattern : patterns) {
      EncodedRows rows = complete;
      std::vector<std::uint8_t> mask(model.encoder().units().size(), KnockoutSampler::kKept);
      for (const std::uint32_t input : pattern) mask[input] = KnockoutSampler::kKnockedOut;
      for (std::size_t r = 0; r < rows.rows; ++r) {
        write_placeholders(model.encoder(), mask, rows.values.data() + r * rows.width, nullptr);
      }
      const std::vector<double> predicted = model.predict_encoded(rows)[0].values;
      const std::vector<double> best =
          bayes_predictions(repetition.problem, repetition.test, {pattern.begin(), pattern.end()});
      double sum = 0;
      for (std::size_t r = 0; r < best.size(); ++r)
        sum += (predicted[r] - best[r]) * (predicted[r] - best[r]);
      errors[missing] +=
          sum / static_cast<double>(best.size()) / static_cast<double>(patterns.size());
    }
  }
  return errors;
}

void print_table(const std::vector<Repetition>& repetitions, const std::string& rate,
                 bool authors_known) {
  fmt::print("\nknockout rate {}, everything else at its default\n", rate);
  fmt::print("{:<14} {:>30} {:>30} {:>9}\n", "training data", "ours at 0 / 1 / 2 / 3 missing",
             authors_known ? "authors' Knockout" : "", "s a fit");
  int won = 0;
  for (const Kind& kind : kKinds) {
    Errors mean{};
    double seconds = 0;
    for (const Repetition& repetition : repetitions) {
      FitOptions options;
      options.schema.targets = {"y"};
      options.knockout.rate = knockout_rate_of(rate);
      if (kind.name == "mcar") options.schema.missing_at_random = {"all"};
      const FitResult fitted = fit(repetition.training.at(kind.name), options);
      seconds += fitted.report.seconds / static_cast<double>(repetitions.size());
      const Errors errors = errors_of(fitted.model, repetition);
      for (int m = 0; m <= kMostMissing; ++m)
        mean[m] += errors[m] / static_cast<double>(repetitions.size());
    }
    for (int m = 0; m <= kMostMissing; ++m) won += mean[m] < kind.authors[m];
    fmt::print("{:<14} {:>30} {:>30} {:>9.1f}\n", kind.name,
               fmt::format("{:.4f} {:.4f} {:.4f} {:.4f}", mean[0], mean[1], mean[2], mean[3]),
               authors_known ? fmt::format("{:.4f} {:.4f} {:.4f} {:.4f}", kind.authors[0],
                                           kind.authors[1], kind.authors[2], kind.authors[3])
                             : "",
               seconds);
  }
  if (authors_known) fmt::print("lower than the authors' in {} of 12 cells\n", won);
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string where = count > 1 ? arguments[1] : "../shared/data/regression";
  std::vector<Repetition> repetitions;
  const bool draws = where == "--draw";
  if (draws) {
    for (int seed = 0; seed < (count > 2 ? std::stoi(arguments[2]) : 3); ++seed)
      repetitions.push_back(draw_repetition(100 + seed));
  } else if (!std::filesystem::exists(where)) {
    fmt::print(
        "skipped: {} is not there (give the folder that holds seed0 and seed1, or --draw N)\n",
        where);
    return 0;
  } else {
    for (const char* seed : {"seed0", "seed1"})
      repetitions.push_back(read_repetition(std::filesystem::path(where) / seed));
  }
  fmt::print("mean squared error against the Bayes optimum, mean of {} repetitions\n",
             repetitions.size());
  for (const char* rate : {"paper", "auto"}) print_table(repetitions, rate, !draws);
} catch (const std::exception& error) {
  fmt::print(stderr, "regression_accuracy: {}\n", error.what());
  return 1;
}
