// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/prostate.h"

namespace knockout::experiments {

DataStudy make_prostate_study() { return {.name = "prostate"}; }

}  // namespace knockout::experiments
