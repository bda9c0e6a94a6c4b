// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/nn/torch.h"

namespace knockout::nn {

// Losses over a batch: a scalar tensor, the mean over labelled cells (0 when there is none), with
// gradients. `scores` are what a network puts out, before softmax or sigmoid. Sums over half
// precision are taken, and returned, in float32: it ends at 65,504.

/// Cross entropy of class indices `labels` [batch, ...] under `scores` [batch, classes, ...]; a
/// negative label is missing. `class_weights` [classes], which may be undefined, make it a weighted
/// mean: the sum is divided by the weights of the labelled cells.
torch::Tensor cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels,
                            const torch::Tensor& class_weights = {});

/// Binary cross entropy of `labels` (0 or 1; NaN or negative = missing) under `scores` of the same
/// shape; positive labels count `positive_weights` times (one per output, the last dimension; may
/// be undefined).
torch::Tensor logistic_loss(const torch::Tensor& scores, const torch::Tensor& labels,
                            const torch::Tensor& positive_weights = {});

struct SoftDiceOptions {
  bool include_background = false;  ///< Class 0 counts as a region as well.
  double smoothing = 1e-5;          ///< Above 0: keeps an empty region finite.
};
/// 1 - the soft Dice overlap of softmax(scores) [batch, classes, ...] with class indices `labels`
/// [batch, ...], mean over regions and over the rows that have labels; negative labels count
/// nowhere. Throws ConfigError when there is no class but the background, or no smoothing.
torch::Tensor soft_dice(const torch::Tensor& scores, const torch::Tensor& labels,
                        const SoftDiceOptions& options = {});

/// Cross entropy + soft Dice: what segmentation networks are usually trained with.
torch::Tensor cross_entropy_and_dice(const torch::Tensor& scores, const torch::Tensor& labels,
                                     const SoftDiceOptions& options = {});

}  // namespace knockout::nn
