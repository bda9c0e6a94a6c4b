// SPDX-License-Identifier: Apache-2.0
// The paper's classification table with its marginal plots.
#pragma once

#include "experiments/study.h"

namespace knockout::experiments {

StudyResult reproduce_classification_continuous(const StudyOptions& options);
StudyResult reproduce_classification_mixed(const StudyOptions& options);

}  // namespace knockout::experiments
