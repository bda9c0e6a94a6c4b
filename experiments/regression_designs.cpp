// SPDX-License-Identifier: Apache-2.0
// Which methods on which data: Figure 1, its two ablations, and the sizes of training data.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/recipe.h"
#include "experiments/regression_report.h"
#include "experiments/regression_study.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/methods/methods.h"
#include "knockout/methods/network_method.h"

namespace knockout::experiments {
namespace {

/// Methods that compare every test row with every training row, ask hundreds of trees, or draw
/// hundreds of samples.
bool is_slow(const std::string& method) {
  return method == "knn" || method == "missforest" || method == "boosting" || needs_torch(method);
}

std::vector<Arm> arms_of(const StudyOptions& options, const std::vector<std::string>& names) {
  std::vector<Arm> arms;
  for (auto& method : methods_in(options.recipes, names, [&](Recipe recipe) {
         return method_options(recipe, options.torch_methods);
       })) {
    const bool slow = is_slow(base_name(method->name()));
    arms.push_back({std::move(method), slow});
  }
  return arms;
}

bool asks_for(const StudyOptions& options, Recipe recipe) {
  return std::find(options.recipes.begin(), options.recipes.end(), recipe) != options.recipes.end();
}

/// The first arm of Figure 1's studies is Knockout at the paper's rate; this one takes the p(M) of
/// `knockout fit`, under which any number of inputs may be missing.
Arm broad_knockout() {
  FitOptions fit = fit_options(Recipe::kOurs);
  fit.knockout.rate = AutoRate{};
  return {std::make_shared<NetworkMethod>(
      MethodNames{"knockout-broad", "Knockout (broad)",
                  "Knockout with the p(M) of `knockout fit`: any number of inputs may be missing"},
      fit)};
}

std::vector<std::string> chosen(const StudyOptions& options,
                                const std::vector<std::string>& usual) {
  return options.methods.empty() ? usual : options.methods;
}

/// Every method of Figure 1, and gradient boosting, which many would use instead.
const std::vector<std::string> kFigureMethods = {
    "knockout", "knockout-star", "dropout", "common-baseline", "zero-indicator",
    "knn",      "linear",        "mice",    "missforest",      "boosting"};

std::vector<Arm> figure_arms(const StudyOptions& options, const std::vector<std::string>& usual) {
  std::vector<Arm> arms = arms_of(options, chosen(options, usual));
  if (options.methods.empty() && asks_for(options, Recipe::kOurs)) {
    arms.insert(arms.begin() + 1, broad_knockout());
  }
  return arms;
}

/// How MIWAE and supMIWAE were trained, or why they are not shown.
std::string about_torch_methods(const StudyOptions& options) {
  if (std::any_of(options.methods.begin(), options.methods.end(), needs_torch)) {
    return "MIWAE and supMIWAE have 3 latent variables, two hidden layers of 128 units on either "
           "side, a Student-t decoder, and 20 importance samples in training, 100 in prediction. ";
  }
  if (!options.methods.empty()) return "";
  return "MIWAE and supMIWAE, which the paper shows too, take minutes for each training and are "
         "run "
         "when they are named (--methods miwae,supmiwae). ";
}

RegressionDesign design_of(const StudyOptions& options) {
  RegressionDesign design;
  design.repetitions = options.quick ? 1 : options.repetitions;
  design.seed = options.seed;
  if (options.quick) {
    design.test_rows = 2000;
    design.slow_test_rows = 300;
  }
  return design;
}

/// What must be the same for a journal to be of use.
nlohmann::json settings_of(const RegressionStory& story, const RegressionDesign& design) {
  return {{"study", story.name},
          {"seed", design.seed},
          {"test_rows", design.test_rows},
          {"slow_test_rows", design.slow_test_rows}};
}

StudyResult run_and_tell(const RegressionStory& story, const RegressionDesign& design,
                         const StudyContext& run) {
  auto journal = open_journal(settings_of(story, design), run);
  StudyResult result = tell(story, design, run_regression(design, *journal, run));
  result.journal = std::move(journal);
  return result;
}

constexpr const char* kData =
    "Nine inputs and y are jointly Gaussian, with a new mean and covariance in every repetition. "
    "All 130 patterns with up to three missing inputs are applied to {} test rows, and errors "
    "are averaged over the patterns of one size; slow methods (kNN, missForest, MIWAE, supMIWAE, "
    "XGBoost) are tested on the first of these rows (the table of times says how many). All inputs "
    "are numbers, so that Knockout* and input dropout, if both are shown, are one and the same. ";

/// With the test rows that this run has: --quick takes fewer than the paper.
std::string problem_text(const StudyOptions& options, const RegressionDesign& design) {
  return fmt::format(kData, with_thousands(design.test_rows)) + about(options.recipes);
}

/// The paper names both as future work: placeholders that are searched for, and learned ones.
void add_found_placeholders(RegressionDesign& design) {
  FitOptions searched = fit_options(Recipe::kOurs), learned = searched;
  searched.search_placeholders = true;
  design.arms.push_back({std::make_shared<NetworkMethod>(
      MethodNames{"placeholder-searched", "placeholder searched for",
                  "Knockout with the placeholder that short trainings found best"},
      searched)});
  learned.train.learned_placeholders = true;
  learned.encode.scaling = Scaling::kZScore;  // as where the placeholder is fixed
  design.arms.push_back({std::make_shared<NetworkMethod>(
      MethodNames{"placeholder-learned", "placeholder learned",
                  "Knockout with a placeholder per input that is learned with the weights"},
      learned)});
}

}  // namespace

StudyResult reproduce_regression(const StudyOptions& options) {
  RegressionDesign design = design_of(options);
  design.kinds = {TrainingKind::kComplete, TrainingKind::kMcar, TrainingKind::kMnar};
  design.arms = figure_arms(options, kFigureMethods);
  const RegressionStory story{
      .name = "regression",
      .title = "The paper's regression simulation (Figure 1)",
      .introduction = problem_text(options, design) + about_torch_methods(options) +
                      "Knockout (broad) has the p(M) of `knockout fit`. "
                      "Training data are complete, miss each cell with probability 0.1 (MCAR), or "
                      "miss what lies above its column's 90th percentile (MNAR)."};
  return run_and_tell(story, design, options.run);
}

StudyResult reproduce_placeholder_ablation(const StudyOptions& options) {
  if (!options.methods.empty()) {
    throw ConfigError("placeholder-ablation compares placeholders: it takes no --methods.");
  }
  RegressionDesign design = design_of(options);
  design.kinds = {TrainingKind::kComplete, TrainingKind::kMcar};
  if (asks_for(options, Recipe::kOurs)) {
    design.arms = {{make_method("knockout", method_options(Recipe::kOurs))}};
  }
  for (const Recipe recipe : options.recipes) {
    for (const double placeholder : {10, 8, 6, 4, 2, 0}) {
      FitOptions fit = fit_options(recipe);
      fit.encode.placeholders = {{"*", placeholder}};
      fit.encode.reason_placeholders = {{"*", -10.0}};
      fit.encode.force_placeholders = true;
      std::shared_ptr<const Method> method = std::make_shared<NetworkMethod>(
          MethodNames{fmt::format("placeholder-{}", placeholder),
                      fmt::format("placeholder {}", placeholder),
                      "Knockout with this placeholder on the value's own axis, in standard "
                      "deviations from the mean"},
          fit);
      if (recipe == Recipe::kPaper) method = in_paper_recipe(std::move(method));
      design.arms.push_back({std::move(method)});
    }
  }
  if (asks_for(options, Recipe::kOurs)) add_found_placeholders(design);
  const RegressionStory story{
      .name = "placeholder-ablation",
      .title = "Which placeholder? The paper's ablation",
      .introduction = problem_text(options, design) +
                      "The placeholder lies on the value's own axis, from 0 (the mean, inside the "
                      "data) to 10 standard deviations above it (far outside), or is searched for "
                      "by short trainings or learned with the weights. Knockout is what "
                      "`knockout fit` does: an input of its own says that a value is missing."};
  return run_and_tell(story, design, options.run);
}

StudyResult reproduce_mnar_ablation(const StudyOptions& options) {
  RegressionDesign design = design_of(options);
  design.kinds = {TrainingKind::kMnar};
  design.arms =
      arms_of(options, chosen(options, {"knockout", "knockout-minus", "common-baseline"}));
  RegressionStory story{
      .name = "mnar-ablation",
      .title = "Gaps for a reason: Knockout against Knockout- (the paper's MNAR ablation)",
      .introduction = problem_text(options, design) +
                      "Training cells above their column's 90th percentile are missing. Knockout "
                      "gives such gaps a placeholder of their own; Knockout- gives all gaps the "
                      "same."};
  story.paper_tables = {
      {.caption = "Printed in the paper: MSE, mean ± standard deviation over 10 repetitions (its "
                  "Knockout and Knockout- are our rows that end in (paper))",
       .header = {"method", "0 missing", "1 missing", "2 missing", "3 missing"},
       .rows = {
           {"Common baseline", "0.361 ± 0.183", "2.953 ± 3.870", "4.053 ± 5.616", "4.585 ± 6.109"},
           {"Knockout-", "0.144 ± 0.039", "0.089 ± 0.055", "0.107 ± 0.071", "0.163 ± 0.141"},
           {"Knockout", "0.095 ± 0.044", "0.072 ± 0.058", "0.095 ± 0.062", "0.175 ± 0.156"}}}};
  return run_and_tell(story, design, options.run);
}

StudyResult reproduce_training_size(const StudyOptions& options) {
  RegressionDesign design = design_of(options);
  design.kinds = {TrainingKind::kComplete};
  design.training_rows = {300, 1000, 3000, 15000};
  std::vector<std::string> usual = kFigureMethods;
  if (options.quick) usual = {"knockout", "common-baseline", "mice", "boosting"};
  design.arms = figure_arms(options, usual);
  const RegressionStory story{.name = "training-size",
                              .title = "Few rows and many: the paper's study of training sizes",
                              .introduction = problem_text(options, design) +
                                              about_torch_methods(options) +
                                              "Training data are complete, 300 to 15,000 rows."};
  return run_and_tell(story, design, options.run);
}

}  // namespace knockout::experiments
