// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/torch_dish_dataset.h"

#include <algorithm>
#include <numeric>

namespace knockout::experiments {

DishDataset::DishDataset(std::vector<Dish> dishes, const BytePairTokenizer& tokenizer,
                         int picture_side, int most_tokens)
    : dishes_(std::move(dishes)),
      picture_side_(picture_side),
      most_tokens_(static_cast<std::size_t>(most_tokens)) {
  for (const Dish& dish : dishes_) {
    tokens_.push_back(tokenizer.encode_for_roberta(dish.text, {.max_length = most_tokens}).ids);
  }
}

nn::Batch DishDataset::get(std::span<const std::size_t> rows, const Random&, std::uint64_t) const {
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t side = picture_side_;
  std::size_t longest = 0;
  for (const std::size_t row : rows) longest = std::max(longest, tokens_[row].size());
  // Few lengths: TorchScript prepares itself anew for every shape that it meets.
  constexpr std::size_t kStep = 16;
  longest = std::min(most_tokens_, (longest + kStep - 1) / kStep * kStep);
  constexpr std::int64_t kPad = 1;  // RoBERTa's id of <pad>
  torch::Tensor pictures = torch::empty({count, 3, side, side});
  torch::Tensor tokens =
      torch::full({count, static_cast<std::int64_t>(longest)}, kPad, torch::kInt64);
  torch::Tensor labels = torch::empty({count}, torch::kInt64);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t row = rows[i];
    const std::vector<float> planes = read_planes(dishes_[row].picture, picture_side_);
    std::copy(planes.begin(), planes.end(), pictures.data_ptr<float>() + i * 3 * side * side);
    std::copy(tokens_[row].begin(), tokens_[row].end(),
              tokens.data_ptr<std::int64_t>() + i * static_cast<std::int64_t>(longest));
    labels.data_ptr<std::int64_t>()[i] = dishes_[row].label;
  }
  return {.inputs = {pictures, tokens},
          .presence = {},
          .labels = labels,
          .rows = {rows.begin(), rows.end()}};
}

nn::Batch DishDataset::range(std::int64_t begin, std::int64_t end) const {
  std::vector<std::size_t> rows(static_cast<std::size_t>(end - begin));
  std::iota(rows.begin(), rows.end(), static_cast<std::size_t>(begin));
  return get(rows, Random(0, Stream::kAugment), 0);
}

}  // namespace knockout::experiments
