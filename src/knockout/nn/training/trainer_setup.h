// SPDX-License-Identifier: Apache-2.0
// What the trainer does before its first step: whether options and network make sense, which run
// they describe, and how each parameter is optimised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/nn/torch.h"
#include "knockout/nn/training/checkpoint.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::nn {

/// Throws ConfigError for what makes no sense.
void check_training(const TrainingTask& task, const TrainerOptions& options, int processes);

/// What makes two trainings the same run, readable. The number of processes is no part of it: a run
/// may be resumed by more or fewer of them.
nlohmann::json description_of_run(const TrainingTask& task, const TrainerOptions& options,
                                  std::size_t training_rows);

/// Throws ConfigError that names what differs.
void require_same_run(const Checkpoint& checkpoint, const nlohmann::json& run);

/// Throws ConfigError if there are none.
std::vector<torch::Tensor> trainable_parameters(const torch::nn::Module& network);

/// Parameters and floating-point buffers that hold NaN or infinities.
std::vector<std::string> names_not_finite(const torch::nn::Module& network);

/// Has one group of parameters without a rule, then one for each rule. Throws ConfigError for a
/// rule without parameters.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(
    const TrainingTask& task, const TrainerOptions& options,
    const std::vector<torch::Tensor>& parameters);

/// The rates of a step, for an optimiser of make_optimizer().
void set_learning_rates(torch::optim::Optimizer& optimizer, const TrainingTask& task,
                        const TrainerOptions& options, std::int64_t step);

}  // namespace knockout::nn
