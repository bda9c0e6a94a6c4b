// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/data_study.h"

namespace knockout::experiments {

struct ProstateOptions {};

DataStudy make_prostate_study();

}  // namespace knockout::experiments
