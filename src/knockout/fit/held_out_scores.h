// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/fit/fit.h"
#include "knockout/fit/held_out_rows.h"
#include "knockout/model/learner.h"

namespace knockout {

/// The learner of each fold answers, alone, for the rows that it held out, under the masks that
/// decided when its training stopped. Levels without a row are left out; without validation there
/// are none. Does not depend on the number of threads.
std::vector<HeldOutLevel> judge_held_out(const HeldOutJudge& judge,
                                         const std::vector<LearnerPointer>& folds);

/// [{"missing": 2, "targets": [{"rows": 410, "mse": 1.3}]}, ...]; classes have "log_loss" and
/// "error_rate". As the model's provenance keeps it.
nlohmann::json held_out_to_json(const std::vector<HeldOutLevel>& levels,
                                const std::vector<TargetCoding>& targets);

}  // namespace knockout
