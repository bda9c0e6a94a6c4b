// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace knockout {

/// Dense rows, row-major; NaN is missing and takes the branch that training found best.
struct TreeRows {
  const float* values = nullptr;
  std::size_t rows = 0;
  int columns = 0;
};

enum class TreeObjective { kSquaredError, kLogistic, kSoftmax };

/// How trees are grown. The defaults are gradient boosting as people use it.
struct TreeOptions {
  // --- what is learned ---
  TreeObjective objective = TreeObjective::kSquaredError;
  int classes = 2;  ///< Softmax only.
  int rounds = 500;
  int trees_per_round = 1;  ///< More than 1, with one round: a random forest.
  double learning_rate = 0.1;
  int max_depth = 6;
  double min_child_weight = 1;
  double row_share = 1;           ///< Rows that each tree sees.
  double split_column_share = 1;  ///< Columns that each split looks at.
  double l2 = 1;
  int max_bins = 256;  ///< Steps in which a column is looked at; forests do well with 64.
  int patience = 0;    ///< Rounds without progress on the validation part; 0 = all rounds.
  std::uint64_t seed = 0;
  // --- how fast ---
  int threads = 0;  ///< 0 = all cores. Never changes the result.
};

/// Trees of XGBoost. Same seed, same trees. Thread-safe once built.
///   TreeModel model = TreeModel::train({values, rows, columns}, labels, {}, rows / 5, {});
///   model.predict({new_values, new_rows, columns}, predictions);
class TreeModel {
 public:
  /// `weights` may be empty. With `validation_rows` > 0, the last so many rows are held out and
  /// decide how many rounds are kept: those of the lowest error (squared error or log loss).
  /// Labels: numbers, or class indices. Throws DataError with XGBoost's own reason when it refuses.
  /// REQUIRES: as many labels as rows, and rows left to learn from.
  static TreeModel train(const TreeRows& rows, std::span<const float> labels,
                         std::span<const float> weights, std::size_t validation_rows,
                         const TreeOptions& options);

  /// Squared error: one number per row; logistic: the probability of class 1; softmax: one
  /// probability per row and class. REQUIRES: out.size() == rows * outputs().
  void predict(const TreeRows& rows, std::span<float> out, int threads = 0) const;
  int outputs() const;
  int rounds() const;  ///< Rounds kept: fewer than asked for when patience ran out.

  TreeModel(TreeModel&&) noexcept;
  TreeModel& operator=(TreeModel&&) noexcept;
  ~TreeModel();

 private:
  struct State;
  explicit TreeModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace knockout
