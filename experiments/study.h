// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/jobs.h"
#include "experiments/recipe.h"
#include "knockout/methods/methods.h"
#include "knockout/report/document.h"

namespace knockout::experiments {

/// What a person can say about any study.
struct StudyOptions {
  int repetitions = 10;
  bool quick = false;  ///< One repetition and fewer test rows: a minute.
  std::uint64_t seed = 0;
  std::vector<std::string> methods = {};                          ///< Empty = the study's own.
  std::vector<Recipe> recipes = {Recipe::kOurs, Recipe::kPaper};  ///< How networks are trained.
  MethodMaker torch_methods = {};  ///< The methods on LibTorch; empty = it is not there.
  StudyContext run;
};

/// What a study found. Every number of the document can be recomputed from `data`.
struct StudyResult {
  report::Document document;  ///< Without provenance, which the caller knows.
  nlohmann::ordered_json data;
  std::shared_ptr<Journal> journal;  ///< To be removed once the result is safe.
};

/// A study of the paper, by the name that `knockout reproduce` takes.
struct Study {
  std::string name, description;
  StudyResult (*run)(const StudyOptions& options);
  bool has_recipes = false;  ///< StudyOptions::recipes means something to it.
};
const std::vector<Study>& studies();

/// The seed of one repetition. Another seed shares no repetition with this one.
inline std::uint64_t repetition_seed(std::uint64_t seed, int repetition) {
  constexpr std::uint64_t kApart = 1'000'003;
  return seed * kApart + static_cast<std::uint64_t>(repetition);
}

/// Mean over repetitions with its 95 % interval by Student's t. One repetition has no interval:
/// NaN.
struct Repeated {
  double mean = 0, low = 0, high = 0;
  double stddev = 0;
};
Repeated over_repetitions(const std::vector<double>& values);

}  // namespace knockout::experiments
