// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/data_study.h"

namespace knockout::experiments {

struct TreesOptions {};

DataStudy make_trees_study();

}  // namespace knockout::experiments
