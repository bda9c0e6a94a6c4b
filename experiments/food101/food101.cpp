// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/food101.h"

namespace knockout::experiments {

DataStudy make_food101_study() { return {.name = "food101"}; }

}  // namespace knockout::experiments
