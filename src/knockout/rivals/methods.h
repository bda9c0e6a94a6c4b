// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "knockout/impute/imputer.h"
#include "knockout/model/method.h"
#include "knockout/tabular/fit.h"
#include "knockout/trees/tree_model.h"

namespace knockout {

/// What the methods are made of. All networks share one recipe, so that methods differ in how they
/// treat gaps and in nothing else.
struct MethodOptions {
  FitOptions fit;  ///< Of Knockout; rivals take its network and its training.
  ImputerOptions impute;
  TreeOptions boosting;
  std::size_t most_marginals = 64;  ///< "marginals" trains at most so many networks.
};

/// Every method, in the order in which tables show them.
std::vector<std::string> method_names();

/// The method of that name. Throws ConfigError with the nearest name.
///   knockout            one network, inputs knocked out while training
///   knockout-paper      the same with the paper's rate and placeholders on the value's own axis
///   knockout-star       mean or mode as placeholder (Knockout*)
///   knockout-minus      one placeholder for all gaps, whatever their cause (Knockout-)
///   knockout-features   columns of a group knocked out one by one ("Features" of the paper)
///   common-baseline     mean or mode in place of gaps, in training and prediction
///   complete-case       trained on the rows without gaps; mean or mode when predicting
///   baseline-xbar       trained without knockout; placeholders when predicting only
///   dropout             inputs set to zero at random while training, zero in place of gaps
///   zero-indicator      zero in place of gaps, and an input that says so
///   knn, linear, mice, missforest     imputation, then the network
///   marginals           one network per pattern of missing inputs
///   boosting            XGBoost with its own handling of gaps
std::unique_ptr<Method> make_method(const std::string& name, const MethodOptions& options);

}  // namespace knockout
