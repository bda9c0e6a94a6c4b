// SPDX-License-Identifier: Apache-2.0
#include "experiments/recipe.h"

#include <algorithm>
#include <utility>

#include "knockout/methods/network_method.h"

namespace knockout::experiments {
namespace {

/// A method that is called otherwise.
class Renamed : public NamedMethod {
 public:
  Renamed(MethodNames names, std::shared_ptr<const Method> method)
      : NamedMethod(std::move(names)), method_(std::move(method)) {}
  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override {
    return method_->fit(table, inferred, run);
  }

 private:
  std::shared_ptr<const Method> method_;
};

constexpr std::string_view kPaperKnockout = "knockout-paper";

bool trains_a_network(const std::string& method) {
  return method != "boosting" && method != "trees" && method != "both";
}

/// What both recipes share.
TrainOptions simulation_network() {
  TrainOptions train;
  train.hidden = {100, 100};
  train.networks = 1;
  train.steps = 5000;
  train.learning_rate = 3e-3;
  train.weight_decay = 0;
  train.dropout = 0;
  train.validation_share = 0;
  return train;
}

FitOptions our_fit() {
  FitOptions fit;
  fit.knockout.rate = PaperRate{};
  fit.train = simulation_network();
  fit.train.batch_rows = 256;
  return fit;
}

}  // namespace

FitOptions fit_options(const PaperRecipe& recipe) {
  FitOptions fit;
  fit.knockout.rate = PaperRate{};
  fit.knockout.reason_share = 0;
  fit.train = simulation_network();
  fit.train.batch_rows = recipe.batch_rows;
  fit.train.full_batch = !recipe.batch_rows;
  fit.train.steps = recipe.steps;
  fit.train.schedule = recipe.schedule;
  fit.train.averaging = recipe.averaging;
  fit.train.mask_per = recipe.mask_per;
  fit.encode.scaling = recipe.scaling;
  fit.encode.clip_stddevs.reset();
  fit.encode.inline_placeholders = true;  // 10 and -10
  if (recipe.placeholder != PaperRecipe{}.placeholder) {
    fit.encode.placeholders = {{"*", recipe.placeholder}};
    fit.encode.reason_placeholders = {{"*", -recipe.placeholder}};
  }
  fit.raw_targets = recipe.raw_targets;
  return fit;
}

FitOptions fit_options(Recipe recipe) {
  return recipe == Recipe::kPaper ? fit_options(PaperRecipe{}) : our_fit();
}

MethodOptions method_options(Recipe recipe, const MethodMaker& torch_methods) {
  MethodOptions options;
  options.torch_methods = torch_methods;
  options.fit = fit_options(recipe);
  options.most_marginals = 130;  // every pattern that is tested
  return options;
}

std::shared_ptr<const Method> in_paper_recipe(std::shared_ptr<const Method> method) {
  MethodNames names{method->name() + std::string(kPaperSuffix), method->label() + " (paper)",
                    method->description() + ", trained as in the paper"};
  return std::make_shared<Renamed>(std::move(names), std::move(method));
}

std::string base_name(const std::string& method) {
  return method.ends_with(kPaperSuffix) ? method.substr(0, method.size() - kPaperSuffix.size())
                                        : method;
}

std::vector<std::shared_ptr<const Method>> methods_in(
    const std::vector<Recipe>& recipes, const std::vector<std::string>& names,
    const std::function<MethodOptions(Recipe)>& options) {
  std::vector<std::shared_ptr<const Method>> methods;
  const auto has = [&](const std::string& name) {
    return std::any_of(methods.begin(), methods.end(),
                       [&](const auto& method) { return method->name() == name; });
  };
  const auto add = [&](Recipe recipe, const std::string& name) {
    std::shared_ptr<const Method> method = make_method(name, options(recipe));
    // MIWAE and supMIWAE take mini-batches and a falling rate in either recipe: no row says
    // "paper".
    if (recipe == Recipe::kPaper && trains_a_network(name) && !needs_torch(name)) {
      method = in_paper_recipe(std::move(method));
    }
    if (!has(method->name())) methods.push_back(std::move(method));
  };
  for (const Recipe recipe : recipes) {
    for (const std::string& name : names) {
      if (name == kPaperKnockout) {
        add(Recipe::kPaper, "knockout");
      } else {
        add(recipe, name);
      }
    }
  }
  return methods;
}

std::string about(const std::vector<Recipe>& recipes) {
  const auto asked = [&](Recipe recipe) {
    return std::find(recipes.begin(), recipes.end(), recipe) != recipes.end();
  };
  std::string text =
      "Every network has two hidden layers of 100 units (ReLU) and is trained for 5,000 steps with "
      "Adam from 3e-3; inputs are knocked out at the paper's rate. ";
  if (asked(Recipe::kOurs)) {
    text +=
        "Our recipe takes 256 rows a step, lets the learning rate fall to 0 along a cosine, "
        "averages the weights of the last steps, and gives gaps inputs of their own. ";
  }
  if (asked(Recipe::kPaper)) {
    text +=
        "Rows that end in (paper) are trained as in the paper: all rows in every step, a constant "
        "rate, the last weights, nothing averaged, clipped or stopped early, y as it is, and gaps "
        "as 10 or, with a cause, -10 on the value's own axis. ";
  }
  return text;
}

}  // namespace knockout::experiments
