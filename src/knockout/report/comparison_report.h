// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "knockout/eval/compare.h"
#include "knockout/report/document.h"

namespace knockout::report {

/// What a comparison found: who leads where, losses against the share of cells removed, paired
/// differences from the first method, times, and what failed. Without provenance, which the caller
/// knows.
Document comparison_document(const Comparison& comparison);

}  // namespace knockout::report
