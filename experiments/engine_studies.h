// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/data_study.h"

namespace knockout::experiments {

struct PrivilegedOptions;
struct TumorOptions;
struct ProstateOptions;
struct Food101Options;
struct PictureEncoding;

/// The parts of the studies that run on LibTorch or read and write pictures, volumes and texts
/// (media/). Only knockout-nn links those; what a study is and which options it has is known
/// without them, so that `knockout` can explain it and check its options.
struct EngineStudies {
  // --- on LibTorch: experiments/*/torch_* ---
  StudyResult (*privileged)(const PrivilegedOptions& options,
                            const DataStudyContext& run) = nullptr;
  StudyResult (*tumor)(const TumorOptions& options, const DataStudyContext& run) = nullptr;
  StudyResult (*prostate)(const ProstateOptions& options, const DataStudyContext& run) = nullptr;
  StudyResult (*food101)(const Food101Options& options, const DataStudyContext& run) = nullptr;
  /// The TorchScript files of a made-up data set for `food101`.
  void (*write_food101_encoders)(const std::string& picture_path, const std::string& text_path,
                                 int vocabulary_size, std::uint64_t seed) = nullptr;
  /// Pictures through a TorchScript encoder, for `trees`: one row of features per picture.
  std::vector<std::vector<float>> (*encode_pictures)(const PictureEncoding& encoding) = nullptr;
  // --- on media/ ---
  std::string (*synthesize_privileged)(const PrivilegedOptions& options,
                                       const Synthesis& synthesis) = nullptr;
  std::string (*synthesize_tumor)(const Synthesis& synthesis) = nullptr;
  std::string (*synthesize_prostate)(const Synthesis& synthesis) = nullptr;
  std::string (*synthesize_food101)(const Food101Options& options,
                                    const Synthesis& synthesis) = nullptr;
  /// What an encoder would see of a picture; called for what it throws.
  std::vector<float> (*picture_planes)(std::string_view bytes, const std::string& source,
                                       int shorter_side, int side) = nullptr;
};

/// Called by knockout-nn before anything else.
void set_engine_studies(const EngineStudies& studies);
/// REQUIRES: this is knockout-nn.
const EngineStudies& engine_studies();

}  // namespace knockout::experiments
