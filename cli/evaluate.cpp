// SPDX-License-Identifier: Apache-2.0
// knockout evaluate: what happens to predictions when inputs are missing.
#include "knockout/eval/evaluate.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/estimates.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "knockout/report/evaluation_report.h"
#include "knockout/report/text.h"

namespace knockout::cli {
namespace {

constexpr const char* kEvaluateExamples =
    R"(  knockout evaluate test.csv -m model.safetensors
      How good the predictions are with nothing missing and with inputs hidden, and what losing
      each input costs. test.csv holds the target and rows that the model was not fitted to.
  knockout evaluate test.csv -m model.safetensors --max-missing 3 --report evaluation.html
      Every pattern of up to three missing inputs, as a page with charts.
  knockout evaluate test.csv -m model.safetensors --patterns-seen
      The patterns in which cells of test.csv are missing together.
  knockout evaluate test.csv -m model.safetensors --json | jq '.costs[0].unit'
      For programs: the input that is missed most.
)";

constexpr const char* kEvaluateWhat = "The model";
constexpr const char* kPatterns = "Which inputs are hidden";

/// With so few inputs, all pairs are tried unless said otherwise.
constexpr std::size_t kFewUnits = 12;
constexpr std::size_t kCostsShown = 20;
constexpr std::size_t kWorstShown = 10;

struct EvaluateFlags {
  DataOptions data;
  CommonOptions common;
  ModelOptions model;
  std::optional<int> max_missing;  ///< Absent = chosen.
  bool seen = false, singles = false;
  std::string pattern_file, report_path;
  std::size_t max_patterns = 200;
  std::uint64_t seed = 0;
  int threads = 0;
};

// --- which patterns ---

PatternList patterns_of(const EvaluateFlags& flags, const Schema& schema, const Table& table) {
  if (!flags.pattern_file.empty()) return read_patterns(schema, flags.pattern_file);
  if (flags.seen) return patterns_seen(schema, table, flags.max_patterns);
  if (flags.singles) return single_patterns(schema);
  const int few = missing_units(schema).size() <= kFewUnits ? 2 : 1;
  return patterns_up_to(schema, flags.max_missing.value_or(few), flags.max_patterns, flags.seed,
                        flags.data.limits.read());
}

// --- for people ---

/// What `compare` ranks by and, of squared errors, their root, which is in the target's own units.
std::vector<Metric> loss_and_root(Task task) {
  if (task == Task::kRegression) return {Metric::kMse, Metric::kRmse};
  return {metrics_of(task).front()};
}

std::vector<std::string> with_labels(const char* first, const std::vector<Metric>& metrics) {
  std::vector<std::string> header = {first};
  for (const Metric metric : metrics) header.emplace_back(label_of(metric));
  return header;
}

void print_levels(const Evaluation& found, std::size_t target) {
  const std::vector<Metric> shown = overview_metrics(found.targets[target].task);
  std::vector<std::string> header = {"missing", "patterns"};
  for (const Metric metric : shown) header.emplace_back(label_of(metric));
  TextTable table(header, "rr" + std::string(shown.size(), 'r'));
  for (const LevelScores& level : found.levels) {
    std::vector<std::string> line = {std::to_string(level.missing), with_thousands(level.patterns)};
    for (const Metric metric : shown) {
      line.push_back(estimate_text(level.targets[target].at(metric)));
    }
    table.add(std::move(line));
  }
  print_out("{}", table.text());
}

void print_costs(const Evaluation& found, std::size_t target) {
  if (found.costs.empty()) return;
  const Metric metric = metrics_of(found.targets[target].task).front();
  std::vector<const InputCost*> costs;  // they come in the order of the first target
  for (const InputCost& cost : found.costs) costs.push_back(&cost);
  std::ranges::stable_sort(costs, std::greater<>(), [&](const InputCost* cost) {
    return cost->differences[target].at(metric).value;
  });
  print_out("\nlosing one input alone adds to the {}\n", label_of(metric));
  const std::vector<Metric> losses = loss_and_root(found.targets[target].task);
  TextTable table(with_labels("input", losses), "l" + std::string(losses.size(), 'r'));
  const std::size_t shown = std::min(kCostsShown, costs.size());
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> line = {costs[i]->unit};
    for (const Metric loss : losses) {
      line.push_back(estimate_text(costs[i]->differences[target].at(loss), true));
    }
    table.add(std::move(line));
  }
  print_out("{}", table.text());
  if (shown < costs.size()) {
    print_out("  ... and {} (--json has all)\n", plural(costs.size() - shown, "more input"));
  }
}

void print_worst(const Evaluation& found, std::size_t target) {
  const Metric metric = metrics_of(found.targets[target].task).front();
  std::vector<const PatternScores*> worst;
  for (const PatternScores& scored : found.patterns) {
    if (scored.pattern.missing > 1) worst.push_back(&scored);
  }
  if (worst.empty()) return;  // the costs say it all
  std::ranges::stable_sort(worst, std::greater<>(), [&](const PatternScores* scored) {
    return scored->targets[target].at(metric).value;
  });
  if (worst.size() > kWorstShown) worst.resize(kWorstShown);
  print_out("\nthe highest {}\n", label_of(metric));
  const std::vector<Metric> shown = loss_and_root(found.targets[target].task);
  TextTable table(with_labels("missing", shown), "l" + std::string(shown.size(), 'r'));
  for (const PatternScores* scored : worst) {
    std::vector<std::string> line = {scored->pattern.name};
    for (const Metric each : shown) line.push_back(estimate_text(scored->targets[target].at(each)));
    table.add(std::move(line));
  }
  print_out("{}", table.text());
}

void print_evaluation(const EvaluateFlags& flags, const Table& table, const Evaluation& found) {
  print_out("{}", wrapped(fmt::format("{}: {}, {} by {}; +- is half of a 95 % interval",
                                      table.source(), plural(found.rows, "row"),
                                      plural(found.patterns.size(), "pattern"), flags.model.path)));
  for (std::size_t t = 0; t < found.targets.size(); ++t) {
    const Target& target = found.targets[t];
    print_out("\n{}{}\n", target.name,
              target.task == Task::kClassification
                  ? fmt::format(" (classes {})", report::clean(short_list(target.classes, 10)))
                  : "");
    print_levels(found, t);
    print_costs(found, t);
    print_worst(found, t);
  }
  if (!found.notes.empty()) print_out("\n");
  for (const std::string& text : found.notes) print_out("{}", wrapped("Note: " + text + "."));
  print_out("({})\n", duration_text(found.seconds));
  if (!flags.report_path.empty()) print_out("Report: {}\n", flags.report_path);
}

// --- the verb ---

void check_flags(const EvaluateFlags& flags) {
  if (flags.data.path.empty()) {
    throw ConfigError(
        "on which table should the model be judged? For example:\n"
        "  knockout evaluate test.csv -m model.safetensors");
  }
  if (flags.model.path.empty()) {
    throw ConfigError("which model should be judged? Name its file:  -m model.safetensors");
  }
  const int ways = (flags.max_missing ? 1 : 0) + (flags.seen ? 1 : 0) + (flags.singles ? 1 : 0) +
                   (flags.pattern_file.empty() ? 0 : 1);
  if (ways > 1) {
    throw ConfigError(
        "--max-missing, --singles, --patterns-seen and --pattern-file each say which inputs are "
        "hidden.\n  Choose one of them.");
  }
  std::vector<std::string> inputs = flags.data.files();
  inputs.insert(inputs.end(), {flags.model.path, flags.pattern_file});
  check_report(flags.report_path, inputs);
}

/// What takes minutes says so before it starts.
void note_cost(const CLI::App& verb, const EvaluateFlags& flags, std::size_t patterns,
               std::size_t rows) {
  constexpr double kMany = 1e7;
  const double predictions = static_cast<double>(patterns) * static_cast<double>(rows);
  if (predictions < kMany) return;
  note(verb, flags.common,
       fmt::format("{} of {}: {:.0f} million predictions.", plural(patterns, "pattern"),
                   plural(rows, "row"), predictions / 1e6));
}

report::Provenance provenance_of(const EvaluateFlags& flags, const Evaluation& found) {
  std::vector<std::string> files = flags.data.files();
  files.insert(files.begin() + 1, flags.model.path);
  if (!flags.pattern_file.empty()) files.push_back(flags.pattern_file);
  report::Provenance provenance = make_provenance(flags.seed, files, found.seconds);
  provenance.data[0].description = plural(found.rows, "row");
  provenance.data[1].description = "the model";
  return provenance;
}

void run_evaluate(const CLI::App& verb, const EvaluateFlags& flags) {
  check_flags(flags);
  const Model model = flags.model.load();
  LabelledRows rows = read_labelled_rows(flags.data, model.schema(), flags.threads);
  const Table table =
      read_as_model(verb, flags.common, model.schema(), std::move(rows.table), flags.threads);
  warn_of_absent_columns(verb, flags.common, rows.header, model, table);
  warn_of_slow_blas(verb, flags.common);
  const PatternList patterns = patterns_of(flags, model.schema(), table);
  note_cost(verb, flags, patterns.patterns.size(), table.rows());
  const Evaluation found = [&] {
    ProgressLine progress(flags.common.quiet);
    return evaluate(model, table, patterns,
                    {.overrides = flags.model.overrides(model.schema()),
                     .threads = flags.threads,
                     .progress = progress.share_function()});
  }();
  if (!flags.report_path.empty() || flags.common.json) {
    report::Document document = report::evaluation_document(found, model.schema());
    document.provenance = provenance_of(flags, found);
    nlohmann::ordered_json data = to_json(found);
    data["provenance"] = provenance_json(document.provenance);
    if (!flags.report_path.empty()) report::write_report(document, data, flags.report_path);
    if (flags.common.json) {
      print_json(data);
      return;
    }
  }
  print_evaluation(flags, table, found);
}

}  // namespace

Verb setup_evaluate(CLI::App& command) {
  const auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* const verb = command.add_subcommand(
      "evaluate", "how good predictions are when inputs are missing, pattern by pattern");
  verb->footer(kEvaluateExamples);
  add_data(*verb, flags->data,
           "CSV file (also .gz) with the target and rows that the model has not seen, or - for "
           "standard input",
           {"missing_words", "reason_words"});
  add_matrices(*verb, flags->data);
  add_model(*verb, flags->model, kEvaluateWhat);
  verb->add_option("--max-missing", flags->max_missing,
                   "Every pattern of up to so many inputs, a group counting as one (default 2 for "
                   "up to 12 inputs, 1 for more)")
      ->option_text("N")
      ->transform(whole_number(0))
      ->group(kPatterns);
  verb->add_flag("--singles", flags->singles, "Each input alone, however many there are")
      ->group(kPatterns);
  verb->add_flag("--patterns-seen", flags->seen,
                 "The patterns in which cells of the data file are missing")
      ->group(kPatterns);
  verb->add_option("--pattern-file", flags->pattern_file,
                   "One pattern per line: names of columns or groups, comma-separated; none = "
                   "nothing; # starts a comment")
      ->option_text("FILE")
      ->group(kPatterns);
  verb->add_option("--max-patterns", flags->max_patterns,
                   "Of more patterns of one size, so many are drawn; of more patterns seen, the "
                   "most frequent (default 200)")
      ->option_text("N")
      ->transform(whole_number(1))
      ->group(kPatterns);
  add_report(*verb, flags->report_path);
  add_seed(*verb, flags->seed, "Same seed, same patterns where they are drawn (default 0)");
  add_threads(*verb, flags->threads);
  add_common(*verb, flags->common, "Everything as one JSON object");
  return {verb, [verb, flags] { run_evaluate(*verb, *flags); }};
}

}  // namespace knockout::cli
