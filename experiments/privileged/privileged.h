// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// Noisy labels with privileged information: who annotated an image and how long it took, known in
/// training and never afterwards. The paper's values are the defaults.
struct PrivilegedOptions {
  // --- which data ---
  std::string dataset = "cifar10n";  ///< cifar10h, cifar10n, cifar100n, cifar10h-counts.
  int training_images = 0;           ///< The first so many; 0 = all there are.
  int test_images = 0;
  bool augment = true;  ///< Random flips and shifts by up to 4 pixels.
  // --- the network ---
  int depth = 28;
  int width = 10;
  /// Hidden units between the features with the side information and the classes; {} = none, and
  /// then who annotated can only make classes likelier, never stand one class for another.
  std::vector<int> head = {};
  // --- training ---
  int epochs = 90;
  int batch = 256;
  double learning_rate = 0.1;
  double momentum = 0.9;
  double weight_decay = 1e-3;
  std::vector<int> decay_epochs = {36, 72};
  double decay = 0.2;
  // --- Knockout ---
  double knockout_rate = 0.5;
  double placeholder = -1.0;
  // --- HET: a low-rank Gaussian over the scores, averaged over samples ---
  int het_factors = 10;
  int het_samples = 100;
  double het_temperature = 1.0;
  // --- SOP: a sparse correction of each label, learned with the network ---
  double sop_rate_u = 10.0;
  double sop_rate_v = 10.0;
};

/// The options as flags; `options` must outlive them.
Settings privileged_settings(PrivilegedOptions& options);

DataStudy make_privileged_study();

}  // namespace knockout::experiments
