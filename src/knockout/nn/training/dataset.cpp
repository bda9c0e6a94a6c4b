// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/dataset.h"

#include <fmt/format.h>

#include <utility>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

torch::Tensor moved(const torch::Tensor& tensor, torch::Device device) {
  return tensor.defined() ? tensor.to(device) : tensor;
}

torch::Tensor selected(const torch::Tensor& tensor, const torch::Tensor& rows) {
  return tensor.defined() ? tensor.index_select(0, rows) : tensor;
}

torch::Tensor narrowed(const torch::Tensor& tensor, std::int64_t begin, std::int64_t end) {
  return tensor.defined() ? tensor.narrow(0, begin, end - begin) : tensor;
}

}  // namespace

Batch Batch::to(torch::Device device) const {
  Batch result{{}, moved(presence, device), moved(labels, device), rows};
  for (const torch::Tensor& input : inputs) result.inputs.push_back(moved(input, device));
  return result;
}

Batch Batch::slice(std::int64_t begin, std::int64_t end) const {
  Batch result{{},
               narrowed(presence, begin, end),
               narrowed(labels, begin, end),
               std::vector<std::size_t>(rows.begin() + begin, rows.begin() + end)};
  for (const torch::Tensor& input : inputs) result.inputs.push_back(narrowed(input, begin, end));
  return result;
}

TensorDataset::TensorDataset(std::vector<torch::Tensor> inputs, torch::Tensor labels,
                             torch::Tensor presence)
    : inputs_(std::move(inputs)), labels_(std::move(labels)), presence_(std::move(presence)) {
  const auto check = [&](const torch::Tensor& tensor, const std::string& name) {
    if (!tensor.defined()) return;
    const std::int64_t rows = tensor.dim() == 0 ? 0 : tensor.size(0);
    if (rows != labels_.size(0)) {
      throw DataError(
          fmt::format("{} has {} rows, the labels have {}.\n"
                      "  The first dimension of every tensor counts the rows.",
                      name, rows, labels_.size(0)));
    }
  };
  if (!labels_.defined() || labels_.dim() == 0) {
    throw DataError("The labels have no rows: give a tensor whose first dimension counts them.");
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) check(inputs_[i], fmt::format("Input {}", i));
  check(presence_, "The presence mask");
}

std::size_t TensorDataset::size() const { return static_cast<std::size_t>(labels_.size(0)); }

Batch TensorDataset::get(std::span<const std::size_t> rows, const Random&, std::uint64_t) const {
  torch::NoGradGuard no_grad;
  const std::vector<std::int64_t> indices(rows.begin(), rows.end());
  const torch::Tensor index = torch::tensor(indices, torch::kInt64).to(labels_.device());
  Batch batch{{},
              selected(presence_, index),
              selected(labels_, index),
              std::vector<std::size_t>(rows.begin(), rows.end())};
  for (const torch::Tensor& input : inputs_) batch.inputs.push_back(selected(input, index));
  return batch;
}

}  // namespace knockout::nn
