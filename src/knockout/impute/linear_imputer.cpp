// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/linear_imputer.h"

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/impute/gram.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

/// The inverse of a covariance that was put together from pairs. Such a matrix may have negative
/// eigenvalues, which say how large the noise in all of them is: none is taken for smaller. A ridge
/// stands for what few rows cannot tell about many columns.
Eigen::MatrixXd inverse_covariance(const Eigen::MatrixXd& covariance, std::size_t rows) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> decomposed(covariance);
  const Eigen::VectorXd& found = decomposed.eigenvalues();
  const double noise = found.size() > 0 ? std::max(0.0, -found[0]) : 0.0;
  const double columns_per_row = static_cast<double>(found.size()) / static_cast<double>(rows + 1);
  const double ridge = 1e-6 + 0.1 * std::min(columns_per_row * columns_per_row, 1.0);
  const Eigen::VectorXd inverted = (found.array().max(noise) + ridge).inverse();
  return decomposed.eigenvectors() * inverted.asDiagonal() * decomposed.eigenvectors().transpose();
}

}  // namespace

LinearImputer::LinearImputer(ImputerInputs space, const Table& train, const ImputerOptions& options)
    : MatrixImputer(std::move(space)) {
  const int threads = options.threads;
  const InputMatrix inputs = space_.read(train, threads);
  const std::size_t width = space_.width(), features = inputs.features;
  std::vector<float> coordinates(inputs.rows * width), present(inputs.rows * features);
  space_.expand(inputs, 0, inputs.rows, coordinates.data());
  std::transform(inputs.gaps.begin(), inputs.gaps.end(), present.begin(),
                 [](std::uint8_t gap) { return gap != 0 ? 0.0F : 1.0F; });
  const std::vector<double> sums = gram(coordinates.data(), width, inputs.rows, threads);
  const std::vector<double> pairs = gram(present.data(), features, inputs.rows, threads);

  std::vector<std::size_t> feature_of(width);
  for (std::size_t f = 0; f < features; ++f) {
    const Input& input = space_.inputs()[f];
    std::fill_n(feature_of.begin() + static_cast<std::ptrdiff_t>(input.begin), input.width, f);
  }
  const Eigen::Index size = static_cast<Eigen::Index>(width);
  Eigen::MatrixXd covariance(size, size);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const double rows = pairs[feature_of[i] * features + feature_of[j]];
      covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          sums[i * width + j] / std::max(rows, 1.0);
    }
  }
  const Eigen::MatrixXd inverse = inverse_covariance(covariance, inputs.rows);
  filler_ = LinearFiller(std::vector<double>(inverse.data(), inverse.data() + inverse.size()),
                         std::vector<double>(width, 0.0));
}

LinearImputer::LinearImputer(ImputerInputs space, LinearFiller filler)
    : MatrixImputer(std::move(space)), filler_(std::move(filler)) {}

std::unique_ptr<Imputer> LinearImputer::read(ImputerSource source) {
  const JsonFields nothing(source.json, "the linear imputer", {});
  LinearFiller filler(source.arrays, source.space.width());
  return std::unique_ptr<Imputer>(new LinearImputer(std::move(source.space), std::move(filler)));
}

nlohmann::json LinearImputer::write(ImputerArrays& arrays) const {
  filler_.write(arrays);
  return nlohmann::json::object();
}

}  // namespace knockout
