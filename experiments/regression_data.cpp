// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "knockout/base/random.h"

namespace knockout::experiments {
namespace {

/// What a number is drawn for: the `step` of its counter.
enum Purpose : std::uint64_t { kMean = 0, kFactor = 1, kRow = 2 };

std::uint32_t counter(Eigen::Index index) { return static_cast<std::uint32_t>(index); }

}  // namespace

GaussianProblem draw_problem(std::uint64_t seed, int variables) {
  const Random random(seed, Stream::kSimulation);
  GaussianProblem problem;
  problem.mean.resize(variables);
  problem.factor.resize(variables, variables);
  for (Eigen::Index i = 0; i < variables; ++i) {
    problem.mean(i) = random.uniform(kMean, 0, counter(i));
    for (Eigen::Index j = 0; j < variables; ++j) {
      problem.factor(i, j) = random.uniform(kFactor, counter(i), counter(j));
    }
  }
  problem.covariance = problem.factor.transpose() * problem.factor;
  return problem;
}

Table draw_rows(const GaussianProblem& problem, std::uint64_t seed, std::size_t first_row,
                std::size_t rows) {
  const Random random(seed, Stream::kSimulation);
  const Eigen::Index variables = problem.mean.size();
  std::vector<std::vector<double>> numbers(static_cast<std::size_t>(variables),
                                           std::vector<double>(rows));
  Eigen::VectorXd standard(variables);
  for (std::size_t row = 0; row < rows; ++row) {
    for (Eigen::Index i = 0; i < variables; ++i) {
      standard(i) = random.normal(kRow, static_cast<std::uint32_t>(first_row + row), counter(i));
    }
    const Eigen::VectorXd values = problem.mean + problem.factor.transpose() * standard;
    for (Eigen::Index i = 0; i < variables; ++i) {
      numbers[static_cast<std::size_t>(i)][row] = values(i);
    }
  }
  std::vector<Column> columns;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    columns.push_back(Column::numbers(i + 1 == numbers.size() ? "y" : fmt::format("x{}", i + 1),
                                      std::move(numbers[i])));
  }
  return Table(std::move(columns), "simulation");
}

std::vector<double> bayes_predictions(const GaussianProblem& problem, const Table& table,
                                      const std::vector<int>& missing) {
  std::vector<Eigen::Index> observed;
  for (int input = 0; input < problem.inputs(); ++input) {
    if (!std::binary_search(missing.begin(), missing.end(), input)) observed.push_back(input);
  }
  const Eigen::Index target = problem.inputs();
  std::vector<double> predictions(table.rows(), problem.mean(target));
  if (observed.empty()) return predictions;
  const Eigen::MatrixXd among = problem.covariance(observed, observed);
  const Eigen::VectorXd with_target = problem.covariance(observed, target);
  const Eigen::VectorXd slopes = among.llt().solve(with_target);
  for (Eigen::Index i = 0; i < slopes.size(); ++i) {
    const Eigen::Index input = observed[static_cast<std::size_t>(i)];
    const Column& column = table.column(static_cast<std::size_t>(input));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      predictions[row] += slopes(i) * (column.number(row) - problem.mean(input));
    }
  }
  return predictions;
}

}  // namespace knockout::experiments
