// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/mice_imputer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/base/stop.h"
#include "knockout/impute/bayesian_ridge.h"
#include "knockout/impute/gram.h"
#include "knockout/kernels/blas.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

/// The training table while its gaps settle. All regressions are computed from the products of the
/// columns with each other: those of the rows that have an input are those of all rows less those
/// of its gaps, so that a regression costs the rows with gaps rather than all.
class Chain {
 public:
  Chain(const ImputerInputs& space, const InputMatrix& inputs, int threads)
      : space_(space), rows_(inputs.rows), width_(space.width() + 1), threads_(threads) {
    std::vector<float> expanded(rows_ * space.width());
    space.expand(inputs, 0, rows_, expanded.data());
    values_.resize(rows_ * width_);
    for (std::size_t row = 0; row < rows_; ++row) {
      std::copy_n(expanded.data() + row * space.width(), space.width(),
                  values_.data() + row * width_);
      values_[(row + 1) * width_ - 1] = 1.0F;  // the constant
    }
    gap_rows_.resize(inputs.features);
    std::vector<float> gaps(inputs.gaps.begin(), inputs.gaps.end());
    common_gaps_ = gram(gaps.data(), inputs.features, rows_, threads_);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t f = 0; f < inputs.features; ++f) {
        if (inputs.gaps_of(row)[f] != 0) gap_rows_[f].push_back(row);
      }
    }
    variances_.resize(width_, 0.0);
    sums_ = gram(values_.data(), width_, rows_, threads_);
  }

  /// The coordinates of a feature, and those of all others.
  std::vector<std::size_t> targets(std::size_t feature) const {
    std::vector<std::size_t> columns(space_.inputs()[feature].width);
    std::iota(columns.begin(), columns.end(), space_.inputs()[feature].begin);
    return columns;
  }
  std::vector<std::size_t> predictors(std::size_t feature) const {
    const Input& input = space_.inputs()[feature];
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c + 1 < width_; ++c) {
      if (c < input.begin || c >= input.begin + input.width) columns.push_back(c);
    }
    return columns;
  }

  /// The equation of a feature, from the rows that have it and all other gaps as they stand.
  RidgeEquations equation(std::size_t feature) const {
    return equation(feature, sums_without(gathered(feature)));
  }

  /// Fills the gaps of all features anew, one after the other. Returns the largest move of a cell.
  double refill_all(const std::vector<std::size_t>& order) {
    double largest_move = 0;
    for (const std::size_t f : order) {
      throw_if_stopped();
      largest_move = std::max(largest_move, refill(f));
    }
    sums_ = gram(values_.data(), width_, rows_, threads_);  // rounding must not add up over rounds
    return largest_move;
  }

 private:
  /// The rows that lack a feature, row-major.
  std::vector<float> gathered(std::size_t feature) const {
    std::vector<float> rows(gap_rows_[feature].size() * width_);
    float* at = rows.data();
    for (const std::size_t row : gap_rows_[feature]) {
      at = std::copy_n(values_.data() + row * width_, width_, at);
    }
    return rows;
  }

  std::vector<double> sums_without(const std::vector<float>& rows) const {
    std::vector<double> sums = gram(rows.data(), width_, rows.size() / width_, threads_);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sums_[i] - sums[i];
    return sums;
  }

  /// A filling is an expectation, with less variance than what it stands for; regressions on it
  /// would be too steep. MICE draws fillings at random for this reason. Here the squares that draws
  /// would have are added instead, which costs no noise.
  RidgeEquations equation(std::size_t feature, std::vector<double> sums) const {
    const std::size_t features = gap_rows_.size();
    for (std::size_t f = 0; f < features; ++f) {
      if (f == feature) continue;
      const double filled_rows =
          common_gaps_[f * features + f] - common_gaps_[f * features + feature];
      for (const std::size_t c : targets(f)) {
        sums[c * width_ + c] += filled_rows * variances_[c];
      }
    }
    return bayesian_ridge(sums, width_, width_ - 1, predictors(feature), targets(feature));
  }

  double refill(std::size_t feature) {
    const std::vector<std::size_t>& gaps = gap_rows_[feature];
    const std::vector<std::size_t> predicted = targets(feature), known = predictors(feature);
    std::vector<float> rows = gathered(feature);
    sums_ = sums_without(rows);
    const RidgeEquations learned = equation(feature, sums_);
    std::copy(learned.variances.begin(), learned.variances.end(),
              variances_.begin() + static_cast<std::ptrdiff_t>(predicted.front()));

    // Along whole rows, with 0 for what is predicted, and the constant last.
    const std::size_t count = predicted.size();
    std::vector<float> weights(width_ * count, 0.0F), filled(gaps.size() * count);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t p = 0; p < known.size(); ++p) {
        weights[known[p] * count + t] =
            static_cast<float>(learned.coefficients[t * known.size() + p]);
      }
      weights[(width_ - 1) * count + t] = static_cast<float>(learned.constants[t]);
    }
    gemm(Transpose::kNo, Transpose::kNo, static_cast<int>(gaps.size()), static_cast<int>(count),
         static_cast<int>(width_), rows.data(), static_cast<int>(width_), weights.data(),
         static_cast<int>(count), 0.0F, filled.data(), static_cast<int>(count));

    double largest_move = 0;
    const std::size_t begin = predicted.front();
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      float* const gathered_row = rows.data() + i * width_ + begin;
      for (std::size_t t = 0; t < count; ++t) {
        const float value = filled[i * count + t];
        largest_move = std::max<double>(largest_move, std::abs(value - gathered_row[t]));
        gathered_row[t] = value;
      }
      std::copy_n(gathered_row, count, values_.data() + gaps[i] * width_ + begin);
    }
    const std::vector<double> refilled = gram(rows.data(), width_, gaps.size(), threads_);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += refilled[i];
    return largest_move;
  }

  const ImputerInputs& space_;
  std::size_t rows_, width_;  ///< The last column is 1.
  int threads_;
  std::vector<float> values_;
  std::vector<std::vector<std::size_t>> gap_rows_;  ///< Per feature.
  std::vector<double> common_gaps_;                 ///< Features x features: rows that lack both.
  std::vector<double> sums_;                        ///< Products of the columns with each other.
  std::vector<double> variances_;  ///< Per column, of what the other columns do not explain.
};

/// The features that have gaps and something to learn from, by ascending number of gaps.
std::vector<std::size_t> chain_order(const ImputerInputs& space, const InputMatrix& inputs) {
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < inputs.features; ++f) {
    const std::size_t gaps = inputs.gap_counts[f];
    if (gaps > 0 && gaps < inputs.rows && space.inputs()[f].width > 0) order.push_back(f);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return inputs.gap_counts[a] < inputs.gap_counts[b];
  });
  return order;
}

/// A round costs the cube of the width for each column with gaps, and the first rounds do most of
/// the work: many for narrow tables, scikit-learn's ten for wide ones.
int chosen_rounds(std::size_t width) {
  constexpr std::size_t kBudget = 3200;
  return static_cast<int>(
      std::clamp<std::size_t>(kBudget / std::max<std::size_t>(width, 1), 10, 100));
}

}  // namespace

MiceImputer::MiceImputer(ImputerInputs space, const Table& train, const ImputerOptions& options)
    : MatrixImputer(std::move(space)) {
  const int max_rounds = options.max_rounds.value_or(chosen_rounds(space_.width()));
  const InputMatrix inputs = space_.read(train, options.threads);
  const std::vector<std::size_t> order = chain_order(space_, inputs);
  Chain chain(space_, inputs, options.threads);
  for (int round = 0; round < max_rounds && !order.empty(); ++round) {
    const double largest_move = chain.refill_all(order);
    // Nobody knows how many rounds are left; each closes a quarter of what remains.
    if (options.progress) options.progress(1.0 - std::pow(0.75, round + 1));
    if (largest_move < options.tolerance) break;
  }

  const std::size_t width = space_.width();
  std::vector<double> equations(width * width, 0.0), constants(width, 0.0);
  for (std::size_t f = 0; f < inputs.features; ++f) {
    const std::vector<std::size_t> targets = chain.targets(f), predictors = chain.predictors(f);
    const RidgeEquations learned = chain.equation(f);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      double* const equation = equations.data() + targets[t] * width;
      equation[targets[t]] = 1.0;
      for (std::size_t p = 0; p < predictors.size(); ++p) {
        equation[predictors[p]] = -learned.coefficients[t * predictors.size() + p];
      }
      constants[targets[t]] = learned.constants[t];
    }
  }
  filler_ = LinearFiller(std::move(equations), std::move(constants));
}

MiceImputer::MiceImputer(ImputerInputs space, LinearFiller filler)
    : MatrixImputer(std::move(space)), filler_(std::move(filler)) {}

std::unique_ptr<Imputer> MiceImputer::read(ImputerSource source) {
  const JsonFields nothing(source.json, "the imputer by chained equations", {});
  LinearFiller filler(source.arrays, source.space.width());
  return std::unique_ptr<Imputer>(new MiceImputer(std::move(source.space), std::move(filler)));
}

nlohmann::json MiceImputer::write(ImputerArrays& arrays) const {
  filler_.write(arrays);
  return nlohmann::json::object();
}

}  // namespace knockout
