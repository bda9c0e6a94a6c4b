// SPDX-License-Identifier: Apache-2.0
// What every study has in common on the command line: where its results go and how they are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/options.h"
#include "experiments/study.h"

namespace knockout::cli {

inline constexpr const char* kWhatIsStudied = "What is studied";

struct StudyOutput {
  CommonOptions common;
  std::string report_path;
  std::uint64_t seed = 0;
  experiments::StudyContext run;  ///< Threads, journal and processes.
};

/// --report, --seed, --threads, --json, --quiet.
void add_study_output(CLI::App& verb, StudyOutput& output);
/// --journal, --from-start.
void add_journal(CLI::App& verb, StudyOutput& output);
/// The folder for what a run keeps until it is done: that of --journal, else the user's cache.
/// Throws FileError.
void choose_journal_folder(StudyOutput& output);

enum class Show { kAll, kFirstSection };

/// Runs a study with progress, then writes its report and prints its tables or its JSON. The
/// journal goes when all of that has arrived. Of several processes the first one speaks for all.
void run_and_show(
    const CLI::App& verb, StudyOutput output,
    const std::function<experiments::StudyResult(const experiments::StudyContext&)>& study,
    Show show);

}  // namespace knockout::cli
