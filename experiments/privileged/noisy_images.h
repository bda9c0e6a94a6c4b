// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/privileged/privileged.h"

namespace knockout::experiments {

/// Images whose labels come from people, and what is known of how each label came about.
struct NoisyImages {
  int classes = 10;
  std::vector<std::uint8_t> pixels = {};  ///< Training images, n x 3 x 32 x 32.
  std::vector<int> labels = {};           ///< As annotated: the worst annotation of each image.
  std::vector<int> clean_labels = {};     ///< For the noise rate in the report; never trained on.
  /// Of that annotation, each scaled to [0, 1]; NaN = not known.
  std::vector<float> annotator = {}, seconds = {};
  std::vector<std::uint8_t> test_pixels = {};
  std::vector<int> test_labels = {};
  std::string description = {};  ///< For the report: counts, noise rate, files.

  std::size_t count() const { return labels.size(); }
  std::size_t test_count() const { return test_labels.size(); }
};

/// Reads the data set that `options.dataset` names from `folder`, as its owners ship it. What
/// cannot be used (an annotation of no image, a label out of range) goes to `bad`. Throws DataError
/// and FileError that name the file.
NoisyImages read_noisy_images(const PrivilegedOptions& options, const std::string& folder,
                              BadFiles& bad);

/// Writes a made-up data set in that layout. Returns what was written.
std::string synthesize_noisy_images(const PrivilegedOptions& options, const Synthesis& synthesis);

}  // namespace knockout::experiments
