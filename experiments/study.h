// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/jobs.h"
#include "knockout/report/document.h"

namespace knockout::experiments {

/// What a person can say about any study.
struct StudyOptions {
  int repetitions = 10;
  bool quick = false;  ///< One repetition and fewer test rows: a minute.
  std::uint64_t seed = 0;
  std::vector<std::string> methods = {};  ///< Empty = those of the paper.
  StudyRun run;
};

/// What a study found. Every number of the document can be recomputed from `data`.
struct StudyResult {
  report::Document document;  ///< Without provenance, which the caller knows.
  nlohmann::ordered_json data;
  std::size_t resumed = 0;  ///< Jobs taken over from an interrupted run.
};

/// A study of the paper, by the name that `knockout reproduce` takes.
struct Study {
  std::string name, description;
  StudyResult (*run)(const StudyOptions& options);
};
const std::vector<Study>& studies();
/// Throws ConfigError with the nearest name.
const Study& find_study(const std::string& name);

/// Mean over repetitions with its 95 % interval by Student's t. One repetition has no interval:
/// NaN.
struct Repeated {
  double mean = 0, low = 0, high = 0;
  double stddev = 0;
};
Repeated over_repetitions(const std::vector<double>& values);

}  // namespace knockout::experiments
