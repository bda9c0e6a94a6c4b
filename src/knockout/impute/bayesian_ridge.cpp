// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/bayesian_ridge.h"

#include <Eigen/Dense>
#include <algorithm>

namespace knockout {
namespace {

struct Evidence {
  Eigen::VectorXd weights;  ///< In the basis of the predictors' eigenvectors.
  double noise_variance;
};

/// `spectrum` are the eigenvalues of the predictors' centred sums, `products` their sums with the
/// target, `total` the target's own.
Evidence maximise_evidence(const Eigen::VectorXd& spectrum, const Eigen::VectorXd& products,
                           double total, double rows) {
  constexpr int kMaxSteps = 300;
  constexpr double kSettled = 1e-4;
  constexpr double kPrior = 2e-6;  // a flat gamma prior of both precisions
  const double variance = total / rows;
  double noise_precision = 1.0 / (variance + kPrior), weight_precision = 1.0;
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(spectrum.size());
  for (int step = 0; step < kMaxSteps; ++step) {
    const Eigen::VectorXd previous = weights;
    const Eigen::ArrayXd shrunk = spectrum.array() + weight_precision / noise_precision;
    weights = products.array() / shrunk;
    if (step > 0 && (weights - previous).lpNorm<1>() < kSettled) break;
    const double determined = (spectrum.array() / shrunk).sum();  // MacKay's gamma
    const double residual =
        total - 2.0 * weights.dot(products) + (spectrum.array() * weights.array().square()).sum();
    weight_precision = (determined + kPrior) / (weights.squaredNorm() + kPrior);
    // The variance that stands in for filled cells can determine more weights than there are rows.
    noise_precision =
        (std::max(rows - determined, 1.0) + kPrior) / (std::clamp(residual, 0.0, total) + kPrior);
  }
  return {weights, 1.0 / noise_precision};
}

}  // namespace

RidgeEquations bayesian_ridge(const std::vector<double>& sums, std::size_t width, std::size_t ones,
                              std::span<const std::size_t> predictors,
                              std::span<const std::size_t> targets) {
  const double rows = sums[ones * width + ones];
  RidgeEquations out{std::vector<double>(targets.size() * predictors.size(), 0.0),
                     std::vector<double>(targets.size(), 0.0),
                     std::vector<double>(targets.size(), 0.0)};
  if (rows < 1) return out;
  const auto mean = [&](std::size_t column) { return sums[ones * width + column] / rows; };
  const auto centred = [&](std::size_t a, std::size_t b) {
    return sums[a * width + b] - rows * mean(a) * mean(b);
  };

  const Eigen::Index size = static_cast<Eigen::Index>(predictors.size());
  Eigen::MatrixXd among(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {  // the solver reads this half
      among(i, j) =
          centred(predictors[static_cast<std::size_t>(i)], predictors[static_cast<std::size_t>(j)]);
    }
  }
  if (size == 0) {
    for (std::size_t t = 0; t < targets.size(); ++t) {
      out.constants[t] = mean(targets[t]);
      out.variances[t] = centred(targets[t], targets[t]) / rows;
    }
    return out;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> decomposed(among);
  const Eigen::VectorXd spectrum = decomposed.eigenvalues().cwiseMax(0.0);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    Eigen::VectorXd with_target(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      with_target[i] = centred(predictors[static_cast<std::size_t>(i)], targets[t]);
    }
    const double total = std::max(centred(targets[t], targets[t]), 0.0);
    const Evidence found = maximise_evidence(
        spectrum, decomposed.eigenvectors().transpose() * with_target, total, rows);
    const Eigen::VectorXd coefficients = decomposed.eigenvectors() * found.weights;
    out.variances[t] = found.noise_variance;
    out.constants[t] = mean(targets[t]);
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::size_t p = static_cast<std::size_t>(i);
      out.coefficients[t * predictors.size() + p] = coefficients[i];
      out.constants[t] -= coefficients[i] * mean(predictors[p]);
    }
  }
  return out;
}

}  // namespace knockout
