// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/late_fusion.h"

#include <fmt/format.h>

#include "knockout/nn/option_checks.h"

namespace knockout::nn {

LateFusionImpl::LateFusionImpl(const LateFusionOptions& options) {
  const auto modalities = static_cast<std::int64_t>(options.inputs.size());
  check_sizes("LateFusion", {{"the number of modalities (inputs)", modalities}});
  for (const std::int64_t inputs : options.inputs) {
    branches_.push_back(register_module(fmt::format("branch{}", branches_.size()),
                                        Mlp(MlpOptions{.inputs = inputs,
                                                       .hidden = options.hidden,
                                                       .outputs = options.latent,
                                                       .dropout_rate = options.dropout_rate})));
  }
  head_ = register_module("head", Mlp(MlpOptions{.inputs = modalities * options.latent,
                                                 .hidden = options.head_hidden,
                                                 .outputs = options.outputs,
                                                 .dropout_rate = options.dropout_rate}));
}

torch::Tensor LateFusionImpl::forward(const std::vector<torch::Tensor>& modalities) {
  if (modalities.size() != branches_.size()) {
    throw ConfigError(fmt::format("LateFusion: {} inputs were given for {} modalities.",
                                  modalities.size(), branches_.size()));
  }
  std::vector<torch::Tensor> features;
  for (std::size_t m = 0; m < modalities.size(); ++m) {
    if (!modalities[m].defined()) {
      throw ConfigError(
          fmt::format("LateFusion: input {} is an undefined tensor.\n"
                      "  Pass the inputs through Knockout, which puts placeholders there.",
                      m));
    }
    features.push_back(branches_[m]->forward(modalities[m].reshape({modalities[m].size(0), -1})));
  }
  return head_->forward(torch::relu(torch::cat(features, 1)));
}

}  // namespace knockout::nn
