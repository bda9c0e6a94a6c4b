// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "knockout/base/option.h"

namespace knockout {

class Layer;

/// How layers make up a network. A matter of training: a trained network is a list of layers.
enum class Architecture {
  /// A linear layer and a ReLU for each hidden width, then a linear layer.
  kMlp,
  /// A linear layer to the first hidden width; for each hidden width a residual block with so many
  /// inner units; a ReLU and a linear layer.
  kResidual,
};
constexpr auto names_of(Architecture) {
  return std::array{EnumName<Architecture>{"mlp", Architecture::kMlp},
                    EnumName<Architecture>{"residual", Architecture::kResidual}};
}

/// A column that a network embeds.
struct EmbeddedInput {
  std::string column;
  int rows = 0;  ///< Values that its code can take.
  int dimension = 0;
};

/// An input that says "missing" of the value at another one.
struct GapInput {
  int value = 0, flag = 0;  ///< Positions in a row.
  double start = 0;         ///< The placeholder before anything is learned: the paper's.
  bool operator==(const GapInput&) const = default;
};

/// What a network is built from.
struct NetworkPlan {
  Architecture architecture = Architecture::kMlp;
  int dense_inputs = 0;
  std::vector<GapInput> learned_placeholders = {};
  std::vector<EmbeddedInput> embedded = {};  ///< In the order of the codes.
  std::vector<int> hidden = {};
  int outputs = 1;
  double dropout = 0.0;  ///< Share of hidden units dropped while training.
};

/// The layers of a network: learned placeholders, embeddings, hidden layers, a linear layer of
/// outputs.
std::vector<std::shared_ptr<const Layer>> build_layers(const NetworkPlan& plan);

}  // namespace knockout
