// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/mlp.h"

#include <utility>

#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {

MlpImpl::MlpImpl(MlpOptions options) : options_(std::move(options)) {
  check_sizes("Mlp", {{"inputs", options_.inputs}, {"outputs", options_.outputs}});
  for (const std::int64_t units : options_.hidden) {
    check_sizes("Mlp", {{"every hidden size", units}});
  }
  check_rate("Mlp", "dropout_rate", options_.dropout_rate);
  reset();
}

void MlpImpl::reset() {
  layers_ = register_module("layers", torch::nn::Sequential());
  std::int64_t width = options_.inputs;
  for (const std::int64_t units : options_.hidden) {
    layers_->push_back(torch::nn::Linear(width, units));
    layers_->push_back(torch::nn::ReLU());
    if (options_.dropout_rate > 0) layers_->push_back(torch::nn::Dropout(options_.dropout_rate));
    width = units;
  }
  layers_->push_back(torch::nn::Linear(width, options_.outputs));
}

torch::Tensor MlpImpl::forward(const torch::Tensor& input) { return layers_->forward(input); }

}  // namespace knockout::nn
