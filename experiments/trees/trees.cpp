// SPDX-License-Identifier: Apache-2.0
#include "experiments/trees/trees.h"

namespace knockout::experiments {

DataStudy make_trees_study() { return {.name = "trees"}; }

}  // namespace knockout::experiments
