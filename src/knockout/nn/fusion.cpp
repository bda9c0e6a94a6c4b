// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/fusion.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout::nn {

FusionImpl::FusionImpl(FusionOptions options) : encoders_(std::move(options.encoders)) {
  const std::vector<Modality>& modalities = options.knockout.modalities;
  if (encoders_.size() != modalities.size()) {
    throw ConfigError(fmt::format("Fusion: {} encoders for {} modalities; expected one for each.",
                                  encoders_.size(), modalities.size()));
  }
  knockout_ = register_module("knockout", Knockout(options.knockout));
  std::int64_t latents = 0;
  for (std::size_t m = 0; m < encoders_.size(); ++m) {
    register_module("encoder_" + modalities[m].name, encoders_[m].network);
    std::int64_t size = 1;
    for (const std::int64_t extent : modalities[m].shape) size *= extent;
    latents += size;
  }
  head_ = register_module("head", Mlp(MlpOptions{.inputs = latents,
                                                 .hidden = options.head_hidden,
                                                 .outputs = options.outputs,
                                                 .dropout_rate = options.dropout_rate}));
}

torch::Tensor FusionImpl::forward(const std::vector<torch::Tensor>& inputs,
                                  const torch::Tensor& presence) {
  std::vector<torch::Tensor> features;
  for (const torch::Tensor& latent : latents(inputs, presence)) {
    features.push_back(latent.reshape({latent.size(0), -1}));
  }
  return head_->forward(torch::cat(features, 1));
}

std::vector<torch::Tensor> FusionImpl::latents(const std::vector<torch::Tensor>& inputs,
                                               const torch::Tensor& presence) {
  const auto modalities = static_cast<std::int64_t>(encoders_.size());
  if (static_cast<std::int64_t>(inputs.size()) != modalities ||
      (presence.defined() && (presence.dim() != 2 || presence.size(1) != modalities))) {
    throw ConfigError(
        fmt::format("Fusion: expected {0} inputs, an undefined tensor for one that is absent, and "
                    "a presence mask [batch, {0}] or none.",
                    modalities));
  }
  std::vector<torch::Tensor> latents;
  for (std::int64_t m = 0; m < modalities; ++m) {
    const torch::Tensor present =
        presence.defined() ? presence.select(1, m).to(torch::kBool) : torch::Tensor();
    latents.push_back(inputs[m].defined() ? encode(m, inputs[m], present) : torch::Tensor());
  }
  return knockout_->forward_all(latents, presence);
}

/// The latents of all rows: those of the rows that have the modality from its encoder, NaN (or Inf)
/// for the others, which Knockout puts the placeholder on.
torch::Tensor FusionImpl::encode(std::size_t modality, const torch::Tensor& input,
                                 const torch::Tensor& present) {
  const Modality& description = knockout_->modalities()[modality];
  const std::int64_t rows = input.size(0);
  const torch::Tensor cells = input.detach().reshape({rows, -1});
  const torch::Tensor finite = cells.isfinite();
  torch::Tensor seen = finite.any(1);
  torch::Tensor torn = seen.logical_and(finite.all(1).logical_not());
  if (present.defined()) {
    seen = seen.logical_and(present);
    torn = torn.logical_and(present);
  }
  if (torn.any().item<bool>()) {
    throw DataError(fmt::format(
        "Fusion: modality \"{}\", row {} of the batch: some of its numbers are NaN or infinite, "
        "others not.\n"
        "  A modality is there or missing as a whole. Fill such cells (a background with zeros, "
        "say), or make\n  the whole row NaN.",
        description.name, torn.nonzero()[0].item<std::int64_t>()));
  }

  // A NaN that an encoder puts out would be taken for a missing modality and never be noticed.
  const auto encoded = [&](const torch::Tensor& there) {
    const torch::Tensor latent = encoders_[modality].encode(there);
    if (latent.isfinite().all().item<bool>()) return latent;
    throw DataError(
        fmt::format("Fusion: the encoder of \"{}\" puts out numbers that are not finite.\n"
                    "  Its training has diverged: lower the learning rate or clip gradients.",
                    description.name));
  };
  const torch::Tensor which = seen.nonzero().squeeze(1);
  if (which.size(0) == rows) return encoded(input);
  std::vector<std::int64_t> shape = {rows};
  shape.insert(shape.end(), description.shape.begin(), description.shape.end());
  torch::Tensor latents = torch::full(shape, std::numeric_limits<double>::quiet_NaN(),
                                      head_->parameters().front().options().requires_grad(false));
  torch::Tensor for_a_reason = cells.isinf().all(1);
  if (present.defined()) for_a_reason = for_a_reason.logical_and(present);
  latents.index_fill_(0, for_a_reason.nonzero().squeeze(1),
                      std::numeric_limits<double>::infinity());
  if (which.size(0) == 0) return latents;
  return latents.index_copy(0, which, encoded(input.index_select(0, which)));
}

}  // namespace knockout::nn
