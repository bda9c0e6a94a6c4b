// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/trees/boosted_trees.h"

namespace knockout {

/// Boosted trees into a model file: adds their tensors and returns what the document says.
nlohmann::json write_trees(const std::vector<BoostedTrees::Member>& members,
                           const std::string& prefix, std::map<std::string, Tensor>& tensors);

/// And back. Nothing of XGBoost's reads the bytes: nodes are plain numbers, each of which is
/// checked. Throws ModelFileError for anything unexpected.
std::vector<BoostedTrees::Member> read_trees(const LearnerSource& source);

}  // namespace knockout
