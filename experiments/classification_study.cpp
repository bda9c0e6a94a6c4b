// SPDX-License-Identifier: Apache-2.0
#include "experiments/classification_study.h"

#include <fmt/format.h>

#include <cmath>

#include "experiments/classification_trial.h"
#include "knockout/eval/metrics.h"
#include "knockout/methods/methods.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;
using Problem = ClassificationProblem;
using Outcome = ClassificationOutcome;
using Repetition = ClassificationRepetition;
using Measure = ClassificationMeasure;

MethodOptions methods_of(Problem problem, Recipe recipe, const MethodMaker& torch_methods) {
  MethodOptions options = method_options(recipe, torch_methods);
  if (problem == Problem::kMixed) {  // the paper embeds the category in ten dimensions
    options.fit.encode.max_one_hot = 0;
    options.fit.train.embedding_dimension = 10;
  }
  return options;
}

report::Table paper_table(Problem problem) {
  report::Table table{
      .caption =
          "Printed in the paper, where they are of one run (its JSD is our jsd_paper, its methods "
          "our rows that end in (paper))",
      .header = {"method", "error (X)", "error (X1)", "JSD (X1)", "error (X2)", "JSD (X2)"}};
  if (problem == Problem::kContinuous) {
    table.rows = {{"Common baseline", "0.0003", "0.3970", "∞", "0.4001", "∞"},
                  {"Knockout*", "0.0210", "0.3549", "0.0179", "0.3727", "0.0214"},
                  {"Knockout", "0.0007", "0.2559", "0.0003", "0.2563", "0.0007"},
                  {"Fitted marginals", "", "0.2531", "0.0006", "0.2600", "0.0006"}};
  } else {
    table.rows = {{"Common baseline", "0.0032", "0.5972", "∞", "0.5410", "∞"},
                  {"Common baseline (x̄)", "0.0032", "0.4843", "∞", "0.4137", "∞"},
                  {"Knockout*", "0.0187", "0.4843", "0.0038", "0.3410", "0.0073"},
                  {"Knockout", "0.0031", "0.4028", "0.0001", "0.2844", "0.0009"},
                  {"Fitted marginals", "", "0.4028", "0.0000", "0.2809", "0.0008"}};
  }
  return table;
}

/// Everything a report needs, [method][repetition].
struct ClassificationFindings {
  Problem problem;
  std::vector<std::shared_ptr<const Method>> methods;
  std::vector<std::vector<Outcome>> outcomes;
  std::vector<Repetition> repetitions;

  Repeated measured(const Measure& measure, std::size_t method) const {
    return over_repetitions(values(measure, method));
  }
  std::vector<double> values(const Measure& measure, std::size_t method) const {
    std::vector<double> all;
    for (std::size_t r = 0; r < repetitions.size(); ++r) {
      all.push_back(measure.of(outcomes[method][r], repetitions[r]));
    }
    return all;
  }
};

/// Networks for each pattern show what can be reached.
bool competes(const Method& method) { return base_name(method.name()) != "marginals"; }

report::Table result_table(const ClassificationFindings& found) {
  const std::size_t repetitions = found.repetitions.size();
  report::Table table{
      .caption = fmt::format("Share of wrong answers, and divergence of the predicted marginals; "
                             "mean{} over {} repetition{}",
                             repetitions == 1 ? "" : " ± standard deviation", repetitions,
                             repetitions == 1 ? "" : "s"),
      .header = {"method"},
      .note =
          "jsd is the Jensen-Shannon divergence, at most ln 2; jsd_paper is the formula of the "
          "paper, which has no upper bound. Fitted marginals, one network per pattern, show "
          "what can be reached and do not compete."};
  for (const auto& method : found.methods) table.rows.push_back({method->label()});
  std::size_t column = 0;
  for (const Measure& measure : classification_measures()) {
    table.header.push_back(measure.label);
    ++column;
    std::size_t best = 0;
    for (std::size_t m = 0; m < found.methods.size(); ++m) {
      const Repeated value = found.measured(measure, m);
      table.rows[m].push_back(!std::isfinite(value.mean) ? "∞"
                              : repetitions == 1
                                  ? fmt::format("{:.4f}", value.mean)
                                  : fmt::format("{:.4f} ± {:.4f}", value.mean, value.stddev));
      if (competes(*found.methods[m]) && value.mean < found.measured(measure, best).mean) {
        best = m;
      }
    }
    table.best.emplace_back(best, column);
  }
  return table;
}

report::LineChart marginal_chart(const ClassificationFindings& found, std::size_t input) {
  const MarginalBins& bins = found.repetitions[0].bins[input];
  report::LineChart chart{
      .title = fmt::format("P(y = 1 | {} alone), first repetition", bins.input),
      .x_label = bins.words.empty() ? bins.input : bins.input + " (0 = a, 1 = b, 2 = c)",
      .y_label = "probability",
      .whole_x = !bins.words.empty()};
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    chart.series.push_back({.name = found.methods[m]->label(),
                            .x = bins.centers,
                            .y = found.outcomes[m][0].marginals[input],
                            .emphasis = m == 0});
  }
  chart.series.push_back({.name = "frequency in the data",
                          .x = bins.centers,
                          .y = bins.frequencies,
                          .reference = true});
  return chart;
}

report::ScatterChart data_chart(const ClassificationFindings& found) {
  constexpr std::size_t kShown = 600;
  const Table& table = found.repetitions[0].training;
  report::ScatterChart chart{
      .title = "Training data (some of the first repetition)",
      .x_label = found.problem == Problem::kMixed ? "x1 (0 = a, 1 = b, 2 = c)" : "x1",
      .y_label = "x2",
      .groups = {{.name = "y = 0"}, {.name = "y = 1"}}};
  for (std::size_t row = 0; row < kShown; ++row) {
    report::Series& group = chart.groups[table.at("y").number(row) == 0 ? 0 : 1];
    const Column& x1 = table.at("x1");
    group.x.push_back(x1.is_text() ? x1.codes()[row] : x1.number(row));
    group.y.push_back(table.at("x2").number(row));
  }
  return chart;
}

std::string summary(const ClassificationFindings& found) {
  std::size_t best_count = 0, all = 0;
  std::string lost;
  for (const Measure& measure : classification_measures()) {
    ++all;
    const double ours = found.measured(measure, 0).mean;
    std::size_t winner = 0;
    for (std::size_t m = 1; m < found.methods.size(); ++m) {
      if (!competes(*found.methods[m])) continue;
      if (found.measured(measure, m).mean < found.measured(measure, winner).mean) winner = m;
    }
    if (winner == 0) {
      ++best_count;
    } else {
      lost += fmt::format("{}{}: {} {:.4f}, {} {:.4f}", lost.empty() ? "" : "; ", measure.label,
                          found.methods[winner]->label(), found.measured(measure, winner).mean,
                          found.methods[0]->label(), ours);
    }
  }
  std::string text = fmt::format("{} has the best figure in {} of {} columns.",
                                 found.methods[0]->label(), best_count, all);
  if (!lost.empty()) text += fmt::format(" Others lead in: {}.", lost);
  return text;
}

Json data_of(const ClassificationFindings& found, const StudyOptions& options,
             const std::string& name) {
  Json methods = Json::array(), results = Json::array(), bins = Json::array();
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    methods.push_back({{"name", found.methods[m]->name()},
                       {"label", found.methods[m]->label()},
                       {"description", found.methods[m]->description()}});
    for (const Measure& measure : classification_measures()) {
      const Repeated value = found.measured(measure, m);
      Json values = Json::array();
      for (const double one : found.values(measure, m)) values.push_back(number_or_null(one));
      results.push_back({{"method", found.methods[m]->name()},
                         {"measure", measure.name},
                         {"mean", number_or_null(value.mean)},
                         {"stddev", number_or_null(value.stddev)},
                         {"low", number_or_null(value.low)},
                         {"high", number_or_null(value.high)},
                         {"repetitions", values}});
    }
  }
  for (std::size_t r = 0; r < found.repetitions.size(); ++r) {
    for (std::size_t i = 0; i < kClassificationInputs.size(); ++i) {
      Json predicted = Json::object(), frequencies = Json::array();
      for (const double one : found.repetitions[r].bins[i].frequencies) {
        frequencies.push_back(number_or_null(one));
      }
      for (std::size_t m = 0; m < found.methods.size(); ++m) {
        predicted[found.methods[m]->name()] = found.outcomes[m][r].marginals[i];
      }
      bins.push_back({{"repetition", r + 1},
                      {"input", kClassificationInputs[i]},
                      {"centers", found.repetitions[r].bins[i].centers},
                      {"frequencies", frequencies},
                      {"predicted", predicted}});
    }
  }
  const report::ScatterChart shown = data_chart(found);
  Json points = Json::array();
  for (std::size_t y = 0; y < shown.groups.size(); ++y) {
    points.push_back({{"y", y}, {"x1", shown.groups[y].x}, {"x2", shown.groups[y].y}});
  }
  return {{"study", name},
          {"seed", options.seed},
          {"repetitions", found.repetitions.size()},
          {"training_rows", kClassificationTrainingRows},
          {"test_rows", kClassificationRows - kClassificationTrainingRows},
          {"methods", methods},
          {"results", results},
          {"marginals", bins},
          {"points_shown", points}};
}

StudyResult reproduce(Problem problem, const std::string& name, const std::string& title,
                      const std::string& introduction, const StudyOptions& options) {
  ClassificationFindings found{.problem = problem};
  std::vector<std::string> names = options.methods;
  if (names.empty()) {
    names = {"knockout", "knockout-star", "baseline-xbar", "common-baseline", "marginals"};
  }
  found.methods = methods_in(options.recipes, names, [&](Recipe recipe) {
    return methods_of(problem, recipe, options.torch_methods);
  });
  const int repetitions = options.quick ? 1 : options.repetitions;
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const std::uint64_t seed = repetition_seed(options.seed, repetition);
    for (const auto& method : found.methods) {
      jobs.push_back({fmt::format("{}, repetition {}", method->name(), repetition + 1),
                      [problem, method, seed](const auto& progress) {
                        return run_trial(problem, *method, seed, progress);
                      }});
    }
  }
  auto journal = open_journal({{"study", name}, {"seed", options.seed}}, options.run);
  const std::vector<nlohmann::json> results = run_jobs(jobs, *journal, options.run);

  found.outcomes.resize(found.methods.size());
  std::size_t next = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    found.repetitions.push_back(
        draw_repetition(problem, repetition_seed(options.seed, repetition)));
    for (auto& of_method : found.outcomes) of_method.push_back(outcome_from(results[next++]));
  }

  StudyResult result;
  result.document.title = title;
  result.document.summary = summary(found);
  result.document.sections = {
      {"What was done",
       {report::Text{introduction + " " + about(options.recipes)}, data_chart(found)}},
      {"Errors and marginals", {result_table(found), paper_table(problem)}},
      {"Marginals", {report::Row{{marginal_chart(found, 0), marginal_chart(found, 1)}}}}};
  result.data = data_of(found, options, name);
  result.journal = std::move(journal);
  return result;
}

}  // namespace

StudyResult reproduce_classification_continuous(const StudyOptions& options) {
  return reproduce(
      Problem::kContinuous, "classification-continuous",
      "The paper's classification simulation, continuous inputs",
      "y = 0 is a ring of radius 0.8 to 0.9, y = 1 a cross inside it: 15,000 points of "
      "each, 3,000 of them to train. With one input missing, the best answer is the "
      "share of y = 1 at the other's value; predicted marginals are compared with the "
      "frequencies in 21 bins.",
      options);
}

StudyResult reproduce_classification_mixed(const StudyOptions& options) {
  return reproduce(Problem::kMixed, "classification-mixed",
                   "The paper's classification simulation, mixed inputs",
                   "x1 is one of three categories, x2 a mixture of three normals whose means and "
                   "widths depend on x1; y says which component it was, with the rule turned round "
                   "for the first category. 30,000 rows, 3,000 of them to train; the category goes "
                   "through an embedding of ten dimensions.",
                   options);
}

}  // namespace knockout::experiments
