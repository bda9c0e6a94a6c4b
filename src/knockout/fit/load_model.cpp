// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/load_model.h"

#include "knockout/base/read_bytes.h"
#include "knockout/networks/network_ensemble.h"
#include "knockout/trees/boosted_trees.h"

namespace knockout {
namespace {

constexpr LearnerKind kLearnerKinds[] = {{NetworkEnsemble::kKind, NetworkEnsemble::read},
                                         {BoostedTrees::kKind, BoostedTrees::read}};

}  // namespace

std::span<const LearnerKind> learner_kinds() { return kLearnerKinds; }

Model load_model(const std::string& path) {
  return model_from_bytes(read_bytes(path, "the model"), path);
}

Model model_from_bytes(std::string_view bytes, const std::string& source) {
  return Model::from_bytes(bytes, source, learner_kinds());
}

}  // namespace knockout
