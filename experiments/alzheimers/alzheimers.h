// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/data_study.h"

namespace knockout::experiments {

struct AlzheimersOptions {};

DataStudy make_alzheimers_study();

}  // namespace knockout::experiments
