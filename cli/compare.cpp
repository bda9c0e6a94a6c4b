// SPDX-License-Identifier: Apache-2.0
// knockout compare: Knockout and its rivals on the user's own data.
#include "knockout/eval/compare.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/engine.h"
#include "cli/estimates.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/report_output.h"
#include "cli/schema_output.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "knockout/methods/methods.h"
#include "knockout/report/comparison_report.h"
#include "knockout/schema/column_list.h"

namespace knockout::cli {
namespace {

constexpr const char* kCompareExamples =
    R"(  knockout compare data.csv --target survived
      Cross-validates the usual methods, with 0, 10, 30 and 50 % of the test cells removed.
  knockout compare data.csv --target y --methods knockout,mice,boosting --report compare.html
      Three of them, and a page with charts.
  knockout compare data.csv --target y --ampute mnar:0.2 --ampute-training mnar:0.2
      Values above the 80th percentile are missing, when training and when testing.
  knockout compare data.csv --target y --group mri='vol_*' --ampute groups:0.5
      Whole groups of columns go missing.
  knockout compare data.csv --target y --methods all
      Every method there is: takes a while.
)";

constexpr const char* kCompareWhat = "What is compared";

/// Those that take seconds to minutes; missForest takes many times longer than the others together.
const std::vector<std::string> kUsualMethods = {
    "knockout", "common-baseline", "zero-indicator", "knn", "linear", "mice", "boosting"};
const std::vector<RemovalRule> kUsualRemovals = {
    RemoveNothing{}, RemoveCells{Mechanism::kMcar, 0.1}, RemoveCells{Mechanism::kMcar, 0.3},
    RemoveCells{Mechanism::kMcar, 0.5}};

struct CompareFlags {
  DataOptions data;
  SchemaFlags schema;
  CommonOptions common;
  DescribedFlags<CompareOptions> compare;
  DescribedFlags<TrainOptions> train;
  DescribedFlags<KnockoutTreeOptions> knockout_trees;
  DescribedFlags<FitOptions> fit;
  DescribedFlags<ImputerOptions> impute;
  std::vector<std::string> methods;
  std::string report_path;
};

/// Every method that can be had here.
std::vector<std::string> all_methods(const CLI::App& verb, const CommonOptions& common) {
  std::vector<std::string> names = method_names();
  if (torch_engine_available()) return names;
  std::erase_if(names, needs_torch);
  note(verb, common,
       fmt::format("left out, because they need LibTorch, which this build lacks: {}.",
                   fmt::join(torch_method_names(), ", ")));
  return names;
}

std::vector<std::string> chosen_methods(const CLI::App& verb, const CompareFlags& flags) {
  const std::vector<std::string> words = split_column_list(flags.methods, {});
  if (flags.methods.empty()) return kUsualMethods;
  if (words.empty()) throw ConfigError("--methods: name at least one, or all.");
  if (words == std::vector<std::string>{"all"}) return all_methods(verb, flags.common);
  std::vector<std::string> names;
  for (const std::string& word : words) {
    const std::string name = find_method_name(word);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// May start knockout-nn in place of this process.
std::vector<std::shared_ptr<const Method>> methods_of(const CLI::App& verb,
                                                      const CompareFlags& flags) {
  const std::vector<std::string> names = chosen_methods(verb, flags);
  MethodOptions options;
  options.fit = flags.fit.read();
  options.fit.train = flags.train.read();
  options.fit.trees = flags.knockout_trees.read();
  options.fit.limits = flags.data.limits.read();
  options.impute = flags.impute.read();
  options.torch_methods = torch_methods_for(names);
  std::vector<std::shared_ptr<const Method>> methods;
  methods.reserve(names.size());
  for (const std::string& name : names) {
    methods.push_back(make_method(name, options));
  }
  return methods;
}

CompareOptions options_of(const CompareFlags& flags, const SchemaOptions& schema) {
  CompareOptions options = flags.compare.read();
  options.schema = schema;
  if (options.testing.empty()) options.testing = kUsualRemovals;
  const TrainOptions train = flags.train.read();
  options.seed = train.seed;
  options.threads = train.threads;
  options.limits = flags.data.limits.read();
  return options;
}

void check_flags(const CompareFlags& flags) {
  if (flags.data.path.empty()) {
    throw ConfigError(
        "on which table should methods be compared? For example:\n"
        "  knockout compare data.csv --target y");
  }
  if (!flags.schema.said.is_given("targets")) {
    throw ConfigError("which column should be predicted? Name it:  --target COLUMN");
  }
  check_report(flags.report_path, flags.data.files());
}

/// Told before training. With --json the schema is not: inspect has it.
void print_prepared(const CLI::App& verb, const CommonOptions& common,
                    const InferredSchema& inferred, const Comparison& begun) {
  warn_of(verb, common, inferred.notes);
  for (std::size_t i = inferred.notes.size(); i < begun.warnings.size(); ++i) {
    warn(verb, common, begun.warnings[i]);
  }
  note(verb, common, begun.cost + ".");
  if (common.json) return;
  print_out("{}\n", describe_schema(inferred));
  static_cast<void>(std::fflush(stdout));  // a failure shows at the end
}

void run_compare(const CLI::App& verb, const CompareFlags& flags) {
  check_flags(flags);
  const auto methods = methods_of(verb, flags);
  flags.compare.read();  // what is wrong there is told before the data are read
  const Input input = read_input(flags.data, flags.schema, flags.train.read().threads);
  CompareOptions options = options_of(flags, input.schema);
  warn_of_slow_blas(verb, flags.common);

  Comparison comparison = [&] {
    ProgressLine progress(flags.common.quiet);
    options.progress = progress.work_function();
    options.on_prepared = [&](const InferredSchema& inferred, const Comparison& begun) {
      print_prepared(verb, flags.common, inferred, begun);
    };
    return compare(input.table, methods, options);
  }();
  for (std::string& text : comparison.warnings) text = with_flags(text, verb);
  for (Comparison::MethodInfo& method : comparison.methods) {
    method.failure = with_flags(method.failure, verb);
  }

  report::Document document = report::comparison_document(comparison);
  nlohmann::ordered_json data = to_json(comparison);
  document.provenance = make_provenance(options.seed, flags.data.files(), comparison.seconds);
  data["provenance"] = provenance_json(document.provenance);
  if (!flags.report_path.empty()) report::write_report(document, data, flags.report_path);
  if (flags.common.json) {
    print_json(data);
  } else {
    print_document(document);
    print_out("({})\n", duration_text(comparison.seconds));
  }
}

}  // namespace

Verb setup_compare(CLI::App& command) {
  const auto flags = std::make_shared<CompareFlags>();
  CLI::App* const verb =
      command.add_subcommand("compare", "cross-validate Knockout and its rivals on your own data");
  std::string footer = kCompareExamples;
  footer += "\nMethods (the first one is what the others are compared with):\n";
  for (const std::string& name : method_names()) {
    constexpr std::size_t kIndent = 22;
    const std::string text = fmt::format("{}: {}{}", method_label(name), method_description(name),
                                         needs_torch(name) ? " (LibTorch)" : "");
    footer += fmt::format("  {:<19} {}", name, wrapped(text, kIndent).substr(kIndent));
  }
  verb->footer(footer);
  add_data(*verb, flags->data, "CSV file (also .gz), or - for standard input");
  add_matrices(*verb, flags->data);
  flags->schema.said.add(*verb, {"targets"});
  add_list(*verb, "--methods", flags->methods, "NAMES",
           "Which methods, by either of the names above in letters of any case, or all (default: "
           "knockout, common-baseline, zero-indicator, knn, "
           "linear, mice, boosting; missforest, miwae and supmiwae take many times longer)")
      ->group(kCompareWhat);
  flags->compare.add(*verb);
  flags->fit.add(*verb);
  flags->impute.add(*verb);
  add_schema(*verb, flags->schema);
  add_report(*verb, flags->report_path);
  flags->train.add_all_but(*verb, {"checkpoint_folder", "checkpoint_seconds"});
  flags->knockout_trees.add(*verb);
  add_common(*verb, flags->common, "Everything as one JSON object");
  return {verb, [verb, flags] { run_compare(*verb, *flags); }};
}

}  // namespace knockout::cli
