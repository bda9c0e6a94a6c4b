// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "knockout/nn/networks/mlp.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

struct LateFusionOptions {
  std::vector<std::int64_t> inputs;               ///< Numbers per row of each modality.
  std::vector<std::int64_t> hidden = {100};       ///< Of the network of each modality.
  std::int64_t latent = 32;                       ///< Features that such a network puts out.
  std::vector<std::int64_t> head_hidden = {100};  ///< Of the network on all features.
  std::int64_t outputs = 1;
  double dropout_rate = 0.0;
};

/// A small network for each modality, whose features a head puts together. Takes what Knockout
/// gives, one tensor [batch, ...] per modality, and flattens it; the output is [batch, outputs].
///   LateFusion network(LateFusionOptions{.inputs = {9, 40}, .outputs = 2});
///   torch::Tensor scores = network->forward(knockout->forward_all({x, y}, presence));
class LateFusionImpl : public torch::nn::Cloneable<LateFusionImpl> {
 public:
  /// Throws ConfigError for sizes that make no network.
  explicit LateFusionImpl(LateFusionOptions options);
  void reset() override;
  /// Throws ConfigError when the number of tensors is not that of the modalities.
  torch::Tensor forward(const std::vector<torch::Tensor>& modalities);

 private:
  LateFusionOptions options_;
  std::vector<Mlp> branches_;
  Mlp head_{nullptr};
};
TORCH_MODULE(LateFusion);

}  // namespace knockout::nn
