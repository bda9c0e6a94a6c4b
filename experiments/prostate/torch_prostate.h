// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "experiments/prostate/picai.h"
#include "experiments/prostate/prostate.h"
#include "knockout/nn/torch.h"

namespace knockout::experiments {

/// Which images are there, as kPicaiEndings, in the order of the paper's tables.
struct ImagePattern {
  const char* name;
  std::array<bool, kPicaiImages> present;
};
inline constexpr std::array<ImagePattern, 7> kImagePatterns = {{{"T2", {true, false, false}},
                                                                {"ADC", {false, true, false}},
                                                                {"DWI", {false, false, true}},
                                                                {"ADC+DWI", {false, true, true}},
                                                                {"T2+DWI", {true, false, true}},
                                                                {"T2+ADC", {true, true, false}},
                                                                {"All", {true, true, true}}}};

/// F1 and area under the ROC curve of each pattern.
struct PatternScores {
  std::vector<double> f1, auc;
};

/// `probabilities` is [rows, patterns], `labels` [rows, 1] of 0 and 1. AUC is NaN when the labels
/// are all alike.
PatternScores score_patterns(const torch::Tensor& probabilities, const torch::Tensor& labels,
                             double threshold);

/// The mean of the probabilities [rows, images] that are there, per pattern: [rows, patterns].
torch::Tensor ensemble_probabilities(const torch::Tensor& probabilities);

/// For EngineStudies.
StudyResult run_prostate(const ProstateOptions& options, const DataStudyContext& run);

}  // namespace knockout::experiments
