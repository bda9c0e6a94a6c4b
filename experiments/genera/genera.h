// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// The paper's tree genera from two views ("Missing Views in Tree Genus Classification"), for any
/// number of views. What the paper does not say is the native engine's default or chosen here; see
/// docs/experiments/genera.md.
struct TreesOptions {
  // --- which data ---
  int classes = 10;               ///< The most frequent genera.
  std::string sets;               ///< Folders of features, separated by commas; "" = all.
  std::string views;              ///< Separated by commas; "" = all.
  std::string labels = "labels";  ///< The file of the labels, without .npy or .csv.
  double test_share = 0.2;        ///< Of the rows, where the data set has no split.
  double validation_share = 0.2;
  // --- pictures ---
  std::string cities;  ///< Folders of records, separated by commas; "" = all.
  /// Where the records of Auto Arborist have the pictures and the genus.
  std::string record_views = "aerial=aerial/encoded,street=streetlevel/encoded";
  std::string record_label = "tree/genus/label";
  std::string encoder;  ///< TorchScript files, separated by commas; "" = features are there.
  int picture_side = 224;
  int shorter_side = 256;
  int encoder_batch = 32;
  // --- network and training ---
  std::vector<int> hidden = {256, 256};
  int batch_rows = 256;
  int steps = 2000;
  int patience = 15;
  double learning_rate = 1e-3;
  double weight_decay = 0.01;
  double dropout = 0;
  std::string knockout_rate = "paper";
  std::string feature_rate = "paper";
  // --- score ---
  std::string f1 = "macro";
};

DataStudy make_trees_study();

/// Whether the study on this data set has pictures to encode first, for which only knockout-nn has
/// the engine. Everything after that runs on the native engine.
bool trees_need_engine(const TreesOptions& options, const std::string& data);

}  // namespace knockout::experiments
