// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "knockout/model/predictor.h"
#include "knockout/nn/generative/latent_model.h"
#include "knockout/nn/generative/masked_inputs.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// A latent-variable model of the inputs and a network that predicts from complete rows: MIWAE, or
/// supMIWAE when `supervised`. Safe to use from several threads once trained.
struct MiwaeModel {
  /// The rows with every gap filled by E[x missing | x observed]; noise is shared by all rows.
  torch::Tensor fill(const torch::Tensor& values, const torch::Tensor& observed) const;
  /// Standardised numbers and class probabilities, [rows, outputs]. REQUIRES: no gradients wanted.
  torch::Tensor predict(const torch::Tensor& values, const torch::Tensor& observed) const;
  /// Draws in place of the gaps, one for each sample: [rows, samples, inputs].
  torch::Tensor draw_gaps(const torch::Tensor& values, const torch::Tensor& observed,
                          const LatentSamples& samples, const SampleNoise& noise) const;

  bool supervised = false;
  std::vector<TargetOutputs> targets;
  LatentModel latent_model;
  DenseNetwork predictor;
  SampleNoise prediction_noise;  ///< Shared by all rows.
  /// The range of each input in the training data, [inputs]: what fills a gap stays within it,
  /// since the predictor knows nothing beyond.
  torch::Tensor lowest, highest;
};

/// ln p(labels | outputs) up to a constant, summed over targets: negative squared errors and log
/// probabilities of classes, each times the label's weight. [rows, samples, outputs] and twice
/// [rows, targets] to [rows, samples].
torch::Tensor log_likelihood(const torch::Tensor& outputs,
                             const std::vector<TargetOutputs>& targets, const torch::Tensor& labels,
                             const torch::Tensor& weights);

/// Copies answers of MiwaeModel::predict() into rows `first`, `first` + 1, ... of the predictions.
void write_answers(const torch::Tensor& answers, const std::vector<TargetOutputs>& targets,
                   std::size_t first, std::vector<TargetPrediction>& predictions);

/// A view of the numbers: they must outlive it.
torch::Tensor as_tensor(const std::vector<float>& numbers, std::int64_t rows, std::int64_t width);

}  // namespace knockout::nn
