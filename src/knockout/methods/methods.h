// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "knockout/fit/fit.h"
#include "knockout/impute/imputer.h"
#include "knockout/model/method.h"
#include "knockout/trees/grow_trees.h"

namespace knockout {

struct MethodOptions;

/// Makes the method of that name; see torch_method_names().
using MethodMaker =
    std::function<std::unique_ptr<Method>(const std::string& name, const MethodOptions& options)>;

/// What the methods are made of. All networks share one recipe, so that methods differ in how they
/// treat gaps and in nothing else.
struct MethodOptions {
  FitOptions fit;  ///< Of Knockout; rivals take its network and its training.
  ImputerOptions impute;
  TreeOptions boosting;
  std::size_t most_marginals = 64;  ///< "marginals" trains at most so many networks.
  MethodMaker torch_methods = {};   ///< The methods that need LibTorch; empty = it is not there.
};

/// Every method, in the order in which tables show them.
std::vector<std::string> method_names();
/// Those among them that only MethodOptions::torch_methods can make.
std::vector<std::string> torch_method_names();
bool needs_torch(const std::string& name);
/// As tables and pages call it: "XGBoost". Throws as make_method().
std::string method_label(const std::string& name);
/// The method that is meant by its name or by its label, in letters of any case: "XGBoost" is
/// "boosting". Throws ConfigError with the nearest name.
std::string find_method_name(const std::string& said);
/// One line for a list; known even of methods that cannot be made here. Throws as make_method().
std::string method_description(const std::string& name);

/// The method of that name. Throws ConfigError with the nearest name, or when it needs an engine
/// that is not there.
///   knockout            one network, inputs knocked out while training
///   knockout-paper      the same with the paper's rate and placeholders on the value's own axis
///                       (the paper's training is `reproduce --recipe paper`)
///   knockout-star       mean or mode as placeholder (Knockout*)
///   knockout-minus      one placeholder for all gaps, whatever their cause (Knockout-)
///   knockout-features   columns of a group knocked out one by one ("Features" of the paper)
///   common-baseline     mean or mode in place of gaps, in training and prediction
///   complete-case       trained on the rows without gaps; mean or mode when predicting
///   baseline-xbar       trained without knockout; placeholders when predicting only
///   dropout             inputs set to zero at random while training, zero in place of gaps
///   zero-indicator      zero in place of gaps, and an input that says so
///   knn, linear, mice, missforest     imputation, then the network
///   miwae               imputation by a deep latent-variable model, then a network (LibTorch)
///   supmiwae            the same model and the network trained as one (LibTorch)
///   marginals           one network per pattern of missing inputs
///   boosting            XGBoost with its own handling of gaps
std::unique_ptr<Method> make_method(const std::string& name, const MethodOptions& options);

}  // namespace knockout
