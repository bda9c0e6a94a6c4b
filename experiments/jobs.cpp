// SPDX-License-Identifier: Apache-2.0
#include "experiments/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>

#include "knockout/base/parallel.h"
#include "knockout/base/sha256.h"
#include "knockout/base/strict_json.h"

namespace knockout::experiments {
namespace {

/// How far all jobs are, and how long the rest may take. What an interrupted run had done, whole
/// jobs and the beginning of one that goes on from a checkpoint, took this run no time and says
/// nothing of the rest.
class Meter {
 public:
  Meter(std::size_t jobs, const StudyContext& run)
      : run_(run), shares_(jobs, 0.0), begun_with_(jobs) {}

  /// An interrupted run had done all of it.
  void resumed(std::size_t job, const std::string& doing) { set(job, 1.0, 1.0, doing); }
  /// The first share that a job tells is what a checkpoint had.
  void advanced(std::size_t job, double share, const std::string& doing) {
    set(job, 0.99 * share, 0.99 * share, doing);
  }
  void finished(std::size_t job, const std::string& doing) { set(job, 1.0, 0.0, doing); }

 private:
  void set(std::size_t job, double share, double begun_if_unknown, const std::string& doing) {
    if (!run_.progress) return;
    const std::scoped_lock lock(mutex_);
    shares_[job] = share;
    if (!begun_with_[job]) begun_with_[job] = begun_if_unknown;
    const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    double worked = sum;
    for (const auto& begun : begun_with_) worked -= begun.value_or(0);
    const double left = static_cast<double>(shares_.size()) - sum;
    StudyContext::Progress progress;
    progress.all = shares_.size();
    for (const double of_job : shares_) progress.done += of_job >= 1.0;
    progress.share_done = sum / static_cast<double>(shares_.size());
    progress.seconds = seconds;
    constexpr double kTells = 0.01;  // less of a job may have been its quickest part
    if (worked >= kTells) progress.seconds_left = seconds / worked * left;
    progress.doing = doing;
    run_.progress(progress);
  }

  const StudyContext& run_;
  std::vector<double> shares_;
  std::vector<std::optional<double>> begun_with_;  ///< The first share that each job told.
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

/// Everyone gets the results that the first process has.
void hand_out(std::vector<nlohmann::json>& results, AllReduce& processes) {
  const bool first = processes.rank() == 0;
  const std::string text = first ? nlohmann::json(results).dump() : "";
  double length = static_cast<double>(text.size());
  processes.sum(std::span(&length, 1));
  std::vector<float> bytes(static_cast<std::size_t>(length));
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)); });
  processes.sum(bytes);
  std::string received;
  for (const float byte : bytes) received += static_cast<char>(static_cast<unsigned char>(byte));
  if (!first) results = parse_strict_json(received).get<std::vector<nlohmann::json>>();
}

}  // namespace

const std::string& program_hash() {
  static const std::string hash = sha256_of_file("/proc/self/exe");
  return hash;
}

std::shared_ptr<Journal> open_journal(nlohmann::json settings, const StudyContext& run) {
  settings["program"] = program_hash();
  std::string path = run.journal_path;
  if (path.empty() && !run.journal_folder.empty()) {
    constexpr std::size_t kEnough = 12;
    Sha256 hash;
    hash.add(settings.dump());
    path = (std::filesystem::path(run.journal_folder) /
            fmt::format("{}-{}.jsonl", settings.value("study", "study"),
                        hash.finish().substr(0, kEnough)))
               .string();
  }
  if (run.processes != nullptr && run.processes->rank() != 0) path.clear();
  return std::make_shared<Journal>(path, settings, run.from_start);
}

std::vector<nlohmann::json> run_jobs(const std::vector<Job>& jobs, Journal& journal,
                                     const StudyContext& run) {
  std::vector<nlohmann::json> results(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (auto done = journal.find(jobs[j].key)) results[j] = std::move(*done);
  }
  if (run.processes != nullptr) hand_out(results, *run.processes);
  std::vector<std::size_t> open;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (results[j].is_null()) open.push_back(j);
  }
  Meter meter(jobs.size(), run);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (!results[j].is_null()) meter.resumed(j, jobs[j].key);
  }
  const int at_once = run.processes != nullptr ? 1 : run.threads;
  parallel_for(open.size(), at_once, [&](std::size_t i) {
    const std::size_t j = open[i];
    results[j] = jobs[j].run([&](double share) { meter.advanced(j, share, jobs[j].key); });
    journal.add(jobs[j].key, results[j]);
    meter.finished(j, jobs[j].key);
  });
  return results;
}

}  // namespace knockout::experiments
