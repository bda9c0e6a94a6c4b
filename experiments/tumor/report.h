// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/study.h"
#include "experiments/tumor/subjects.h"
#include "experiments/tumor/tumor.h"

namespace knockout::experiments {

/// The methods that a run asks for, as described in tumor_methods().
std::vector<TumorMethod> chosen_tumor_methods(const DataStudyContext& run);

/// Everything the study found.
struct TumorFindings {
  const TumorOptions& options;
  nlohmann::ordered_json settings;
  const DataStudyContext& run;
  std::vector<TumorMethod> methods;
  const TumorSubjects& subjects;
  int repetitions = 1;
  /// Of the jobs, repetition after repetition, method after method: "dice"
  /// [subject][pattern][region] with one pattern more than missing_patterns(), "subjects", ...
  std::vector<nlohmann::json> results;
};

/// Tables, figures and all values.
StudyResult report_tumor_study(const TumorFindings& found);

}  // namespace knockout::experiments
