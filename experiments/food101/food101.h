// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// Dishes from a picture and a text, either of which may be missing (UPMC Food-101). The paper's
/// values are the defaults; docs/experiments/food101.md says where it is silent.
struct Food101Options {
  /// With --synthesize: the folder of the emoji that are written in place of made-up dishes.
  std::string stand_in;
  // --- files, in the data folder unless they name another place ---
  std::string picture_encoder = "resnet50.pt";  ///< TorchScript.
  std::string text_encoder = "roberta.pt";
  std::string vocabulary = "vocab.json";
  std::string merges = "merges.txt";
  // --- the inputs ---
  int picture_side = 224;
  int most_tokens = 128;
  // --- the network ---
  std::vector<int> hidden = {256, 256};
  bool fine_tune = true;  ///< The encoders learn too.
  // --- training ---
  int epochs = 8;
  int batch = 72;
  double learning_rate = 3e-5;
  double weight_decay = 0.01;
  int validation_rows = 7000;
  // --- Knockout ---
  double knockout_rate = 0.2929;  ///< (1 - r)^2 = 1/2: half of all rows stay complete.
  int loader_threads = 2;
};

/// `options`, described and bound.
Settings food101_settings(Food101Options& options);

DataStudy make_food101_study();

}  // namespace knockout::experiments
