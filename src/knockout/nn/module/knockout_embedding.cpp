// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/knockout_embedding.h"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"

namespace knockout::nn {

KnockoutEmbeddingImpl::KnockoutEmbeddingImpl(Options options) : options_(options) {
  if (options_.categories < 1 || options_.dimension < 1 || options_.columns < 1) {
    throw ConfigError("KnockoutEmbedding: categories, dimension and columns must be at least 1.");
  }
  reset();
}

void KnockoutEmbeddingImpl::reset() {
  knockout_ = register_module(
      "knockout",
      Knockout(KnockoutModuleOptions{.modalities = {{.name = "code",
                                                     .shape = {options_.columns},
                                                     .placeholder = Placeholder::constant(-1),
                                                     .knockout_rate = options_.knockout_rate,
                                                     .separate_features = true}},
                                     .seed = options_.seed,
                                     .member = options_.member}));
  // Two more rows: missing, and missing for a reason.
  weight_ =
      register_parameter("weight", torch::randn({options_.categories + 2, options_.dimension}));
}

void KnockoutEmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << fmt::format("knockout::nn::KnockoutEmbedding(categories={}, dimension={}, columns={})",
                        options_.categories, options_.dimension, options_.columns);
}

torch::Tensor KnockoutEmbeddingImpl::forward(const torch::Tensor& codes) {
  const std::int64_t categories = options_.categories;
  const bool is_matrix = codes.dim() == 2;
  if ((is_matrix ? codes.size(1) : codes.dim() == 1 ? 1 : -1) != options_.columns) {
    throw ConfigError(
        fmt::format("KnockoutEmbedding: codes have the shape [{}]; expected [rows, {}].",
                    fmt::join(codes.sizes(), ", "), options_.columns));
  }
  if (codes.device().is_cpu() && codes.numel() > 0 &&
      (codes.min().item<std::int64_t>() < -2 || codes.max().item<std::int64_t>() >= categories)) {
    throw DataError(fmt::format(
        "KnockoutEmbedding: codes go from {} to {}; expected 0 to {}, -1 for missing, -2 for "
        "missing "
        "for a reason.",
        codes.min().item<std::int64_t>(), codes.max().item<std::int64_t>(), categories - 1));
  }
  // -1 and -2 become the two last rows. On a device where nothing was checked, a code beyond the
  // categories must not land there: it moves out of the table, where LibTorch refuses it.
  torch::Tensor row = torch::where(codes.lt(0), categories - 1 - codes,
                                   torch::where(codes.ge(categories), codes + 2, codes));
  if (is_training()) {
    const torch::Tensor mask =
        knockout_->next_mask(codes.size(0), codes.device()).reshape(codes.sizes());
    row =
        torch::where(mask.eq(KnockoutSampler::kKept), row, mask.to(row.dtype()) + (categories - 1));
  }
  return torch::embedding(weight_, row);
}

}  // namespace knockout::nn
