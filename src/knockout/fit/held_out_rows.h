// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/mask/sampler.h"
#include "knockout/model/held_out.h"
#include "knockout/model/learner.h"
#include "knockout/model/targets.h"

namespace knockout {

/// What the judgement of learners needs, all of it from the training.
struct HeldOutJudge {
  const Table& table;
  const Examples& examples;
  const Encoder& encoder;
  const KnockoutPlan& plan;
  const std::vector<TargetCoding>& targets;
  HoldOut hold_out;
  int threads = 0;
};

/// The rows that a member held out, under the masks that decided when its training stopped.
class HeldOutRows {
 public:
  HeldOutRows(const HeldOutJudge& judge, int member);

  /// In how many parts they are judged, so that a part takes little memory.
  std::size_t parts() const;

  /// Some of them.
  struct Block {
    std::vector<float> values;
    std::vector<std::int32_t> codes;
    std::vector<std::uint32_t> sources;  ///< The example behind each row.
    std::vector<std::size_t> missing;    ///< Inputs that each row lacks, a group counting as one.

    EncodedBlock encoded() const {
      return {static_cast<int>(sources.size()), values.data(), codes.data()};
    }
  };
  Block block(std::size_t part) const;

  /// [target]: rows x width numbers.
  using Answers = std::vector<std::vector<double>>;
  Answers answers(const Learner& learner, const Block& block) const;

 private:
  std::size_t rows_at_once() const;
  std::size_t missing_inputs(std::uint32_t row, std::span<const std::uint8_t> mask) const;

  const HeldOutJudge& judge_;
  RowSplit split_;
  KnockoutSampler sampler_;
  std::vector<const Column*> columns_;  ///< One per feature.
};

}  // namespace knockout
