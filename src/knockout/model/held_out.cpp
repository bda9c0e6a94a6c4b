// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/held_out.h"

#include <algorithm>
#include <cmath>

#include "knockout/base/error.h"
#include "knockout/model/shuffle.h"

namespace knockout {
namespace {

constexpr std::size_t kMinJudgedRows = 2048;

std::vector<std::uint32_t> labelled_examples(const Examples& examples) {
  const std::size_t heads = examples.heads.size();
  std::vector<std::uint32_t> labelled;
  for (std::uint32_t r = 0; r < examples.inputs.rows; ++r) {
    const float* weights = examples.weights.data() + r * heads;
    if (std::any_of(weights, weights + heads, [](float w) { return w > 0.0f; }))
      labelled.push_back(r);
  }
  return labelled;
}

}  // namespace

int HoldOut::folds() const {
  return share > 0 ? static_cast<int>(std::lround(1.0 / share)) : 0;
}

RowSplit split_rows(const Examples& examples, const HoldOut& hold_out, int member) {
  const std::vector<std::uint32_t> labelled = labelled_examples(examples);
  if (labelled.empty()) throw DataError("There is no row with a label to learn from.");
  std::vector<std::uint32_t> order(labelled.size());
  ShuffledRows(static_cast<std::uint32_t>(labelled.size()), Random(hold_out.seed, Stream::kSplit))
      .fill(0, order);
  const int folds = hold_out.folds();
  RowSplit split;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool hold = folds > 1 && static_cast<int>(i % folds) == member % folds;
    (hold ? split.held_out : split.training).push_back(labelled[order[i]]);
  }
  if (split.training.empty()) std::swap(split.training, split.held_out);
  std::sort(split.training.begin(), split.training.end());
  if (split.held_out.empty()) return split;
  if (split.held_out.size() > kMaxHeldOutRows) split.held_out.resize(kMaxHeldOutRows);
  split.repeats = (kMinJudgedRows + split.held_out.size() - 1) / split.held_out.size();
  return split;
}

KnockoutSampler held_out_sampler(const KnockoutPlan& plan, const HoldOut& hold_out, int member) {
  return {plan, Random(hold_out.seed, Stream::kValidation, member)};
}

}  // namespace knockout
