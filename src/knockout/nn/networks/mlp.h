// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "knockout/nn/torch.h"

namespace knockout::nn {

struct MlpOptions {
  std::int64_t inputs = 1;
  std::vector<std::int64_t> hidden = {100, 100};  ///< Units per hidden layer; {} = linear.
  std::int64_t outputs = 1;
  double dropout_rate = 0.0;  ///< Of each hidden layer.
};

/// Linear layers with ReLU between them, initialised as LibTorch does. [batch, inputs] -> [batch,
/// outputs], with no activation at the end.
///   Mlp mlp(MlpOptions{.inputs = 9, .outputs = 2});
///   torch::Tensor scores = mlp->forward(x);
class MlpImpl : public torch::nn::Cloneable<MlpImpl> {
 public:
  /// Throws ConfigError for sizes below 1 and rates outside [0, 1).
  explicit MlpImpl(MlpOptions options);
  void reset() override;
  torch::Tensor forward(const torch::Tensor& input);

 private:
  MlpOptions options_;
  torch::nn::Sequential layers_{nullptr};
};
TORCH_MODULE(Mlp);

}  // namespace knockout::nn
