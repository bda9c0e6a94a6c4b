// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/tree_model.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"

namespace knockout {
namespace {

/// Sums of leaves into what a user reads.
void finish_row(TreeObjective objective, std::span<float> row) {
  switch (objective) {
    case TreeObjective::kSquaredError:
      return;
    case TreeObjective::kLogistic:
      row[0] = 1.0F / (1.0F + std::exp(-row[0]));
      return;
    case TreeObjective::kSoftmax: {
      const float highest = *std::max_element(row.begin(), row.end());
      float sum = 0;
      for (float& score : row) sum += score = std::exp(score - highest);
      for (float& score : row) score /= sum;
      return;
    }
  }
}

}  // namespace

TreeModel::TreeModel(TreeParts parts) : parts_(std::move(parts)) {
  const auto require = [](bool holds, std::string_view otherwise) {
    if (!holds) throw ModelFileError(fmt::format("The trees are damaged: {}.", otherwise));
  };
  const auto nodes = static_cast<std::int64_t>(parts_.nodes.size());
  require(parts_.columns > 0 && parts_.outputs > 0 && parts_.rounds >= 0, "a size is not positive");
  require(parts_.objective == TreeObjective::kSoftmax || parts_.outputs == 1,
          "there are several outputs without classes");
  require(std::isfinite(parts_.start), "their start is not finite");
  for (const TreeRoot& root : parts_.roots) {
    require(root.node >= 0 && root.node < nodes, "a tree begins at no node");
    require(root.output >= 0 && root.output < parts_.outputs, "a tree adds to no output");
  }
  for (std::int64_t n = 0; n < nodes; ++n) {
    const TreeNode& node = parts_.nodes[static_cast<std::size_t>(n)];
    require(std::isfinite(node.threshold), "a number is not finite");
    if (node.left == 0) continue;
    require(node.left > n && node.left + std::int64_t{1} < nodes, "a branch leads nowhere");
    require(node.column >= 0 && node.column < parts_.columns, "a node asks for no column");
    require(node.gap_goes_left == 0 || node.gap_goes_left == 1, "a gap goes nowhere");
  }
}

void TreeModel::predict(const TreeRows& rows, std::span<float> out, int threads) const {
  constexpr std::size_t kBlockRows = 64;  // one tree after the other, while the rows stay in cache
  if (rows.columns != parts_.columns) {
    throw DataError(fmt::format("The trees were grown from {} columns and are shown {}.",
                                parts_.columns, rows.columns));
  }
  const auto columns = static_cast<std::size_t>(rows.columns);
  const auto outputs = static_cast<std::size_t>(parts_.outputs);
  const std::size_t blocks = (rows.rows + kBlockRows - 1) / kBlockRows;
  parallel_for(blocks, threads, [&](std::size_t block) {
    const std::size_t begin = block * kBlockRows;
    predict_block(rows.values + begin * columns, std::min(kBlockRows, rows.rows - begin),
                  out.data() + begin * outputs);
  });
}

void TreeModel::predict_block(const float* values, std::size_t rows, float* out) const {
  const auto columns = static_cast<std::size_t>(parts_.columns);
  const auto outputs = static_cast<std::size_t>(parts_.outputs);
  const TreeNode* const nodes = parts_.nodes.data();
  std::fill_n(out, rows * outputs, parts_.start);
  for (const TreeRoot& root : parts_.roots) {
    const float* row = values;
    for (std::size_t r = 0; r < rows; ++r, row += columns) {
      const TreeNode* node = nodes + root.node;
      while (node->left != 0) {
        const float number = row[node->column];
        const bool goes_left =
            std::isnan(number) ? node->gap_goes_left != 0 : number < node->threshold;
        node = nodes + node->left + (goes_left ? 0 : 1);
      }
      out[r * outputs + static_cast<std::size_t>(root.output)] += node->threshold;
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    finish_row(parts_.objective, {out + r * outputs, outputs});
  }
}

}  // namespace knockout
