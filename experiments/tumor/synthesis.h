// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// Writes subjects in the layout of BraTS 2021, 20 x 20 x 16 voxels each instead of 240 x 240 x
/// 155: an ellipsoid of a brain with a tumor of edema, enhancing rim and necrotic core, of which
/// each image shows some parts clearly and others faintly. Without signal, the segmentation is that
/// of a tumor elsewhere.
std::string synthesize_tumors(const Synthesis& synthesis);

}  // namespace knockout::experiments
