// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/held_out.h"

#include <algorithm>
#include <cmath>

#include "knockout/base/error.h"
#include "knockout/model/shuffle.h"

namespace knockout {
namespace {

constexpr std::size_t kMinJudgedRows = 2048;
/// Encoded numbers that more masks for the same rows may take, 130 MB: with 100,000 columns 2,048
/// rows would take more memory than the training, and more time.
constexpr std::size_t kMostJudgedNumbers = std::size_t{1} << 25;

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

std::size_t masks_per_row(std::size_t held_out, int width) {
  const auto inputs = static_cast<std::size_t>(std::max(1, width));
  const std::size_t judged = std::min(kMinJudgedRows, kMostJudgedNumbers / inputs + 1);
  return (judged + held_out - 1) / held_out;
}

int HoldOut::folds() const { return share > 0 ? static_cast<int>(std::lround(1.0 / share)) : 0; }

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
  split.repeats = masks_per_row(split.held_out.size(), examples.inputs.width);
  return split;
}

KnockoutSampler held_out_sampler(const KnockoutPlan& plan, const HoldOut& hold_out, int member) {
  return {plan, Random(hold_out.seed, Stream::kValidation, member)};
}

}  // namespace knockout
