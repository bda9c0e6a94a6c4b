// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/boosted_trees.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/trees/tree_file.h"

namespace knockout {
namespace {

struct TreeWorkspace final : LearnerWorkspace {
  TreeWorkspace(int rows, int columns, int most_outputs)
      : inputs(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)),
        outputs(static_cast<std::size_t>(rows) * static_cast<std::size_t>(most_outputs)) {}

  std::vector<float> inputs, outputs;
};

/// Adds what trees say of a target: numbers in the target's own unit, or probabilities.
void add_answers(const TargetCoding& coding, std::span<const float> outputs, double* sums) {
  switch (coding.head.loss) {
    case Loss::kSquaredError:
      for (const float output : outputs) *sums++ += coding.mean + coding.stddev * output;
      return;
    case Loss::kLogistic:
      for (const float probability : outputs) {
        *sums++ += 1.0 - probability;
        *sums++ += probability;
      }
      return;
    case Loss::kSoftmax:
      for (const float probability : outputs) *sums++ += probability;
      return;
  }
}

}  // namespace

TreeObjective objective_of(const Head& head) {
  switch (head.loss) {
    case Loss::kLogistic:
      return TreeObjective::kLogistic;
    case Loss::kSoftmax:
      return TreeObjective::kSoftmax;
    case Loss::kSquaredError:
      break;
  }
  return TreeObjective::kSquaredError;
}

BoostedTrees::BoostedTrees(const Encoder& encoder, std::vector<Member> members,
                           std::vector<TargetCoding> targets)
    : inputs_(encoder), members_(std::move(members)), targets_(std::move(targets)) {}

LearnerPointer BoostedTrees::read(const LearnerSource& source) {
  return std::make_shared<BoostedTrees>(source.encoder, read_trees(source), source.targets);
}

nlohmann::json BoostedTrees::write(const std::string& prefix,
                                   std::map<std::string, Tensor>& tensors) const {
  return write_trees(members_, prefix, tensors);
}

BoostedTrees BoostedTrees::alone(std::size_t member) const {
  return {inputs_, {members_[member]}, targets_};
}

std::unique_ptr<LearnerWorkspace> BoostedTrees::make_workspace(int rows) const {
  int most_outputs = 1;
  for (const TargetTrees& of_target : members_.front()) {
    most_outputs = std::max(most_outputs, of_target.trees.outputs());
  }
  return std::make_unique<TreeWorkspace>(rows, inputs_.columns(), most_outputs);
}

std::size_t BoostedTrees::row_memory() const { return static_cast<std::size_t>(inputs_.columns()); }

void BoostedTrees::answer(const EncodedBlock& block, LearnerWorkspace& workspace,
                          std::span<double* const> answers) const {
  auto& memory = static_cast<TreeWorkspace&>(workspace);
  const auto rows = static_cast<std::size_t>(block.rows);
  const double share = 1.0 / static_cast<double>(members_.size());
  const TreeRows tree_rows{memory.inputs.data(), rows, inputs_.columns()};
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const std::size_t count = rows * targets_[t].answer_width();
    std::fill_n(answers[t], count, 0.0);
    for (const Member& member : members_) {
      // Without embedded categories, all members read the same numbers.
      if (inputs_.codes() > 0 || (t == 0 && &member == members_.data())) {
        inputs_.write(block, member[t].levels, memory.inputs.data());
      }
      const std::span outputs(memory.outputs.data(),
                              rows * static_cast<std::size_t>(member[t].trees.outputs()));
      member[t].trees.predict(tree_rows, outputs, 1);
      add_answers(targets_[t], outputs, answers[t]);
    }
    for (std::size_t i = 0; i < count; ++i) answers[t][i] *= share;
  }
}

}  // namespace knockout
