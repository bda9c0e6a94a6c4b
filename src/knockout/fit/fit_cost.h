// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/fit/fit.h"
#include "knockout/model/safetensors.h"
#include "knockout/networks/training_cost.h"

namespace knockout {

/// What fit() would take, on top of the table, for this table and these options.
TrainingCost fit_cost(const Table& table, const InferredSchema& inferred,
                      const FitOptions& options);

/// The same where the rest is known.
TrainingCost fit_cost(std::size_t rows, const std::vector<TargetCoding>& targets,
                      const Encoder& encoder, const ResolvedTraining& train);

/// What a training that takes long or much will cost, for people: who asked for 1,000 networks
/// should hear it in time. "" = nothing that is worth a word.
std::string told_cost(const TrainingCost& cost, const Limits& limits);

/// Throws ConfigError for a model that could never be saved, because a file has no room for the
/// description of so many columns and categories: before the training, not after it.
void check_description(const Encoder& encoder, const nlohmann::json& seen,
                       std::uint64_t most_bytes = kMaxHeaderBytes);

}  // namespace knockout
