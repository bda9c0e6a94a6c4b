// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/engine_studies.h"

namespace knockout::experiments {

/// All parts of studies that run on LibTorch. Free of LibTorch itself, for whoever links them.
EngineStudies torch_studies();

}  // namespace knockout::experiments
