// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"
#include "knockout/encode/encoder.h"
#include "knockout/fit/fit.h"
#include "knockout/mask/plan.h"
#include "knockout/model/targets.h"
#include "knockout/networks/network.h"
#include "knockout/networks/train_options.h"

namespace knockout {

/// What the judgement needs, all of it from the training.
struct HeldOutJudge {
  const Table& table;
  const Examples& examples;
  const Encoder& encoder;
  const KnockoutPlan& plan;
  const std::vector<TargetCoding>& targets;
  const ResolvedTraining& options;
};

/// Every network answers, alone, for the rows that it held out, under the masks that decided when
/// its training stopped. Levels without a row are left out; without validation there are none. Does
/// not depend on the number of threads.
std::vector<HeldOutLevel> judge_held_out(const HeldOutJudge& judge,
                                         const std::vector<Network>& networks);

/// [{"missing": 2, "targets": [{"rows": 410, "mse": 1.3}]}, ...]; classes have "log_loss" and
/// "error_rate". As the model's provenance keeps it.
nlohmann::json held_out_to_json(const std::vector<HeldOutLevel>& levels,
                                const std::vector<TargetCoding>& targets);

}  // namespace knockout
