// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knockout/nn/generative/masked_inputs.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// A generator of our own: the global one is shared by all threads.
torch::Generator generator_from(std::uint64_t seed, std::uint32_t purpose);

/// y = x weight + bias, with PyTorch's initial weights: uniform within +-1/sqrt(inputs).
struct DenseLayer {
  DenseLayer(std::int64_t inputs, std::int64_t outputs, torch::Generator& generator);
  torch::Tensor forward(const torch::Tensor& x) const;
  /// Makes its parameters, which stay its own, parameters of `network` too: `<name>_weight` and
  /// `<name>_bias`.
  void join(torch::nn::Module& network, const std::string& name) const;

  torch::Tensor weight, bias;  ///< [inputs, outputs], [outputs]
};

/// DenseLayer layers with ReLU between them.
struct DenseNetwork {
  DenseNetwork(const std::vector<std::int64_t>& widths, torch::Generator& generator);
  torch::Tensor forward(torch::Tensor x) const;
  void join(torch::nn::Module& network, const std::string& name) const;  ///< `<name>_0_weight`, ...

  std::vector<DenseLayer> layers;
};

/// The random numbers behind importance samples. Every row has its own or, with a first dimension
/// of 1, all rows share them.
struct SampleNoise {
  torch::Tensor latent;  ///< [rows or 1, samples, latent], standard normal.
  /// What a draw of a number is made of: -2 ln U and cos(2 pi V), [rows or 1, samples, numbers].
  torch::Tensor radius, direction;

  std::int64_t samples() const { return latent.size(1); }
};

/// Importance samples of rows with gaps.
struct LatentSamples {
  torch::Tensor log_weights;     ///< [rows, samples]: ln p(x observed | z) + ln p(z) - ln q(z | x).
  torch::Tensor expected;        ///< [rows, samples, inputs]: E[x | z].
  torch::Tensor scale, freedom;  ///< [rows, samples, numbers]: of the Student-t of x given z.
};

/// p(x) as MIWAE models it (Mattei and Frellsen 2019): z is standard normal, inputs given z are
/// independent, numbers Student-t and categories categorical; q(z | x observed) proposes z. Inputs
/// are laid out as MaskedInputs says, 0 where they are missing.
struct LatentModel {
  LatentModel(InputLayout layout, std::int64_t latent, std::int64_t hidden,
              torch::Generator& generator);

  SampleNoise draw_noise(std::int64_t rows, std::int64_t samples,
                         torch::Generator& generator) const;
  /// `values` and `observed` (1 or 0) are [rows, inputs].
  LatentSamples sample(const torch::Tensor& values, const torch::Tensor& observed,
                       const SampleNoise& noise) const;
  /// One draw of x given z for each sample, [rows, samples, inputs]; gradients flow through it.
  /// Of a category, the probabilities.
  torch::Tensor draw_inputs(const LatentSamples& samples, const SampleNoise& noise) const;

  void join(torch::nn::Module& network) const;
  std::vector<torch::Tensor> parameters() const;

  InputLayout layout;
  std::int64_t latent;
  DenseNetwork encoder;  ///< x observed -> mean and raw scale of z.
  DenseNetwork decoder;  ///< z -> hidden units, from which the three below read.
  DenseLayer location, raw_scale, raw_freedom;
};

/// ln of the density of Student's t, element by element. REQUIRES: freedom >= 3.
torch::Tensor student_t_log_density(const torch::Tensor& x, const torch::Tensor& location,
                                    const torch::Tensor& scale, const torch::Tensor& freedom);

/// The importance-weighted bound on ln p(x observed) of each row, from [rows, samples] to [rows].
torch::Tensor importance_bound(const torch::Tensor& log_weights);

/// The mean over the samples, by self-normalised weights: [rows, samples, n] to [rows, n].
torch::Tensor importance_mean(const torch::Tensor& log_weights, const torch::Tensor& of_samples);

}  // namespace knockout::nn
