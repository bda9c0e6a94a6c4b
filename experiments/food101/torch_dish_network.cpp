// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/torch_dish_network.h"

#include <exception>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

/// Features that an encoder makes of one row.
std::int64_t width_of(nn::ScriptEncoder& encoder, const torch::Tensor& example,
                      const std::string& path) {
  const torch::NoGradGuard no_gradients;
  torch::Tensor features;
  try {
    features = encoder->forward(example);
  } catch (const std::exception& error) {  // TorchScript throws several kinds
    const std::string reason = error.what();
    throw ModelFileError(fmt::format("{}: does not take an input of this study: {}", path,
                                     reason.substr(0, reason.find('\n'))));
  }
  if (features.dim() != 2 || features.size(0) != 1) {
    throw ModelFileError(
        fmt::format("{}: puts out a tensor of {} dimensions for one row, expected [1, features].",
                    path, features.dim()));
  }
  return features.size(1);
}

}  // namespace

DishNetworkImpl::DishNetworkImpl(const Food101Options& options, const std::string& picture_encoder,
                                 const std::string& text_encoder, const nn::Batch& example,
                                 std::int64_t classes, double knockout_rate, std::uint64_t seed) {
  const nn::ScriptEncoderOptions how{.fine_tune = options.fine_tune};
  pictures_ = register_module("pictures", nn::ScriptEncoder(picture_encoder, how));
  texts_ = register_module("texts", nn::ScriptEncoder(text_encoder, how));
  const std::int64_t from = width_of(pictures_, example.inputs[0], picture_encoder);
  const std::int64_t width = width_of(texts_, example.inputs[1], text_encoder);
  to_text_width_ = register_module("to_text_width", torch::nn::Linear(from, width));
  means_ = register_buffer("means", torch::zeros({2 * width}));
  stddevs_ = register_buffer("stddevs", torch::ones({2 * width}));
  const auto modality = [&](const char* name) {
    return nn::Modality{.name = name,
                        .shape = {width},
                        .placeholder = nn::Placeholder::zeros(),
                        .force_placeholder = true,  // the paper's, however narrow the encoder is
                        .knockout_rate = knockout_rate};
  };
  nn::KnockoutModuleOptions knockout{.modalities = {modality("picture"), modality("text")},
                                     .keep_at_least_one = true,
                                     .seed = seed};
  knockout_ = register_module("knockout", nn::Knockout(knockout));
  nn::MlpOptions head{.inputs = 2 * width,
                      .hidden = {options.hidden.begin(), options.hidden.end()},
                      .outputs = classes};
  head_ = register_module("head", nn::Mlp(head));
}

torch::Tensor DishNetworkImpl::latents(const nn::Batch& batch) {
  return torch::cat({to_text_width_->forward(pictures_->forward(batch.inputs[0])),
                     texts_->forward(batch.inputs[1])},
                    1);
}

void DishNetworkImpl::set_scale(const torch::Tensor& latents) {
  const torch::NoGradGuard no_gradients;
  means_.copy_(latents.mean(0));
  const torch::Tensor stddevs = latents.std(0, /*unbiased=*/false);
  // A latent that is always the same says nothing and stays at 0.
  stddevs_.copy_(torch::where(stddevs > 0, stddevs, torch::ones_like(stddevs)));
}

torch::Tensor DishNetworkImpl::features(const nn::Batch& batch) {
  return (latents(batch) - means_) / stddevs_;
}

torch::Tensor DishNetworkImpl::classify(const torch::Tensor& features,
                                        const torch::Tensor& presence) {
  return head_->forward(torch::cat(knockout_->forward_all(features.chunk(2, 1), presence), 1));
}

}  // namespace knockout::experiments
