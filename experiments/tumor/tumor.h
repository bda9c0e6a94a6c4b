// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/data_study.h"

namespace knockout::experiments {

struct TumorOptions {};

DataStudy make_tumor_study();

}  // namespace knockout::experiments
