// SPDX-License-Identifier: Apache-2.0
#include "experiments/alzheimers/alzheimers.h"

namespace knockout::experiments {

DataStudy make_alzheimers_study() { return {.name = "alzheimers"}; }

}  // namespace knockout::experiments
