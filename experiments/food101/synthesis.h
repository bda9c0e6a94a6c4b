// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "experiments/data_study.h"
#include "experiments/food101/food101.h"

namespace knockout::experiments {

/// Writes a made-up data set in the layout of UPMC Food-101, with a tokenizer and two small
/// TorchScript encoders beside it. Titles name their dish most of the time; pictures show it too,
/// less plainly. With `options.stand_in`, what write_emoji_as_dishes() writes of that folder
/// instead. REQUIRES: this is knockout-nn.
std::string synthesize_dishes(const Food101Options& options, const Synthesis& synthesis);

/// The same without the encoders, which need LibTorch. Returns the size of the vocabulary.
int write_dishes(const Synthesis& synthesis);

}  // namespace knockout::experiments
