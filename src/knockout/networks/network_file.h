// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/model/model_file.h"
#include "knockout/networks/network.h"

namespace knockout {

/// Adds the tensors of an ensemble to a model file, under `prefix`, and returns what else a reader
/// needs: how many networks there are and their layers. REQUIRES: at least one network, all with
/// the same layers.
nlohmann::json write_networks(const std::vector<Network>& networks, const std::string& prefix,
                              std::map<std::string, Tensor>& tensors);

/// Back again, from what was returned and the "kind" that the model file adds. Everything is
/// checked against `encoder`, whose rows the networks take, and the number of `outputs`; sizes are
/// checked before memory is taken. Throws ModelFileError.
std::vector<Network> read_networks(const nlohmann::json& json, const std::string& prefix,
                                   const std::map<std::string, Tensor>& tensors,
                                   const Encoder& encoder, int outputs);

}  // namespace knockout
