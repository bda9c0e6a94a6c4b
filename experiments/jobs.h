// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/journal.h"
#include "knockout/base/all_reduce.h"

namespace knockout::experiments {

/// How a study is run, whatever it studies.
struct StudyContext {
  int threads = 0;  ///< Jobs that run at once; each uses one thread.
  /// Other processes that work on the same jobs, which then run one after the other; may be null.
  /// The first process keeps the journal, and all of them get every result.
  AllReduce* processes = nullptr;
  /// Where finished pieces are kept: a file, or a folder in which each study with its settings has
  /// a file of its own; neither = nowhere, and an interrupted run starts anew.
  std::string journal_path, journal_folder;
  bool from_start = false;  ///< Forget what an interrupted run had done.
  /// Called from one thread at a time. `done` of `all` jobs are finished.
  struct Progress {
    std::size_t done = 0, all = 0;
    double share_done = 0;
    double seconds = 0;
    std::optional<double> seconds_left = {};  ///< Absent: too little is done to tell.
    std::string doing;
  };
  std::function<void(const Progress&)> progress = {};
};

/// A piece of a study: one method, trained once and tested.
struct Job {
  std::string key;  ///< Unique, and the same in every run with these settings.
  std::function<nlohmann::json(const std::function<void(double)>& progress)> run;
};

/// The SHA-256 of the program that runs. Its file is read once: it is large where sanitizers are
/// in.
const std::string& program_hash();

/// The journal of a study with these settings. Another build of the program is another setting: it
/// may find other results.
std::shared_ptr<Journal> open_journal(nlohmann::json settings, const StudyContext& run);

/// Runs what the journal does not have yet, in order, and returns the result of every job. When a
/// job throws, those that run are finished and kept before it is rethrown.
std::vector<nlohmann::json> run_jobs(const std::vector<Job>& jobs, Journal& journal,
                                     const StudyContext& run);

}  // namespace knockout::experiments
