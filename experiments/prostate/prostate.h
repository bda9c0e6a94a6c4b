// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// Prostate cancer from three MR images, any of which may be missing (PI-CAI). Where the paper is
/// silent, the defaults are ours; docs/experiments/prostate.md says which.
struct ProstateOptions {
  // --- the images ---
  std::vector<int> crop_mm = {80, 80, 60};  ///< Sides of the box around the prostate.
  std::vector<int> size = {100, 100, 40};   ///< Voxels of that box.
  std::string intensities = "z-score";      ///< Or "unit-range"; of each image by itself.
  std::string gland_masks = "";  ///< Folder of masks to centre the box on; "" = on the T2 image.
  // --- the networks ---
  std::vector<int> widths = {16, 32, 64, 128};  ///< Channels of each block.
  int latent = 256;
  std::vector<int> head_hidden = {100, 100};
  // --- how they are trained ---
  double learning_rate = 1e-3;
  int batch_rows = 16;
  int epochs = 50;       ///< Of each extractor.
  int head_epochs = 50;  ///< Of each head on the latents.
  double positive_weight = 1.0;
  double knockout_rate = 0.2063;  ///< (1 - r)^3 = 1/2: half of all rows stay complete.
  bool keep_one = true;           ///< Never knocks out all three.
  double validation_share = 0.2, test_share = 0.2;  ///< Of the patients.
  double threshold = 0.5;                           ///< Of the probability, for F1.
  int loader_threads = 1;
};

/// `options`, described and bound.
Settings prostate_settings(ProstateOptions& options);

DataStudy make_prostate_study();

}  // namespace knockout::experiments
