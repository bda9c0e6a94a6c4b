// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/model/targets.h"
#include "knockout/model/tensor.h"

namespace knockout {

/// Some encoded rows that someone else owns: dense values and codes, both row-major.
struct EncodedBlock {
  int rows = 0;
  const float* values = nullptr;
  const std::int32_t* codes = nullptr;
};

/// What a learner needs while it answers. Made once and used again and again, by one thread at a
/// time.
class LearnerWorkspace {
 public:
  virtual ~LearnerWorkspace() = default;
};

/// A part of a model that has learned to answer for encoded rows: an ensemble of networks, later
/// boosted trees. Immutable, so that threads and copies of a model share it.
class Learner {
 public:
  virtual ~Learner() = default;

  /// As in the model file: "networks".
  virtual std::string_view kind() const = 0;

  /// For blocks of at most so many rows.
  virtual std::unique_ptr<LearnerWorkspace> make_workspace(int rows) const = 0;
  /// How many floats a workspace holds for each of its rows, about. A model whose learners hold
  /// very many takes fewer rows at once.
  virtual std::size_t row_memory() const { return 0; }

  /// Writes the answers: `answers[t]` takes rows x width numbers for target t, in the target's own
  /// unit, or the probabilities of its classes. A row's answer depends on that row alone, bit for
  /// bit. Allocates nothing.
  virtual void answer(const EncodedBlock& block, LearnerWorkspace& workspace,
                      std::span<double* const> answers) const = 0;

  /// What the model file says of it, besides its kind; adds its tensors, named with `prefix`.
  virtual nlohmann::json write(const std::string& prefix,
                               std::map<std::string, Tensor>& tensors) const = 0;
};

using LearnerPointer = std::shared_ptr<const Learner>;

/// Where a learner is read from: its part of a model file, which nobody has checked yet.
struct LearnerSource {
  const nlohmann::json& json;  ///< What write() returned, and "kind".
  const std::map<std::string, Tensor>& tensors;
  std::string prefix;  ///< Of its tensors; it answers for all of them.
  const Encoder& encoder;
  const std::vector<TargetCoding>& targets;
};

/// A kind of learner that a model file may name.
struct LearnerKind {
  std::string_view name;
  /// Throws ModelFileError for anything unexpected.
  LearnerPointer (*read)(const LearnerSource& source);
};

}  // namespace knockout
