// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "experiments/food101/dishes.h"
#include "knockout/nn/training/dataset.h"
#include "media/text/byte_pair_encoding.h"

namespace knockout::experiments {

/// Dishes as a network reads them: pictures [rows, 3, side, side] and tokens [rows, length],
/// padded to a multiple of 16 or to the most there may be.
/// Pictures are read from disk for each batch; tokens are made once.
class DishDataset : public nn::Dataset {
 public:
  DishDataset(std::vector<Dish> dishes, const BytePairTokenizer& tokenizer, int picture_side,
              int most_tokens);
  std::size_t size() const override { return dishes_.size(); }
  nn::Batch get(std::span<const std::size_t> rows, const Random& random,
                std::uint64_t draw) const override;
  /// The rows [begin, end), for evaluation.
  nn::Batch range(std::int64_t begin, std::int64_t end) const;

 private:
  std::vector<Dish> dishes_;
  std::vector<std::vector<int>> tokens_;
  int picture_side_;
  std::size_t most_tokens_;
};

}  // namespace knockout::experiments
