// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/study.h"

namespace knockout::experiments {

/// Changes the paper's recipe one cause at a time: continuous classification and the MNAR ablation.
StudyResult reproduce_paper_causes(const StudyOptions& options);

}  // namespace knockout::experiments
