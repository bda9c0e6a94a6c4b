// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "knockout/trees/tree_model.h"

namespace knockout {

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

/// Grows trees with XGBoost. Same seed, same trees. `weights` may be empty. With `validation_rows`
/// above 0, the last so many rows are held out and decide how many rounds are kept: those of the
/// lowest error (squared error or log loss). Labels: numbers, or class indices. Throws DataError
/// with XGBoost's own reason when it refuses, and Cancelled between two rounds. REQUIRES: as many
/// labels as rows, and rows left to learn from.
TreeModel grow_trees(const TreeRows& rows, std::span<const float> labels,
                     std::span<const float> weights, std::size_t validation_rows,
                     const TreeOptions& options);

/// Training rows that are made one batch after the other, so that they need not exist at once:
/// copies of a table with other cells knocked out. XGBoost keeps a byte or a few for each cell.
class TreeBatches {
 public:
  struct Batch {
    TreeRows rows;
    std::span<const float> labels, weights;  ///< `weights` may be empty.
  };
  virtual ~TreeBatches() = default;
  virtual std::size_t count() const = 0;
  /// Valid until the next call. The same batch for the same index. REQUIRES: index < count().
  virtual Batch batch(std::size_t index) = 0;
};

/// Called after each round with the rounds grown; returns whether to go on.
using RoundFunction = std::function<bool(int rounds)>;

/// The same for rows in batches. `held_out` decides how many rounds are kept; without rows in it,
/// all are.
TreeModel grow_trees(TreeBatches& learned, const TreeBatches::Batch& held_out,
                     const TreeOptions& options, const RoundFunction& after_round = {});

}  // namespace knockout
