// SPDX-License-Identifier: Apache-2.0
#include "cli/study_output.h"

#include <chrono>
#include <filesystem>
#include <variant>

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/report_output.h"
#include "knockout/base/stage.h"

namespace knockout::cli {
namespace {

using experiments::StudyContext;
using experiments::StudyResult;

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

}  // namespace

void add_study_output(CLI::App& verb, StudyOutput& output) {
  add_report(verb, output.report_path);
  add_seed(verb, output.seed, "Same seed, same data and models (default 0)");
  add_threads(verb, output.run.threads);
  add_common(verb, output.common, "Every number as one JSON object");
}

void add_journal(CLI::App& verb, StudyOutput& output) {
  verb.add_option("--journal", output.run.journal_path,
                  "Where finished pieces are kept until the run is done (default: in the user's "
                  "cache folder)")
      ->option_text("FILE")
      ->group(kWhatComesOut);
  verb.add_flag("--from-start", output.run.from_start, "Forget what an interrupted run had done")
      ->group(kWhatComesOut);
}

void choose_journal_folder(StudyOutput& output) {
  const std::string& said = output.run.journal_path;
  if (said.empty()) {
    output.run.journal_folder = experiments::default_journal_folder();
  } else {
    const std::filesystem::path folder = std::filesystem::path(said).parent_path();
    output.run.journal_folder = folder.empty() ? "." : folder.string();
  }
}

void run_and_show(const CLI::App& verb, StudyOutput output,
                  const std::function<StudyResult(const StudyContext&)>& study, Show show) {
  const AllReduce* const processes = output.run.processes;
  const bool leads = processes == nullptr || processes->rank() == 0;
  output.common.quiet |= !leads;
  if (leads) check_report(output.report_path, {});
  warn_of_slow_blas(verb, output.common);
  const auto start = std::chrono::steady_clock::now();
  StudyResult result = [&] {
    const Stage stage("running the study");
    ProgressLine progress(output.common.quiet);
    output.run.progress = progress.study_function();
    return study(output.run);
  }();
  if (!leads) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (const std::size_t resumed = result.journal->resumed(); resumed > 0) {
    const std::string text =
        fmt::format("{} came from an earlier run that was interrupted.", plural(resumed, "result"));
    note(verb, output.common, text);
    result.document.summary += fmt::format("\n\n{} The time taken is that of the last part.", text);
  }
  result.data["resumed_results"] = result.journal->resumed();
  result.document.provenance = make_provenance(output.seed, {}, elapsed.count());
  result.data["provenance"] = provenance_json(result.document.provenance);
  if (!output.report_path.empty()) {
    report::write_report(result.document, result.data, output.report_path);
  }
  if (output.common.json) {
    print_json(result.data);
  } else if (show == Show::kAll) {
    print_document(result.document);
  } else {
    print_first_section(result.document);
  }
  if (!output.common.json) {
    if (!output.report_path.empty()) print_out("Report: {}\n", output.report_path);
    print_out("({})\n", duration_text(elapsed.count()));
  }
  flush_output();
  result.journal->remove();  // only now: a result that did not arrive can be had again
}

}  // namespace knockout::cli
