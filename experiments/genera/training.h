// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/genera/genera.h"
#include "experiments/genera/view_set.h"
#include "knockout/base/all_reduce.h"
#include "knockout/eval/patterns.h"
#include "knockout/fit/fit.h"

namespace knockout::experiments {

inline const std::string kCommonBaseline = "common-baseline";
inline const std::string kKnockoutFeatures = "knockout-features";
inline const std::string kKnockoutStructured = "knockout-structured";

/// Every combination of views that can be missing; of very many, some of each size.
std::vector<NamedPattern> view_patterns(const ViewSet& set);

/// The network of one method, trained on these rows' views: Z-scores, zeros for what is missing.
/// The methods differ in what is knocked out in training (whole views, single features, nothing)
/// and in nothing else.
FitResult fit_views(const ViewSet& set, const std::vector<Part>& parts, const std::string& method,
                    const TreesOptions& options, std::uint64_t seed, const StudyContext& run,
                    const std::function<void(double)>& progress);

/// F1 on the test rows under each pattern, and what the training took.
nlohmann::json train_and_score(const ViewSet& set, const std::string& method,
                               const TreesOptions& options, std::uint64_t seed,
                               const StudyContext& run,
                               const std::function<void(double)>& progress);

/// F1 of predicted classes against true ones: the mean over the classes ("macro"), weighted by how
/// many rows each class has ("weighted"), or over all rows at once ("micro", which is the
/// accuracy). A class that is neither there nor predicted does not count.
double f1_score(const std::vector<int>& truth, const std::vector<int>& predicted, int classes,
                const std::string& average);

/// Which rows of a set are for training, validation and test: those of its own split or, at random,
/// class by class, the given shares. A split without validation rows gets them from its training
/// rows.
std::vector<Part> split_rows(const ViewSet& set, double validation_share, double test_share,
                             std::uint64_t seed);

}  // namespace knockout::experiments
