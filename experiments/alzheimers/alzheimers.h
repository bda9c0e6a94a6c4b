// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/alzheimers/cohort.h"
#include "experiments/data_study.h"

namespace knockout::experiments {

/// The study's hyper-parameters. The paper takes those of Karaman et al. (2022), whose published
/// program has these; docs/experiments/alzheimers.md says where it leaves room.
struct AlzheimersOptions {
  // --- who ---
  CohortRules rules;
  std::string subjects = "both";  ///< "all", "complete" (those without a gap) or "both".
  double test_share = 0.2;
  // --- the network ---
  std::vector<int> hidden = {128, 128, 128, 64, 64, 64, 64, 64, 32, 32};
  double dropout = 0.2;
  int networks = 1;
  bool reweight = true;  ///< MCI and AD of a year weigh the same.
  // --- its training ---
  double learning_rate = 1e-4;
  double weight_decay = 1e-6;
  int batch_rows = 32;
  int epochs = 1000;               ///< At most.
  double validation_share = 0.25;  ///< Of the training subjects.
  int patience = 75;               ///< Epochs without progress before training stops.
  double averaging = 0;            ///< Share of the averaged weights kept at each step.
  // --- Knockout ---
  std::string knockout_rate = "paper";  ///< (1 - rate)^inputs = 1/2, or a number.
  double placeholder = 10;              ///< Of what is knocked out or removed when testing.
  double reason_placeholder = -10;      ///< Of what is missing in the file.
};

DataStudy make_alzheimers_study();

/// Trains and tests on run.data. `settings` are the options as the report shows them.
StudyResult run_alzheimers(const AlzheimersOptions& options, const nlohmann::ordered_json& settings,
                           const DataStudyContext& run);

/// Writes a made-up ADNIMERGE.csv with all of its columns; see alzheimers_synthesis.cpp.
std::string synthesize_adnimerge(const Synthesis& synthesis);

}  // namespace knockout::experiments
