// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "experiments/food101/food101.h"

namespace knockout::experiments {

/// For EngineStudies.
StudyResult run_food101(const Food101Options& options, const DataStudyContext& run);

/// For EngineStudies: small networks with the signatures of ResNet-50 (pictures [rows, 3, side,
/// side] to features) and RoBERTa (tokens [rows, length], 1 = <pad>, to features), untrained.
void write_food101_encoders(const std::string& picture_path, const std::string& text_path,
                            int vocabulary_size, std::uint64_t seed);

}  // namespace knockout::experiments
