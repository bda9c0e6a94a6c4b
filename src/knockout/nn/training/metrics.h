// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "knockout/model/f1.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

// Metrics of predictions against labels, on any device; each is a plain number, NaN when undefined
// (no labels at all, labels of one kind only for AUROC). Negative labels are missing.

/// A region of a segmentation: the union of some classes (BraTS: whole tumor = {1, 2, 3}).
using Region = std::vector<std::int64_t>;

/// Dice overlap of predicted with true class indices (same shape) for each region, over all voxels
/// given; a region that both leave empty counts as 1.
std::vector<double> dice(const torch::Tensor& predicted, const torch::Tensor& labels,
                         std::span<const Region> regions);

/// The share of class indices (same shape) that are right.
double accuracy(const torch::Tensor& predicted, const torch::Tensor& labels);

/// F1 of class indices. Throws DataError for an index outside [0, classes).
double f1(const torch::Tensor& predicted, const torch::Tensor& labels, F1Average average,
          std::int64_t classes = 2);

/// Area under the ROC curve of `scores` for binary `labels` (0 or 1); ties count half.
double auroc(const torch::Tensor& scores, const torch::Tensor& labels);

}  // namespace knockout::nn
