// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "knockout/nn/torch.h"

namespace knockout::experiments {

struct HeteroscedasticOptions {
  std::int64_t features = 64;
  std::int64_t classes = 10;
  std::int64_t factors = 10;  ///< Rank of the covariance, beside its diagonal.
  std::int64_t samples = 100;
  double temperature = 1.0;
};

/// HET (Collier et al. 2021, "Correlated input-dependent label noise in large-scale image
/// classification"): the scores of an image are Gaussian around their mean, with a covariance
/// V V' + diag(d^2) that depends on the image. V and d are linear in the features (d through a
/// softplus); the probability of a class is the mean of softmax(scores / temperature) over samples.
class HeteroscedasticImpl : public torch::nn::Module {
 public:
  explicit HeteroscedasticImpl(const HeteroscedasticOptions& options);

  /// Log-probabilities [batch, classes]. In train() each row has samples of its own, from
  /// LibTorch's generator; in eval() all rows share the same ones, so that a row's answer does not
  /// depend on the rows beside it.
  torch::Tensor forward(const torch::Tensor& features, const torch::Tensor& mean_scores);

  /// The same with given noise: for the factors [batch or 1, samples, factors] and the diagonal
  /// [batch or 1, samples, classes].
  torch::Tensor with_noise(const torch::Tensor& features, const torch::Tensor& mean_scores,
                           const torch::Tensor& factor_noise, const torch::Tensor& own_noise);

 private:
  HeteroscedasticOptions options_;
  torch::nn::Linear factors_{nullptr}, deviations_{nullptr};
};
TORCH_MODULE(Heteroscedastic);

/// SOP (Liu et al. 2022, "Robust training under label noise by over-parameterization"): what is
/// wrong with the label of image i is learned beside the network as a sparse vector
/// s_i = u_i^2 y_i - v_i^2 (1 - y_i), y_i being the label as it was given, one-hot. u and v start
/// near zero and are taken by plain gradient descent, without momentum, decay of weights or
/// schedule: that is what keeps s_i sparse.
///
/// Only the component of u_i at the label counts, so that one number per image is kept.
class LabelCorrectionsImpl : public torch::nn::Module {
 public:
  LabelCorrectionsImpl(std::int64_t images, std::int64_t classes);

  /// The mean over the batch of two losses. Cross entropy of the given labels under
  /// softmax(scores) + s, cut off at 1e-4 from below and scaled to sum 1, which moves the network
  /// and u; and the squared distance of the predicted class (one-hot, fixed) + s from the label,
  /// which moves v. `rows` are the images' numbers.
  torch::Tensor loss(const torch::Tensor& scores, const torch::Tensor& labels,
                     std::span<const std::size_t> rows);

 private:
  std::int64_t classes_;
  torch::Tensor u_, v_;
};
TORCH_MODULE(LabelCorrections);

}  // namespace knockout::experiments
