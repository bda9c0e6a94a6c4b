// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// Writes made-up latents of trees: resnet50/ (2048 wide) and vit_b_16/ (768 wide), each with
/// aerial.npy, street.npy and labels.npy. Both encoders see the same trees of ten genera, some far
/// more frequent than others. From the air one half of the genera look alike in pairs, from the
/// street others do, so that each view tells what the other does not. The season shows in both:
/// with both views it can be told from the genus, with one it cannot.
std::string synthesize_trees(const Synthesis& synthesis);

}  // namespace knockout::experiments
