// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/torch_recipe.h"

#include <fmt/format.h>

#include "knockout/nn/training/losses.h"

namespace knockout::experiments {

nn::KnockoutModuleOptions tumor_masks(const TumorOptions& options, std::size_t modalities,
                                      std::uint64_t seed) {
  const double rate = options.knockout_rate < 0 ? nn::kPaperRate : options.knockout_rate;
  nn::KnockoutModuleOptions masks{.modalities = {},
                                  .keep_at_least_one = options.keep_one,
                                  .one_mask_per_batch = options.masks == "batch",
                                  .seed = seed};
  for (std::size_t m = 0; m < modalities; ++m) {
    masks.modalities.push_back(
        {.name = fmt::format("image{}", m), .shape = {1, -1, -1, -1}, .knockout_rate = rate});
  }
  return masks;
}

torch::Tensor tumor_loss(const TumorOptions& options, const torch::Tensor& scores,
                         const torch::Tensor& labels) {
  if (options.loss == "dice") return nn::soft_dice(scores, labels);
  if (options.loss == "cross-entropy") return nn::cross_entropy(scores, labels);
  return nn::cross_entropy_and_dice(scores, labels);
}

}  // namespace knockout::experiments
