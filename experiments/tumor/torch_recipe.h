// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "experiments/tumor/tumor.h"
#include "knockout/nn/module/modality.h"
#include "knockout/nn/torch.h"

namespace knockout::experiments {

/// p(M) of the training: one unit per image. The placeholders are not used: a method has its own.
nn::KnockoutModuleOptions tumor_masks(const TumorOptions& options, std::size_t modalities,
                                      std::uint64_t seed);

/// What TumorOptions::loss names, of scores [rows, classes, ...] and classes [rows, ...].
torch::Tensor tumor_loss(const TumorOptions& options, const torch::Tensor& scores,
                         const torch::Tensor& labels);

}  // namespace knockout::experiments
