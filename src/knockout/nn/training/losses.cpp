// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/losses.h"

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

namespace F = torch::nn::functional;

/// sum / total, and 0 where the total is.
torch::Tensor mean_of(const torch::Tensor& sum, const torch::Tensor& total) {
  return sum / torch::where(total > 0, total, torch::ones_like(total));
}

/// At least float32: a sum over voxels leaves the range of half precision.
torch::Tensor summable(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.to(torch::promote_types(tensor.scalar_type(), torch::kFloat32))
                          : tensor;
}

}  // namespace

torch::Tensor cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels,
                            const torch::Tensor& class_weights) {
  constexpr std::int64_t kMissing = -100;
  const torch::Tensor classes = labels.to(torch::kInt64);
  const torch::Tensor labelled = classes >= 0;
  const torch::Tensor sum =
      F::cross_entropy(summable(scores), classes.masked_fill(~labelled, kMissing),
                       F::CrossEntropyFuncOptions()
                           .weight(summable(class_weights))
                           .ignore_index(kMissing)
                           .reduction(torch::kSum));
  const torch::Tensor weights =
      class_weights.defined() ? summable(class_weights).index({classes.clamp_min(0)}) * labelled
                              : labelled;
  return mean_of(sum, weights.sum().to(sum.dtype()));
}

torch::Tensor logistic_loss(const torch::Tensor& scores, const torch::Tensor& labels,
                            const torch::Tensor& positive_weights) {
  const torch::Tensor labelled = labels >= 0;  // which NaN is not
  const torch::Tensor logits = summable(scores);
  const torch::Tensor losses = F::binary_cross_entropy_with_logits(
      logits, labels.to(logits.dtype()).masked_fill(~labelled, 0),
      F::BinaryCrossEntropyWithLogitsFuncOptions()
          .pos_weight(summable(positive_weights))
          .reduction(torch::kNone));
  return mean_of(losses.masked_fill(~labelled, 0).sum(), labelled.sum().to(losses.dtype()));
}

torch::Tensor soft_dice(const torch::Tensor& scores, const torch::Tensor& labels,
                        const SoftDiceOptions& options) {
  if (!(options.smoothing > 0)) {
    throw ConfigError(fmt::format("soft_dice: the smoothing is {}; expected a number above 0.",
                                  options.smoothing));
  }
  const std::int64_t first = options.include_background ? 0 : 1;
  const std::int64_t regions = scores.size(1) - first;
  if (regions < 1) {
    throw ConfigError(
        fmt::format("soft_dice: {} class(es) leave no region.\n"
                    "  Give scores of at least two classes, or include the background.",
                    scores.size(1)));
  }
  const torch::Tensor logits = summable(scores);
  const torch::Tensor classes = labels.to(torch::kInt64).unsqueeze(1);
  const torch::Tensor labelled = (classes >= 0).to(logits.dtype());
  const auto voxels_by_region = [&](const torch::Tensor& by_class) {  // [batch, regions, voxels]
    return (by_class * labelled).narrow(1, first, regions).unsqueeze(2).flatten(2);
  };
  const torch::Tensor predicted = voxels_by_region(torch::softmax(logits, 1));
  const torch::Tensor truth =
      voxels_by_region(torch::zeros_like(logits).scatter_(1, classes.clamp_min(0), 1));
  const torch::Tensor overlap = (2 * (predicted * truth).sum(2) + options.smoothing) /
                                (predicted.sum(2) + truth.sum(2) + options.smoothing);
  // A row without labels overlaps fully, as nothing with nothing, and adds 0.
  const torch::Tensor rows = (labelled.flatten(1).sum(1) > 0).sum().to(logits.dtype());
  return mean_of((1 - overlap).mean(1).sum(), rows);
}

torch::Tensor cross_entropy_and_dice(const torch::Tensor& scores, const torch::Tensor& labels,
                                     const SoftDiceOptions& options) {
  return cross_entropy(scores, labels) + soft_dice(scores, labels, options);
}

}  // namespace knockout::nn
