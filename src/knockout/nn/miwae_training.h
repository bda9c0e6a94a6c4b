// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/model/method.h"
#include "knockout/nn/miwae.h"
#include "knockout/nn/miwae_model.h"

namespace knockout::nn {

/// Trains MIWAE, or supMIWAE when `supervised`. A pure function of its arguments, threads aside.
/// Throws ConfigError for options that make no sense, DataError for labels that cannot be used.
MiwaeModel train_miwae(const Table& table, const Schema& schema, const PlainInputs& inputs,
                       bool supervised, const MiwaeOptions& options, const TrainingRun& run);

}  // namespace knockout::nn
