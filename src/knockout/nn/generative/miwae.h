// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "knockout/model/method.h"

// LibTorch-free on purpose: the command includes it.
namespace knockout::nn {

/// How MIWAE (Mattei and Frellsen 2019) and supMIWAE (Ipsen et al. 2022) are trained. The defaults
/// are those of the paper's simulation, but for the mini-batches, in which our other networks are
/// trained as well, and a learning rate that decays to zero (cosine).
struct MiwaeOptions {
  int latent = 3;
  int hidden = 128;              ///< Units of both hidden layers of encoder and decoder.
  int training_samples = 20;     ///< Importance samples a row while training.
  int prediction_samples = 100;  ///< And when gaps are filled or predictions averaged.
  int steps = 5000;              ///< Of the latent-variable model, and again of the predictor.
  int batch_rows = 256;          ///< 0 = all rows, as in the paper: ten times the arithmetic.
  double learning_rate = 3e-3;
  std::vector<int> predictor_hidden = {100, 100};
  /// Folder in which the trainings keep where they stand, so that a fit that was cut off goes on
  /// from there; "" = none. See TrainerOptions::checkpoint_folder. It does not look at the cells of
  /// the table: one folder for each fit.
  std::string checkpoint_folder = {};
};

/// MIWAE: a deep latent-variable model of the inputs, trained on what is left of them after
/// knockout at the paper's rate. Then a network is trained on rows whose gaps, natural and knocked
/// out, hold the model's conditional expectation (self-normalised importance sampling), and
/// predicts from rows filled in the same way.
///
/// Numbers have a Student-t likelihood; categories, which the original lacks, a softmax, and are
/// filled with probabilities. Predictions are a function of the row alone, to the bit: every row
/// meets the same latent noise.
std::unique_ptr<Method> make_miwae(const MiwaeOptions& options = {});

/// supMIWAE: the same model and the predictor trained as one by the bound on log p(y, x observed),
/// with gaps drawn from the decoder; the log-likelihood of a number is its negative squared error.
/// Predictions are averages over importance samples.
std::unique_ptr<Method> make_supmiwae(const MiwaeOptions& options = {});

}  // namespace knockout::nn
