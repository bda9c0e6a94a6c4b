// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/data_study.h"
#include "experiments/tumor/tumor.h"

namespace knockout::experiments {

/// The study on the LibTorch engine; see EngineStudies. Memory depends on the size of the volumes
/// and patches, not on the number of subjects.
StudyResult run_tumor_study(const TumorOptions& options, const DataStudyContext& run);

}  // namespace knockout::experiments
