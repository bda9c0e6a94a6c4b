// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression_study.h"

#include <algorithm>
#include <numeric>

#include "experiments/regression_data.h"
#include "knockout/tabular/fit.h"

namespace knockout::experiments {
namespace {

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double mean_squared_error(const std::vector<double>& predictions,
                          const std::vector<double>& truth) {
  double sum = 0;
  for (std::size_t row = 0; row < truth.size(); ++row) {
    sum += (predictions[row] - truth[row]) * (predictions[row] - truth[row]);
  }
  return sum / static_cast<double>(truth.size());
}

Table without(Table table, const std::vector<int>& missing) {
  for (auto input = missing.rbegin(); input != missing.rend(); ++input) {
    table.columns().erase(table.columns().begin() + *input);
  }
  return table;
}

Table filled_with_means(Table table, const std::vector<int>& missing, const Table& training) {
  for (const int input : missing) {
    Column& column = table.columns()[static_cast<std::size_t>(input)];
    const double mean = mean_of(training.column(static_cast<std::size_t>(input)).numbers);
    std::fill(column.numbers.begin(), column.numbers.end(), mean);
  }
  return table;
}

}  // namespace

std::vector<std::vector<int>> some_subsets(int count, int size, std::size_t limit) {
  std::vector<std::vector<int>> all;
  std::vector<int> subset(static_cast<std::size_t>(size));
  std::iota(subset.begin(), subset.end(), 0);
  while (true) {
    all.push_back(subset);
    int at = size - 1;  // the last place that can move on
    while (at >= 0 && subset[at] == count - size + at) --at;
    if (at < 0) break;
    std::iota(subset.begin() + at, subset.end(), subset[at] + 1);
  }
  if (all.size() <= limit) return all;
  std::vector<std::vector<int>> some;
  for (std::size_t i = 0; i < limit; ++i) some.push_back(all[i * all.size() / limit]);
  return some;
}

std::vector<RegressionErrors> study_regression(const RegressionStudyOptions& options,
                                               const ProgressFunction& progress) {
  const GaussianProblem problem = draw_problem(options.seed);
  const Table training = draw_rows(problem, options.seed, 0, options.training_rows);
  const Table test = draw_rows(problem, options.seed, options.training_rows, options.test_rows);

  FitOptions fit_options;
  fit_options.schema.targets = {"y"};
  fit_options.train = options.train;
  fit_options.train.seed = options.seed;
  const TabularModel knockout = fit(training, fit_options, progress).model;
  fit_options.knockout = {.rate = "0"};
  const TabularModel plain = fit(training, fit_options, progress).model;

  const std::vector<double>& truth = test.at("y").numbers;
  std::vector<RegressionErrors> errors;
  for (int missing = 0; missing <= options.most_missing; ++missing) {
    RegressionErrors sum{.missing = missing};
    for (const auto& pattern :
         some_subsets(problem.inputs(), missing, options.patterns_per_count)) {
      const auto error_of = [&](const TabularModel& model, const Table& table) {
        return mean_squared_error(model.predict(table, {}, options.train.threads)[0].values, truth);
      };
      ++sum.patterns;
      sum.knockout += error_of(knockout, without(test, pattern));
      sum.mean_imputation += error_of(plain, filled_with_means(test, pattern, training));
      sum.bayes += mean_squared_error(bayes_predictions(problem, test, pattern), truth);
    }
    const auto patterns = static_cast<double>(sum.patterns);
    errors.push_back({missing, sum.patterns, sum.knockout / patterns,
                      sum.mean_imputation / patterns, sum.bayes / patterns});
  }
  return errors;
}

}  // namespace knockout::experiments
