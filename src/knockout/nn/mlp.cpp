// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/mlp.h"

#include "knockout/nn/option_checks.h"

namespace knockout::nn {

MlpImpl::MlpImpl(const MlpOptions& options) {
  check_sizes("Mlp", {{"inputs", options.inputs}, {"outputs", options.outputs}});
  check_rate("Mlp", "dropout_rate", options.dropout_rate);
  std::int64_t width = options.inputs;
  for (const std::int64_t units : options.hidden) {
    check_sizes("Mlp", {{"every hidden size", units}});
    layers_->push_back(torch::nn::Linear(width, units));
    layers_->push_back(torch::nn::ReLU());
    if (options.dropout_rate > 0) layers_->push_back(torch::nn::Dropout(options.dropout_rate));
    width = units;
  }
  layers_->push_back(torch::nn::Linear(width, options.outputs));
  register_module("layers", layers_);
}

torch::Tensor MlpImpl::forward(const torch::Tensor& input) { return layers_->forward(input); }

}  // namespace knockout::nn
