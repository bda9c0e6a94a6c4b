// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/networks/mlp.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// A network that turns the rows of one modality into latents. Made from any LibTorch module, by
/// its forward() or by another of its methods:
///   ModalityEncoder text = Mlp(MlpOptions{.inputs = 300, .outputs = 64});
///   ModalityEncoder photo(wide_resnet, &WideResNetImpl::features);
struct ModalityEncoder {
  template <typename Holder>
  requires requires(Holder& holder, torch::Tensor rows) {
    { holder.ptr()->forward(rows) } -> std::convertible_to<torch::Tensor>;
  }
  ModalityEncoder(Holder holder)  // implicit, so that a list of networks is one of encoders
      : network(holder.ptr()), run([](torch::nn::Module& module, const torch::Tensor& rows) {
          using Network = typename std::remove_cvref_t<decltype(holder.ptr())>::element_type;
          return dynamic_cast<Network&>(module).forward(rows);
        }) {}

  template <typename Holder, typename Network>
  ModalityEncoder(Holder holder, torch::Tensor (Network::*method)(const torch::Tensor&))
      : network(holder.ptr()), run([method](torch::nn::Module& module, const torch::Tensor& rows) {
          return (dynamic_cast<Network&>(module).*method)(rows);
        }) {}

  torch::Tensor encode(const torch::Tensor& rows) const { return run(*network, rows); }

  std::shared_ptr<torch::nn::Module> network;
  /// What encode() does with the network, or with a copy of it.
  std::function<torch::Tensor(torch::nn::Module&, const torch::Tensor&)> run;
};

struct FusionOptions {
  std::vector<ModalityEncoder> encoders;
  /// One modality for each encoder, in the same order, with the shape of its latent.
  KnockoutModuleOptions knockout;
  std::vector<std::int64_t> head_hidden = {100, 100};
  std::int64_t outputs = 1;
  double dropout_rate = 0.0;  ///< Of the head.
  /// Throws DataError when an encoder puts out a number that is not finite, which would be taken
  /// for a missing modality and never be noticed. Takes a read from the device for each pass.
  bool check_latents = true;
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
///
/// A pass reads from the device twice, however many modalities there are: which rows the encoders
/// see, as the sizes of their batches depend on it, and whether their latents are finite (see
/// check_latents). clone() clones the encoders as well, and throws what theirs throws.
class FusionImpl : public torch::nn::Cloneable<FusionImpl> {
 public:
  /// Throws ConfigError when encoders and modalities do not match.
  explicit FusionImpl(FusionOptions options);
  void reset() override;  ///< For clone(): encoders of its own.

  /// One tensor per modality, [batch, ...] as its encoder takes it. A modality is missing in a row
  /// when its tensor is undefined, when `presence` [batch, modalities] is false there, or when the
  /// row's numbers are all NaN (all +-Inf: missing for a reason), or its codes all -1 (all -2).
  /// Returns [batch, outputs]. Throws DataError for a row that is NaN only in part, as nothing says
  /// what an encoder should see there, and for a code below 0 that an encoder refuses; ConfigError
  /// for a latent of another shape than its modality's. Each names the modality.
  torch::Tensor forward(const std::vector<torch::Tensor>& inputs,
                        const torch::Tensor& presence = {});

  /// What the head gets: [batch, latent shape] per modality, placeholders in place.
  std::vector<torch::Tensor> latents(const std::vector<torch::Tensor>& inputs,
                                     const torch::Tensor& presence = {});

  /// Adds a training batch to the means of the latents, which Placeholder::mean() needs: call it
  /// once for each training batch before training. The encoders run in eval() and without
  /// gradients, so that they should be trained already, or frozen.
  void observe(const std::vector<torch::Tensor>& inputs, const torch::Tensor& presence = {});

  /// The module between the encoders and the head.
  const Knockout& knockout() const { return knockout_; }

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(torch::Tensor())})

 private:
  void build();
  void check_inputs(const std::vector<torch::Tensor>& inputs, const torch::Tensor& presence) const;
  torch::Tensor run_encoder(std::size_t modality, const torch::Tensor& rows,
                            const torch::Tensor& places) const;
  std::vector<torch::Tensor> encode(const std::vector<torch::Tensor>& inputs,
                                    const torch::Tensor& presence) const;

  FusionOptions options_;
  Knockout knockout_{nullptr};
  Mlp head_{nullptr};
};
TORCH_MODULE(Fusion);

}  // namespace knockout::nn
