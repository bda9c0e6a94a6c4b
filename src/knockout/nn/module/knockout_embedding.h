// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// An embedding of a categorical input with rows of its own for missing and for missing for a
/// reason. Codes are 0 .. categories-1; -1 is missing, -2 missing for a reason. In train() codes
/// are knocked out like the units of Knockout, each column of [batch, columns] on its own.
///
/// Where one p(M) decides for numbers and categories together, they all go through one Knockout,
/// the codes with Placeholder::code(), and the embedding knocks nothing out itself:
///   KnockoutEmbedding embedding(KnockoutEmbeddingImpl::Options{.categories = 6,
///                                                              .knockout_rate = 0});
///   auto inputs = knockout->forward_all({numbers, codes});
///   auto features = torch::cat({inputs[0], embedding->forward(inputs[1]).flatten(1)}, 1);
class KnockoutEmbeddingImpl : public torch::nn::Cloneable<KnockoutEmbeddingImpl> {
 public:
  struct Options {
    std::int64_t categories = 2;
    std::int64_t dimension = 10;
    std::int64_t columns = 1;           ///< Columns that share the embedding.
    double knockout_rate = kPaperRate;  ///< The paper's: as if these columns were all.
    std::uint64_t seed = 0;
    std::uint32_t member = 0;  ///< Another one for each Knockout and embedding of a network.
  };
  explicit KnockoutEmbeddingImpl(Options options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  /// [batch] or [batch, columns] of integers -> the same with one more dimension. A code outside
  /// the range is an error, never a missing value: DataError on the CPU, LibTorch's own elsewhere.
  torch::Tensor forward(const torch::Tensor& codes);

  const torch::Tensor& weight() const { return weight_; }

 private:
  Options options_;
  Knockout knockout_{nullptr};
  torch::Tensor weight_;
};
TORCH_MODULE(KnockoutEmbedding);

}  // namespace knockout::nn
