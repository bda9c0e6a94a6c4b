// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "experiments/data_study.h"

namespace knockout::experiments {

/// Writes made-up cases in the layout of PI-CAI: images of different grids and directions per case,
/// marksheet.csv with all columns. In every gland there is a suspicious spot: cancer makes it
/// darker on T2 and ADC and brighter on DWI, and a benign nodule makes it darker on T2 and ADC
/// alike. Each image alone says something, but T2 beside ADC says the opposite of T2 alone: of two
/// spots equally dark on ADC, the darker on T2 is the benign one.
std::string synthesize_picai(const Synthesis& synthesis);

}  // namespace knockout::experiments
