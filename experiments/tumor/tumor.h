// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// The paper's values where it gives them; docs/experiments/tumor.md says where it does not.
struct TumorOptions {
  // --- what is read ---
  std::string modalities = "t1,t1ce,t2,flair";  ///< As the files are called.
  std::string segmentation = "seg";
  int classes = 4;          ///< Of the segmentation, with the background.
  bool any_affine = false;  ///< Trust the voxels where the affines of a subject's files differ.
  double validation_share = 0.05, test_share = 0.15;
  // --- the network ---
  int levels = 4, blocks = 2, base_width = 16;
  // --- the training ---
  std::vector<int> patch = {128};  ///< Voxels along x, y, z, or one for all; 0 = all there are.
  int batch = 2;
  int epochs = 100;        ///< One patch of each training subject each.
  int validate_every = 5;  ///< Epochs.
  double learning_rate = 1e-3;
  std::string schedule = "constant";
  std::string loss = "cross-entropy+dice";  ///< The Dice is soft.
  double knockout_rate = -1;                ///< Below 0: (1 - rate)^modalities = 1/2.
  bool keep_one = true;                     ///< No row loses all of its images.
  std::string masks = "row";                ///< Or "batch": the same images for all rows of a step.
  // --- the test ---
  double overlap = 0.5;
  // --- how fast ---
  int loader_threads = 1;
};

/// The options as flags; `options` must outlive them.
Settings tumor_settings(TumorOptions& options);

/// The names in TumorOptions::modalities. Throws ConfigError when one is empty or there twice.
std::vector<std::string> modality_names(const TumorOptions& options);

/// What trains a network, and what stands for an image that is not there.
struct TumorMethod {
  std::string name, label;
  bool knocks_out = true;
  bool fills_in_mean = false;  ///< The mean image of the modality; otherwise `constant`.
  double constant = 0;
};
/// As the paper orders them.
const std::vector<TumorMethod>& tumor_methods();

DataStudy make_tumor_study();

}  // namespace knockout::experiments
