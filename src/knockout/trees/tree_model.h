// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace knockout {

/// Dense rows, row-major; NaN is missing and takes the branch that training found best.
struct TreeRows {
  const float* values = nullptr;
  std::size_t rows = 0;
  int columns = 0;
};

enum class TreeObjective { kSquaredError, kLogistic, kSoftmax };

/// A question about one column, or an answer.
struct TreeNode {
  /// A row goes left if its number is below; of a leaf, the answer.
  float threshold = 0.0F;
  std::int32_t left = 0;  ///< The node on the left, before the one on the right; 0 = a leaf.
  std::int32_t column = 0;
  std::int32_t gap_goes_left = 0;  ///< 1 or 0.
};

/// A tree of a model.
struct TreeRoot {
  std::int32_t node = 0;
  std::int32_t output = 0;  ///< What it adds to.
};

/// All that a model of trees knows.
struct TreeParts {
  TreeObjective objective = TreeObjective::kSquaredError;
  int columns = 0;
  int outputs = 1;
  int rounds = 0;
  float start = 0.0F;  ///< What the answers of all trees are added to.
  std::vector<TreeRoot> roots;
  std::vector<TreeNode> nodes;
};

/// Boosted trees or a random forest: plain arrays that grow_trees() or a file made. Immutable, so
/// that threads share it. What a row is answered depends on that row alone, bit for bit.
///   TreeModel model = grow_trees({values, rows, columns}, labels, {}, rows / 5, {});
///   model.predict({new_values, new_rows, columns}, predictions);
class TreeModel {
 public:
  /// Throws ModelFileError unless every walk from a root ends at a leaf: children come after their
  /// parent, nothing is out of bounds, and all numbers are finite.
  explicit TreeModel(TreeParts parts);

  /// Squared error: one number per row; logistic: the probability of class 1; softmax: one
  /// probability per row and class. Throws DataError for another number of columns than that of
  /// training. REQUIRES: out.size() == rows * outputs().
  void predict(const TreeRows& rows, std::span<float> out, int threads = 0) const;
  int outputs() const { return parts_.outputs; }
  int rounds() const { return parts_.rounds; }  ///< Fewer than asked for when patience ran out.
  const TreeParts& parts() const { return parts_; }

 private:
  void predict_block(const float* values, std::size_t rows, float* out) const;

  TreeParts parts_;
};

}  // namespace knockout
