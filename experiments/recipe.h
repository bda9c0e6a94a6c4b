// SPDX-License-Identifier: Apache-2.0
// How the networks of the simulations are trained: as the paper does it, or as we do.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/option.h"
#include "knockout/methods/methods.h"

namespace knockout::experiments {

/// Both train one network of two hidden layers of 100 units with Adam from 3e-3 for 5,000 steps,
/// inputs knocked out at the paper's rate.
enum class Recipe {
  kOurs,   ///< 256 rows a step, a rate that falls to 0, averaged weights; gaps have own inputs.
  kPaper,  ///< PaperRecipe.
};
constexpr auto names_of(Recipe) {
  return std::array{EnumName<Recipe>{"ours", Recipe::kOurs},
                    EnumName<Recipe>{"paper", Recipe::kPaper}};
}

/// The paper's training to the letter; where its text is silent, as its authors' program has it.
/// The fields are what may be the cause of a difference: the study `paper-causes` changes one at a
/// time. Weights start as PyTorch's do by default, which is how all our networks start.
struct PaperRecipe {
  std::optional<int> batch_rows = {};  ///< Absent = all rows in every step.
  int steps = 5000;
  Schedule schedule = Schedule::kConstant;
  double averaging = 0;  ///< 0 = the last weights.
  MaskPer mask_per = MaskPer::kRow;
  double placeholder = 10;  ///< In scaled units; gaps with a cause take its negative.
  bool raw_targets = true;  ///< y is not standardised.
  /// kNone where a study has scaled the inputs itself.
  Scaling scaling = Scaling::kZScore;
};

/// The options of all networks of a recipe.
FitOptions fit_options(const PaperRecipe& recipe);
FitOptions fit_options(Recipe recipe);
MethodOptions method_options(Recipe recipe, const MethodMaker& torch_methods = {});

/// What the names of methods end in that are trained by the paper's recipe.
inline constexpr std::string_view kPaperSuffix = "-paper";
/// "mice-paper", "MICE (paper)". REQUIRES: `method` was made with options of that recipe.
std::shared_ptr<const Method> in_paper_recipe(std::shared_ptr<const Method> method);
/// The method's name without that.
std::string base_name(const std::string& method);

/// The named methods in every recipe, one recipe after the other. One that trains no network
/// appears once; "knockout-paper" is Knockout in the paper's recipe, whichever was asked for.
std::vector<std::shared_ptr<const Method>> methods_in(
    const std::vector<Recipe>& recipes, const std::vector<std::string>& names,
    const std::function<MethodOptions(Recipe)>& options);

/// In words, for the page of a study.
std::string about(const std::vector<Recipe>& recipes);

}  // namespace knockout::experiments
