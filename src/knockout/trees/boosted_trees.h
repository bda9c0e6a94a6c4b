// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/model/learner.h"
#include "knockout/trees/tree_inputs.h"
#include "knockout/trees/tree_model.h"

namespace knockout {

/// Boosted trees for one target.
struct TargetTrees {
  TreeModel trees;
  LevelNumbers levels;
};

/// Boosted trees that were trained with Knockout: members, each with trees for every target, whose
/// answers are averaged.
class BoostedTrees final : public Learner {
 public:
  static constexpr std::string_view kKind = "trees";
  using Member = std::vector<TargetTrees>;  ///< One per target.

  /// REQUIRES: at least one member; trees that were grown from the inputs of this encoder.
  BoostedTrees(const Encoder& encoder, std::vector<Member> members,
               std::vector<TargetCoding> targets);
  static LearnerPointer read(const LearnerSource& source);

  const std::vector<Member>& members() const { return members_; }
  /// One of them alone.
  BoostedTrees alone(std::size_t member) const;

  std::string_view kind() const override { return kKind; }
  std::unique_ptr<LearnerWorkspace> make_workspace(int rows) const override;
  std::size_t row_memory() const override;
  void answer(const EncodedBlock& block, LearnerWorkspace& workspace,
              std::span<double* const> answers) const override;
  nlohmann::json write(const std::string& prefix,
                       std::map<std::string, Tensor>& tensors) const override;

 private:
  BoostedTrees(TreeInputs inputs, std::vector<Member> members, std::vector<TargetCoding> targets)
      : inputs_(std::move(inputs)), members_(std::move(members)), targets_(std::move(targets)) {}

  TreeInputs inputs_;
  std::vector<Member> members_;
  std::vector<TargetCoding> targets_;
};

/// What trees minimise for a target.
TreeObjective objective_of(const Head& head);

}  // namespace knockout
