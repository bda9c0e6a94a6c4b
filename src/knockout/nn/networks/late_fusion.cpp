// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/late_fusion.h"

#include <utility>

#include <fmt/format.h>

#include "knockout/nn/module/flat_rows.h"
#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {

LateFusionImpl::LateFusionImpl(LateFusionOptions options) : options_(std::move(options)) {
  const auto modalities = static_cast<std::int64_t>(options_.inputs.size());
  check_sizes("LateFusion", {{"the number of modalities (inputs)", modalities}});
  reset();
}

void LateFusionImpl::reset() {
  branches_.clear();
  for (const std::int64_t inputs : options_.inputs) {
    branches_.push_back(register_module(fmt::format("branch{}", branches_.size()),
                                        Mlp(MlpOptions{.inputs = inputs,
                                                       .hidden = options_.hidden,
                                                       .outputs = options_.latent,
                                                       .dropout_rate = options_.dropout_rate})));
  }
  const auto modalities = static_cast<std::int64_t>(branches_.size());
  head_ = register_module("head", Mlp(MlpOptions{.inputs = modalities * options_.latent,
                                                 .hidden = options_.head_hidden,
                                                 .outputs = options_.outputs,
                                                 .dropout_rate = options_.dropout_rate}));
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
    features.push_back(branches_[m]->forward(flat_rows(modalities[m])));
  }
  return head_->forward(torch::relu(torch::cat(features, 1)));
}

}  // namespace knockout::nn
