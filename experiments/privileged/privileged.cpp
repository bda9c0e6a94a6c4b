// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/privileged.h"

namespace knockout::experiments {

DataStudy make_privileged_study() { return {.name = "privileged"}; }

}  // namespace knockout::experiments
