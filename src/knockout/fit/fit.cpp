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
#include "knockout/fit/training_facts.h"
#include "knockout/mask/patterns.h"
#include "knockout/networks/network_ensemble.h"
#include "knockout/networks/trainer.h"
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

/// How the model came about, for people and for programs that describe it.
nlohmann::json recipe_of(const ResolvedTraining& train, const FitOptions& options,
                         const std::vector<NetworkReport>& members) {
  nlohmann::json steps = nlohmann::json::array();
  for (const NetworkReport& member : members)
    steps.push_back({{"steps", member.steps}, {"best_step", member.best_step}});
  nlohmann::json recipe = learned_options_to_json(options);
  recipe["train"] = learned_options_to_json(train);
  recipe["knockout"] = learned_options_to_json(options.knockout);
  recipe["encode"] = learned_options_to_json(options.encode);
  recipe["expect_missing"] = options.expect_missing.has_value();
  recipe["members"] = steps;
  return recipe;
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

FitResult fit(const Table& table, const InferredSchema& inferred, const FitOptions& options,
              const ProgressFunction& progress) {
  const StopScope scope(options.train.stop);
  throw_if_stopped();
  const auto start = std::chrono::steady_clock::now();
  std::optional<Stage> preparing("preparing the training");
  FitReport report;
  report.inferred = inferred;
  const Schema& schema = report.inferred.schema;
  const Encoder encoder = Encoder::fit(table, schema, options.encode);
  report.notes = encoder.notes();
  const KnockoutPlan plan = plan_for(encoder, options);

  const std::vector<TargetCoding> targets = code_targets(table, schema);
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
  TrainedNetworks trained = train(examples, encoder, plan, report.train, progress);
  report.members = trained.reports;
  report.resumed_steps = trained.resumed_steps;
  report.held_out =
      judge_held_out({table, examples, encoder, plan, targets, report.train}, trained.networks);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const nlohmann::json provenance = {{"version", kVersion},
                                     {"rows", table.rows()},
                                     {"rows_without_label", report.rows_without_label},
                                     {"columns", table.column_count()},
                                     {"seen", seen},
                                     {"set_aside", set_aside_to_json(report.inferred)},
                                     {"held_out", held_out_to_json(report.held_out, targets)}};
  const auto networks =
      std::make_shared<const NetworkEnsemble>(std::move(trained.networks), targets);
  Model model(encoder, targets, plan, {{.learner = networks}},
              recipe_of(report.train, options, trained.reports), provenance);
  return {std::move(model), std::move(report)};
}

}  // namespace knockout
