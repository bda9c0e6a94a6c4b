// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "knockout/nn/knockout.h"
#include "knockout/nn/mlp.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// A network that turns the rows of one modality into latents. Made from any LibTorch module, by
/// its forward() or by another of its methods:
///   ModalityEncoder text = Mlp(MlpOptions{.inputs = 300, .outputs = 64});
///   ModalityEncoder photo(wide_resnet, &WideResNetImpl::features);
struct ModalityEncoder {
  std::shared_ptr<torch::nn::Module> network;
  std::function<torch::Tensor(const torch::Tensor&)> encode;

  template <typename Holder>
  requires requires(Holder& holder, torch::Tensor rows) {
    { holder.ptr()->forward(rows) } -> std::convertible_to<torch::Tensor>;
  }
  ModalityEncoder(Holder holder)  // implicit, so that a list of networks is one of encoders
      : network(holder.ptr()),
        encode([holder](const torch::Tensor& rows) { return holder.ptr()->forward(rows); }) {}

  template <typename Holder, typename Network>
  ModalityEncoder(Holder holder, torch::Tensor (Network::*method)(const torch::Tensor&))
      : network(holder.ptr()), encode([holder, method](const torch::Tensor& rows) {
          return (holder.ptr().get()->*method)(rows);
        }) {}
};

struct FusionOptions {
  std::vector<ModalityEncoder> encoders;
  /// One modality for each encoder, in the same order, with the shape of its latent.
  KnockoutModuleOptions knockout;
  std::vector<std::int64_t> head_hidden = {100, 100};
  std::int64_t outputs = 1;
  double dropout_rate = 0.0;  ///< Of the head.
};

/// One encoder per modality, Knockout on their latents, and a head on all of them.
///   Fusion network(FusionOptions{
///       .encoders = {cnn, mlp},
///       .knockout = {.modalities = {{.name = "scan", .shape = {256}},
///                                   {.name = "blood", .shape = {32}}}}});
///   torch::Tensor scores = network->forward({scans, blood}, presence);
///
/// An encoder sees only rows that have its modality: neither the numbers of an absent one, nor NaN,
/// nor anything made up reaches its batch norms and gradients. Rows without it take the placeholder
/// of its latent. An encoder that no row needs is not run, and its parameters get no gradient then.
/// An encoder with batch norm needs two rows of its modality in a training batch where nothing but
/// the batch is averaged over (BatchNorm1d on vectors): LibTorch refuses a single one.
class FusionImpl : public torch::nn::Module {
 public:
  /// Throws ConfigError when encoders and modalities do not match.
  explicit FusionImpl(FusionOptions options);

  /// One tensor per modality, [batch, ...] as its encoder takes it. A modality is missing in a row
  /// when its tensor is undefined, when `presence` [batch, modalities] is false there, or when the
  /// row's numbers are all NaN (all +-Inf: missing for a reason). Returns [batch, outputs]. Throws
  /// DataError for a row that is NaN only in part, as nothing says what an encoder should see
  /// there.
  torch::Tensor forward(const std::vector<torch::Tensor>& inputs,
                        const torch::Tensor& presence = {});

  /// What the head gets: [batch, latent shape] per modality, placeholders in place.
  std::vector<torch::Tensor> latents(const std::vector<torch::Tensor>& inputs,
                                     const torch::Tensor& presence = {});

 private:
  torch::Tensor encode(std::size_t modality, const torch::Tensor& input,
                       const torch::Tensor& present);

  std::vector<ModalityEncoder> encoders_;
  Knockout knockout_{nullptr};
  Mlp head_{nullptr};
};
TORCH_MODULE(Fusion);

}  // namespace knockout::nn
