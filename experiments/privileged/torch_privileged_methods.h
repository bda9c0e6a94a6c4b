// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "experiments/privileged/privileged.h"
#include "experiments/privileged/torch_noisy_dataset.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::experiments {

/// A method of the study, ready to be trained.
struct PrivilegedMethod {
  nn::TrainingTask task;
  /// Scores [rows, classes] of images of which nothing else is known.
  std::function<torch::Tensor(const torch::Tensor& images)> predict;
};

/// `name` is one of those of make_privileged_study(). With the same seed, the part of the network
/// that looks at images starts with the same weights in all of them. `data` must outlive it.
PrivilegedMethod make_privileged_method(const std::string& name, const PrivilegedOptions& options,
                                        const NoisyImageDataset& data, std::int64_t classes,
                                        std::uint64_t seed);

}  // namespace knockout::experiments
