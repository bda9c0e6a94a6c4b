// SPDX-License-Identifier: Apache-2.0
// Small trainings for the tests of the trainer.
#pragma once

#include <string>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/torch.h"
#include "knockout/nn/training/checkpoint.h"
#include "knockout/nn/training/dataset.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::nn {

/// y = x w + noise, rows that never change.
inline TensorDataset linear_data(std::int64_t rows = 40) {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({rows, 3});
  const torch::Tensor y = x.matmul(torch::tensor({1.0F, -2.0F, 0.5F})) + 0.1 * torch::randn({rows});
  return TensorDataset({x}, y);
}

inline TrainingTask task_of(torch::nn::Sequential network) {
  return {network.ptr(), [network](const Batch& batch) mutable {
            return torch::mse_loss(network->forward(batch.inputs[0]).squeeze(1), batch.labels);
          }};
}

inline torch::nn::Sequential linear_network() {
  torch::manual_seed(2);
  return torch::nn::Sequential(torch::nn::Linear(3, 1));
}

/// With everything that has a state or draws random numbers.
inline torch::nn::Sequential stateful_network() {
  torch::manual_seed(2);
  KnockoutModuleOptions options;
  options.modalities = {{.name = "x", .shape = {3}, .separate_features = true}};
  return torch::nn::Sequential(Knockout(options), torch::nn::Linear(3, 8),
                               torch::nn::BatchNorm1d(8), torch::nn::ReLU(),
                               torch::nn::Dropout(0.3), torch::nn::Linear(8, 1));
}

inline std::string bytes_of(const torch::nn::Sequential& network) {
  Checkpoint checkpoint;
  store_network(*network, checkpoint);
  return checkpoint_to_bytes(checkpoint);
}

/// Two linear layers side by side whose gradients do not depend on each other.
struct TwoHeads {
  torch::nn::Linear first{nullptr}, second{nullptr};
  std::shared_ptr<torch::nn::Module> network = std::make_shared<torch::nn::Module>();
  TrainingTask task;

  TwoHeads() {
    torch::manual_seed(2);
    first = network->register_module("first", torch::nn::Linear(3, 1));
    second = network->register_module("second", torch::nn::Linear(3, 1));
    task.network = network;
    task.loss = [first = first, second = second](const Batch& batch) mutable {
      return torch::mse_loss(first->forward(batch.inputs[0]).squeeze(1), batch.labels) +
             torch::mse_loss(second->forward(batch.inputs[0]).squeeze(1), batch.labels);
    };
  }
};

}  // namespace knockout::nn
