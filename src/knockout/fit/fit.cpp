// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "knockout/base/error.h"
#include "knockout/base/option_json.h"
#include "knockout/base/stage.h"
#include "knockout/base/stop.h"
#include "knockout/base/version.h"
#include "knockout/base/wording.h"
#include "knockout/fit/fit_cost.h"
#include "knockout/fit/held_out_scores.h"
#include "knockout/fit/placeholder_search.h"
#include "knockout/fit/train_learners.h"
#include "knockout/fit/training_facts.h"
#include "knockout/mask/patterns.h"
#include "knockout/schema/target_scale.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

KnockoutPlan plan_for(const Encoder& encoder, const FitOptions& options) {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;
  std::vector<bool> never_missing;
  for (const KnockoutUnit& unit : encoder.units()) {
    names.push_back(unit.name);
    never_missing.push_back(unit.never_missing);
    columns.emplace_back();
    for (const std::size_t feature : unit.features)
      columns.back().push_back(encoder.schema().features[feature].name);
  }
  if (!options.expect_missing) return make_plan(names, never_missing, options.knockout);
  check_ranges(options.knockout);
  if (options.knockout.says_what_goes_missing()) {
    throw ConfigError(
        "`expect_missing` already says which inputs go missing.\n"
        "  Drop it, or drop `rate`, `patterns`, `unit_rates` and `correlated`.");
  }
  KnockoutPlan plan = plan_from_reference(*options.expect_missing, names, columns, never_missing);
  plan.reason_share = resolve_reason_share(options.knockout);
  return plan;
}

void check_one_way_of_placeholders(const FitOptions& options) {
  const EncodeOptions& encode = options.encode;
  const bool fixed = encode.inline_placeholders || !encode.placeholders.empty() ||
                     !encode.reason_placeholders.empty();
  const bool learned = options.train.learned_placeholders;
  if (int{fixed} + int{learned} + int{options.search_placeholders} < 2) return;
  throw ConfigError(
      "Placeholders are fixed, searched for or learned: one of these.\n"
      "  Choose between `search_placeholders`, `learned_placeholders` and `inline_placeholders`, "
      "`placeholders`, `reason_placeholders`.");
}

/// How the model came about, for people and for programs that describe it.
nlohmann::json recipe_of(const FitOptions& options, const FitReport& report) {
  nlohmann::json steps = nlohmann::json::array();
  for (const NetworkReport& member : report.members)
    steps.push_back({{"steps", member.steps}, {"best_step", member.best_step}});
  nlohmann::json recipe = learned_options_to_json(options);
  recipe["train"] = learned_options_to_json(report.train);
  recipe["trees"] = learned_options_to_json(options.trees);
  recipe["tree_rounds"] = report.tree_rounds;
  recipe["knockout"] = learned_options_to_json(options.knockout);
  recipe["encode"] = learned_options_to_json(options.encode);
  recipe["expect_missing"] = options.expect_missing.has_value();
  recipe["members"] = steps;
  return recipe;
}

Learners learners_for(const FitOptions& options) {
  return options.learners == Learners::kAuto ? Learners::kNetworks : options.learners;
}

}  // namespace

FitResult fit(const Table& table, const FitOptions& options, const ProgressFunction& progress) {
  if (options.schema.targets.empty())
    throw ConfigError("Nothing to predict: name the target column:  `targets`");
  if (table.rows() == 0)
    throw DataError(fmt::format("{}: there are no rows to learn from.", table.source()));
  const StopScope scope(options.train.stop);
  throw_if_stopped();
  const UnderstoodTable understood = understand(table, options.schema, options.train.threads);
  return fit(understood.table, understood.inferred, options, progress);
}

FitResult fit(const Table& table, std::string_view target, FitOptions options,
              const ProgressFunction& progress) {
  options.schema.targets = {std::string(target)};
  return fit(table, options, progress);
}

FitResult fit(const Table& table, const InferredSchema& inferred, const FitOptions& said,
              const ProgressFunction& progress) {
  const StopScope scope(said.train.stop);
  throw_if_stopped();
  const auto start = std::chrono::steady_clock::now();
  check_one_way_of_placeholders(said);
  FitOptions options = said;
  std::optional<Stage> preparing("preparing the training");
  FitReport report;
  if (said.search_placeholders) {
    const PlaceholderSearch search = search_placeholders(table, inferred, said);
    options.encode = search.encode;
    report.notes.push_back(search.text());
  }
  report.inferred = inferred;
  const Schema& schema = report.inferred.schema;
  const Encoder encoder = Encoder::fit(table, schema, options.encode);
  report.notes.insert(report.notes.end(), encoder.notes().begin(), encoder.notes().end());
  const KnockoutPlan plan = plan_for(encoder, options);

  const std::vector<TargetCoding> targets = code_targets(table, schema, options.raw_targets);
  report.train = resolve(options.train, table.rows());
  const TrainingCost cost = fit_cost(table.rows(), targets, encoder, report.train);
  check_cost(cost, options.limits);
  report.cost = told_cost(cost, options.limits);
  const nlohmann::json seen = seen_columns_to_json(table, report.inferred);
  check_description(encoder, seen);
  Examples examples;
  examples.inputs = [&] {
    const Stage stage("encoding " + plural(table.rows(), "row"));
    return encoder.encode(table, {}, options.train.threads);
  }();
  for (const Target& target : schema.targets) {
    if (target.task != Task::kRegression) continue;
    std::string note = note_on_far_labels(table, target);
    if (!note.empty()) report.notes.push_back(std::move(note));
  }
  label_examples(table, schema, targets, options.class_weights, examples);
  report.rows = table.rows();
  for (std::size_t r = 0; r < table.rows(); ++r) {
    report.rows_without_label +=
        std::none_of(schema.targets.begin(), schema.targets.end(),
                     [&](const Target& target) { return table.at(target.name).observed(r); });
  }

  preparing.reset();
  if (options.on_prepared) options.on_prepared(report);
  const LearnerTraining training{examples, encoder, plan, targets, report.train, options.trees};
  TrainedLearners trained = train_learners(training, learners_for(options), table, progress);
  report.members = std::move(trained.networks);
  report.tree_rounds = std::move(trained.tree_rounds);
  report.weights = std::move(trained.weights);
  report.resumed_steps = trained.resumed_steps;
  report.held_out = std::move(trained.held_out);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const nlohmann::json provenance = {{"version", kVersion},
                                     {"rows", table.rows()},
                                     {"rows_without_label", report.rows_without_label},
                                     {"columns", table.column_count()},
                                     {"seen", seen},
                                     {"set_aside", set_aside_to_json(report.inferred)},
                                     {"held_out", held_out_to_json(report.held_out, targets)}};
  Model model(encoder, targets, plan, std::move(trained.learners), recipe_of(options, report),
              provenance);
  return {std::move(model), std::move(report)};
}

}  // namespace knockout
