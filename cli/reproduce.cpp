// SPDX-License-Identifier: Apache-2.0
// knockout reproduce: the studies of the paper; and knockout demo, the first of them in a minute.
#include <chrono>
#include <memory>
#include <variant>

#include <nlohmann/json.hpp>

#include "cli/engine.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "experiments/study.h"
#include "knockout/schema/column_list.h"

namespace knockout::cli {
namespace {

using experiments::Study;
using experiments::StudyOptions;
using experiments::StudyResult;

constexpr const char* kReproduceExamples =
    R"(  knockout reproduce regression --report regression.html
      Figure 1 of the paper: every method but MIWAE and supMIWAE, ten repetitions, in minutes.
  knockout reproduce regression --methods knockout,miwae,supmiwae --repetitions 1
      Those two as well, which take minutes for each training.
  knockout reproduce classification-mixed --quick
      One repetition, in a minute.
  knockout reproduce regression --methods knockout,mice,boosting --repetitions 3
      Some of the methods (knockout compare --help lists them).

An interrupted run goes on where it was when the same command is given again.
)";

constexpr const char* kDemoExamples =
    R"(  knockout demo
      The paper's regression simulation in short, with a report to look at.
  knockout demo --seed 1
      Another mean and covariance.
)";

constexpr const char* kWhat = "What is studied";

struct StudyFlags {
  CommonOptions common;
  std::string study;
  std::vector<std::string> methods;
  std::string journal_path, report_path;
  StudyOptions options;
};

enum class Show { kAll, kFirstSection };

/// The first section with tables: a taste, where the report has the rest.
void print_first_section(const report::Document& document) {
  print_out("{}\n\n{}\n", document.title, wrapped(document.summary));
  for (const report::Section& section : document.sections) {
    bool any = false;
    for (const report::Block& block : section.blocks) {
      if (const auto* table = std::get_if<report::Table>(&block)) {
        print_table(*table);
        any = true;
      }
    }
    if (any) return;
  }
}

/// Runs a study and shows it as asked.
void run_study(const CLI::App& verb, const Study& study, const StudyFlags& flags,
               StudyOptions options, Show show) {
  check_report(flags.report_path, {});
  warn_of_slow_blas(verb, flags.common);
  const auto start = std::chrono::steady_clock::now();
  StudyResult result = [&] {
    ProgressLine progress(flags.common.quiet);
    options.run.progress = progress.study_function();
    return study.run(options);
  }();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (const std::size_t resumed = result.journal->resumed(); resumed > 0) {
    const std::string text =
        fmt::format("{} came from an earlier run that was interrupted.", plural(resumed, "result"));
    note(verb, flags.common, text);
    result.document.summary += fmt::format("\n\n{} The time taken is that of the last part.", text);
  }
  result.data["resumed_results"] = result.journal->resumed();
  result.document.provenance = make_provenance(options.seed, {}, elapsed.count());
  result.data["provenance"] = provenance_json(result.document.provenance);
  if (!flags.report_path.empty()) {
    report::write_report(result.document, result.data, flags.report_path);
  }
  if (flags.common.json) {
    print_out("{}\n", result.data.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (show == Show::kAll) {
    print_document(result.document);
  } else {
    print_first_section(result.document);
  }
  if (!flags.common.json) {
    if (!flags.report_path.empty()) print_out("Report: {}\n", flags.report_path);
    print_out("({})\n", duration_text(elapsed.count()));
  }
  flush_output();
  result.journal->remove();  // only now: a result that did not arrive can be had again
}

void run_reproduce(const CLI::App& verb, const StudyFlags& flags) {
  if (flags.study.empty()) {
    std::string listed;
    for (const Study& study : experiments::studies()) {
      listed += fmt::format("\n  {:<27} {}", study.name, study.description);
    }
    throw ConfigError("which study?" + listed);
  }
  const Study& study = experiments::find_study(flags.study);
  StudyOptions options = flags.options;
  options.methods = split_column_list(flags.methods, {});
  options.torch_methods = torch_methods_for(options.methods);
  options.run.journal_path = flags.journal_path;
  options.run.journal_folder = experiments::default_journal_folder();
  run_study(verb, study, flags, options, Show::kAll);
}

void run_demo(const CLI::App& verb, const StudyFlags& flags) {
  StudyOptions options = flags.options;
  options.quick = true;
  options.methods = {"knockout",       "dropout", "common-baseline",
                     "zero-indicator", "mice",    "boosting"};
  run_study(verb, experiments::find_study("regression"), flags, options, Show::kFirstSection);
}

void add_study(CLI::App& verb, StudyFlags& flags) {
  add_report(verb, flags.report_path);
  add_seed(verb, flags.options.seed, "Same seed, same data and models (default 0)");
  add_threads(verb, flags.options.run.threads);
  add_common(verb, flags.common, "Every number as one JSON object");
}

}  // namespace

Verb setup_reproduce(CLI::App& command) {
  const auto flags = std::make_shared<StudyFlags>();
  CLI::App* const verb = command.add_subcommand("reproduce", "run a study of the paper");
  std::string footer = kReproduceExamples;
  footer += "\nStudies:\n";
  for (const Study& study : experiments::studies()) {
    footer += fmt::format("  {:<27} {}\n", study.name, study.description);
  }
  verb->footer(footer);
  verb->add_option("study", flags->study, "Which study")->option_text("NAME")->group(kWhat);
  verb->add_option("--repetitions", flags->options.repetitions,
                   "New data and new models so many times (default 10, as in the paper)")
      ->option_text("N")
      ->check(whole_number(1))
      ->group(kWhat);
  verb->add_flag("--quick", flags->options.quick, "One repetition and fewer test rows: a minute")
      ->group(kWhat);
  add_list(*verb, "--methods", flags->methods, "NAMES", "Which methods (default: the paper's)")
      ->group(kWhat);
  verb->add_option("--journal", flags->journal_path,
                   "Where finished pieces are kept until the run is done (default: in the user's "
                   "cache folder)")
      ->option_text("FILE")
      ->group("What comes out");
  verb->add_flag("--from-start", flags->options.run.from_start,
                 "Forget what an interrupted run had done")
      ->group("What comes out");
  add_study(*verb, *flags);
  return {verb, [verb, flags] { run_reproduce(*verb, *flags); }};
}

Verb setup_demo(CLI::App& command) {
  const auto flags = std::make_shared<StudyFlags>();
  flags->report_path = "knockout_demo.html";
  CLI::App* const verb =
      command.add_subcommand("demo", "the paper's simulation end to end, in under a minute");
  verb->footer(kDemoExamples);
  add_study(*verb, *flags);
  return {verb, [verb, flags] { run_demo(*verb, *flags); }};
}

}  // namespace knockout::cli
