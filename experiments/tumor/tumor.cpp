// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/tumor.h"

namespace knockout::experiments {

DataStudy make_tumor_study() { return {.name = "tumor"}; }

}  // namespace knockout::experiments
