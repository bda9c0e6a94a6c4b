// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "experiments/genera/picture_encoding.h"

namespace knockout::experiments {

/// EngineStudies::encode_pictures: one row of features per picture, all of one width. Pictures are
/// resized, cut and normalised as encoders trained on ImageNet expect. Throws FileError and
/// DataError for pictures that cannot be read, ModelFileError for an encoder that does not make
/// finite features of them.
std::vector<std::vector<float>> encode_pictures(const PictureEncoding& encoding);

}  // namespace knockout::experiments
