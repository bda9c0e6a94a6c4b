// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network_ensemble.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/kernels/loss.h"
#include "knockout/networks/network_file.h"
#include "knockout/networks/network_pass.h"

namespace knockout {
namespace {

struct EnsembleWorkspace final : LearnerWorkspace {
  EnsembleWorkspace(const LayerStack& layers, int rows, std::size_t most_classes)
      : pass(layers, rows, NetworkPass::Use::kPredict), logits(most_classes) {}

  NetworkPass pass;
  std::vector<double> logits;  ///< Of one row.
};

/// Adds one network's answers for a target: numbers in the target's own unit, or probabilities.
void add_answers(const TargetCoding& coding, int rows, EnsembleWorkspace& workspace, double* sums) {
  const std::size_t width = coding.answer_width();
  for (int r = 0; r < rows; ++r, sums += width) {
    const float* outputs = workspace.pass.outputs(r) + coding.head.output_begin;
    switch (coding.head.loss) {
      case Loss::kSquaredError:
        sums[0] += coding.mean + coding.stddev * outputs[0];
        break;
      case Loss::kLogistic: {
        const double probability = sigmoid(outputs[0]);
        sums[0] += 1.0 - probability;
        sums[1] += probability;
        break;
      }
      case Loss::kSoftmax: {
        double* const logits = workspace.logits.data();
        std::copy_n(outputs, width, logits);
        softmax(logits, width);
        for (std::size_t c = 0; c < width; ++c) sums[c] += logits[c];
        break;
      }
    }
  }
}

}  // namespace

NetworkEnsemble::NetworkEnsemble(std::vector<Network> networks, std::vector<TargetCoding> targets)
    : networks_(std::move(networks)), targets_(std::move(targets)) {}

LearnerPointer NetworkEnsemble::read(const LearnerSource& source) {
  int outputs = 0;
  for (const TargetCoding& coding : source.targets) outputs += coding.head.output_width;
  return std::make_shared<NetworkEnsemble>(
      read_networks(source.json, source.prefix, source.tensors, source.encoder, outputs),
      source.targets);
}

nlohmann::json NetworkEnsemble::write(const std::string& prefix,
                                      std::map<std::string, Tensor>& tensors) const {
  return write_networks(networks_, prefix, tensors);
}

std::unique_ptr<LearnerWorkspace> NetworkEnsemble::make_workspace(int rows) const {
  std::size_t most_classes = 0;
  for (const TargetCoding& coding : targets_) {
    most_classes = std::max(most_classes, coding.answer_width());
  }
  return std::make_unique<EnsembleWorkspace>(networks_.front().layers(), rows, most_classes);
}

void NetworkEnsemble::answer(const EncodedBlock& block, LearnerWorkspace& workspace,
                             std::span<double* const> answers) const {
  auto& memory = static_cast<EnsembleWorkspace&>(workspace);
  NetworkPass& pass = memory.pass;
  const auto rows = static_cast<std::size_t>(block.rows);
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    std::fill_n(answers[t], rows * targets_[t].answer_width(), 0.0);
  }
  for (const Network& network : networks_) {
    pass.set_inputs(block.rows, block.values, block.codes);  // layers in place change them
    pass.forward(network, {0, block.rows}, {.row_by_row = true});
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      add_answers(targets_[t], block.rows, memory, answers[t]);
    }
  }
  const double share = 1.0 / static_cast<double>(networks_.size());
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const std::size_t count = rows * targets_[t].answer_width();
    for (std::size_t i = 0; i < count; ++i) answers[t][i] *= share;
  }
}

}  // namespace knockout
