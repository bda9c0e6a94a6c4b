// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/data_study.h"

namespace knockout::experiments {

struct Food101Options {};

DataStudy make_food101_study();

}  // namespace knockout::experiments
