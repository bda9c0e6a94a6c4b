// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/model/method.h"
#include "knockout/nn/generative/miwae.h"
#include "knockout/nn/generative/miwae_model.h"

namespace knockout::nn {

/// Trains MIWAE, or supMIWAE when `supervised`. A pure function of its arguments, threads aside.
/// Throws ConfigError for options that make no sense, DataError for labels that cannot be used.
MiwaeModel train_miwae(const Table& table, const Schema& schema, const MaskedInputs& inputs,
                       bool supervised, const MiwaeOptions& options, const FitContext& run);

}  // namespace knockout::nn
