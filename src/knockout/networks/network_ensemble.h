// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/model/learner.h"
#include "knockout/networks/network.h"

namespace knockout {

/// Networks with the same layers, whose answers are averaged.
class NetworkEnsemble final : public Learner {
 public:
  static constexpr std::string_view kKind = "networks";

  /// REQUIRES: at least one network, all with the same layers, whose outputs are the heads of
  /// `targets`.
  NetworkEnsemble(std::vector<Network> networks, std::vector<TargetCoding> targets);
  static LearnerPointer read(const LearnerSource& source);

  const std::vector<Network>& networks() const { return networks_; }

  std::string_view kind() const override { return kKind; }
  std::unique_ptr<LearnerWorkspace> make_workspace(int rows) const override;
  std::size_t row_memory() const override { return networks_.front().layers().row_memory(); }
  void answer(const EncodedBlock& block, LearnerWorkspace& workspace,
              std::span<double* const> answers) const override;
  nlohmann::json write(const std::string& prefix,
                       std::map<std::string, Tensor>& tensors) const override;

 private:
  std::vector<Network> networks_;
  std::vector<TargetCoding> targets_;
};

}  // namespace knockout
