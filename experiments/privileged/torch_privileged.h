// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/privileged/privileged.h"

namespace knockout::experiments {

struct NoisyImages;

/// Trains a Wide-ResNet on noisy labels by every method, with several seeds, and tests it on clean
/// labels without any privileged information. Throws what reading and training throw.
StudyResult run_privileged(const PrivilegedOptions& options, const DataStudyContext& run);

/// The same with images that are in memory; `bad` is what was left out of them.
StudyResult run_privileged_on(const NoisyImages& images, const PrivilegedOptions& options,
                              const BadFiles& bad, const DataStudyContext& run);

}  // namespace knockout::experiments
