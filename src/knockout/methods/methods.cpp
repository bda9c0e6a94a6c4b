// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "knockout/base/ascii.h"
#include "knockout/base/error.h"
#include "knockout/methods/boosting.h"
#include "knockout/methods/imputed_network.h"
#include "knockout/methods/marginals.h"

namespace knockout {
namespace {

struct KnownMethod {
  MethodNames names;
  std::function<std::unique_ptr<Method>(MethodNames, const MethodOptions&)> make;
};

FitOptions with_placeholder(FitOptions options, Placeholder value) {
  options.encode.placeholders = {{"*", value}};
  options.encode.reason_placeholders = {{"*", value}};
  options.encode.force_placeholders = true;
  return options;
}

FitOptions with_learners(FitOptions options, Learners learners) {
  options.learners = learners;
  return options;
}

void forget_gap_reasons(Schema& schema, FitOptions&) {
  set_training_gaps(schema, GapMeaning::kForAReason, GapMeaning::kAtRandom);
}

void dissolve_groups(Schema& schema, FitOptions&) {
  for (Feature& feature : schema.features) feature.group.clear();
}

/// Columns without gaps in training get no indicator: its weights would never be trained, and the
/// first gap would be answered at random. They take their mean or mode, as with scikit-learn's
/// MissingIndicator.
void indicate_known_gaps(Schema& schema, FitOptions& options) {
  forget_gap_reasons(schema, options);
  options.encode.inline_placeholders = false;  // whatever Knockout's gaps look like
  options.encode.force_placeholders = true;
  for (const Feature& feature : schema.features) {
    if (feature.training_gaps == GapMeaning::kNone && !feature.never_missing) {
      options.encode.placeholders[feature.name] = ColumnMean{};
      options.encode.reason_placeholders[feature.name] = ColumnMean{};
    }
  }
}

KnownMethod imputing(MethodNames names, ImputerKind kind, bool complete_rows_only = false) {
  return {std::move(names), [kind, complete_rows_only](MethodNames n, const MethodOptions& o) {
            return std::make_unique<ImputedNetworkMethod>(std::move(n), kind, o.impute, o.fit,
                                                          complete_rows_only);
          }};
}

KnownMethod on_torch(MethodNames names) {
  return {
      std::move(names), [](const MethodNames& n, const MethodOptions& o) {
        auto method = o.torch_methods ? o.torch_methods(n.name, o) : nullptr;
        if (method == nullptr) {
          throw ConfigError(fmt::format(
              "the method \"{}\" needs the LibTorch engine, which is not part of this program.\n"
              "  The command finds it by itself when knockout-nn is installed: install LibTorch "
              "(on Debian: libtorch-dev), then build and install again.\n"
              "  In a program of your own, link knockout::nn and set "
              "MethodOptions::torch_methods.",
              n.name));
        }
        return method;
      }};
}

std::vector<KnownMethod> make_known_methods() {
  using Names = const MethodNames&;
  using Options = const MethodOptions&;
  return {
      {{"knockout", "Knockout", "one network, inputs knocked out while training"},
       [](Names n, Options o) { return std::make_unique<NetworkMethod>(n, o.fit); }},
      {{"trees", "Knockout trees", "boosted trees, inputs knocked out while training"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, with_learners(o.fit, Learners::kTrees));
       }},
      {{"both", "Knockout networks + trees",
        "networks and boosted trees trained with Knockout, averaged as held-out rows say"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, with_learners(o.fit, Learners::kBoth));
       }},
      {{"knockout-paper", "Knockout (paper's form)",
        "the paper's rate, and placeholders on the value's own axis; trained as the others"},
       [](Names n, Options o) {
         FitOptions fit = o.fit;
         fit.knockout = {.rate = PaperRate{}};
         fit.encode.inline_placeholders = true;
         return std::make_unique<NetworkMethod>(n, fit);
       }},
      {{"knockout-star", "Knockout*", "Knockout with mean or mode as placeholder"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, with_placeholder(o.fit, ColumnMean{}));
       }},
      {{"knockout-minus", "Knockout-", "Knockout with one placeholder for all gaps"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, o.fit, forget_gap_reasons);
       }},
      {{"knockout-features", "Knockout (features)",
        "Knockout with the columns of a group knocked out one by one"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, o.fit, dissolve_groups);
       }},
      imputing({"common-baseline", "Common baseline", "mean or mode in place of gaps, the network"},
               ImputerKind::kMean),
      imputing({"complete-case", "Complete cases",
                "trained on rows without gaps; mean or mode when predicting"},
               ImputerKind::kMean, true),
      {{"baseline-xbar", "Common baseline (x̄)",
        "trained without knockout; placeholders when predicting only"},
       [](Names n, Options o) { return std::make_unique<PlaceholderBaseline>(n, o.fit); }},
      {{"dropout", "Input dropout", "inputs set to zero at random while training"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, with_placeholder(o.fit, 0.0),
                                                forget_gap_reasons);
       }},
      {{"zero-indicator", "Zero + indicator",
        "zero in place of gaps, and an input that says so where training had gaps"},
       [](Names n, Options o) {
         return std::make_unique<NetworkMethod>(n, without_knockout(o.fit), indicate_known_gaps);
       }},
      imputing({"knn", "kNN imputation", "mean or mode of the nearest rows, then the network"},
               ImputerKind::kKnn),
      imputing({"linear", "Linear imputation", "regression on the inputs there are, the network"},
               ImputerKind::kLinear),
      imputing({"mice", "MICE", "chained Bayesian ridge regressions, then the network"},
               ImputerKind::kMice),
      imputing({"missforest", "missForest", "chained random forests, then the network"},
               ImputerKind::kMissForest),
      on_torch({"miwae", "MIWAE", "imputation by a deep latent-variable model, then a network"}),
      on_torch(
          {"supmiwae", "supMIWAE", "a deep latent-variable model and a network trained as one"}),
      {{"marginals", "Fitted marginals", "one network per pattern of missing inputs"},
       [](Names n, Options o) {
         return std::make_unique<MarginalsMethod>(n, o.fit, o.most_marginals);
       }},
      {{"boosting", "XGBoost", "gradient boosting with its own handling of gaps"},
       [](Names n, Options o) {
         return std::make_unique<BoostingMethod>(n, o.boosting, o.fit.class_weights);
       }},
  };
}

const std::vector<KnownMethod>& known_methods() {
  static const std::vector<KnownMethod> methods = make_known_methods();
  return methods;
}

/// "boosting (XGBoost)": both names, where the second says more than the first.
std::string both_names(const MethodNames& names) {
  if (ascii_lower(names.label) == names.name) return names.name;
  return fmt::format("{} ({})", names.name, names.label);
}

[[noreturn]] void refuse_unknown_method(const std::string& said) {
  std::vector<std::string> known, listed;
  for (const KnownMethod& method : known_methods()) {
    known.push_back(method.names.name);
    known.push_back(method.names.label);
    listed.push_back(both_names(method.names));
  }
  throw ConfigError(fmt::format("unknown method \"{}\".{}\n  The methods: {}.", said,
                                did_you_mean(said, known), fmt::join(listed, ", ")));
}

const KnownMethod& find_method(const std::string& name) {
  for (const KnownMethod& method : known_methods()) {
    if (method.names.name == name) return method;
  }
  refuse_unknown_method(name);
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const KnownMethod& method : known_methods()) names.push_back(method.names.name);
  return names;
}

std::vector<std::string> torch_method_names() { return {"miwae", "supmiwae"}; }

bool needs_torch(const std::string& name) {
  const std::vector<std::string> names = torch_method_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string method_label(const std::string& name) { return find_method(name).names.label; }

std::string find_method_name(const std::string& said) {
  const std::string small = ascii_lower(said);
  for (const KnownMethod& method : known_methods()) {
    if (small == method.names.name || small == ascii_lower(method.names.label)) {
      return method.names.name;
    }
  }
  refuse_unknown_method(said);
}

std::string method_description(const std::string& name) {
  return find_method(name).names.description;
}

std::unique_ptr<Method> make_method(const std::string& name, const MethodOptions& options) {
  const KnownMethod& method = find_method(name);
  return method.make(method.names, options);
}

}  // namespace knockout
