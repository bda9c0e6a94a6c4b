// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "experiments/regression_study.h"

namespace knockout::experiments {

/// What a regression study tells beside its numbers.
struct RegressionStory {
  std::string name;   ///< "regression"
  std::string title;  ///< "The paper's regression simulation"
  std::string introduction;
  std::vector<report::Table> paper_tables = {};  ///< The paper's own figures, shown beside ours.
};

/// Charts, tables, where the first arm leads and where it does not, times; and the same as JSON.
StudyResult tell(const RegressionStory& story, const RegressionDesign& design,
                 const RegressionErrors& errors);

}  // namespace knockout::experiments
