// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/engine_studies.h"

namespace knockout::experiments {

/// Everything in EngineStudies. Free of LibTorch itself, for whoever links it.
EngineStudies torch_studies();

}  // namespace knockout::experiments
