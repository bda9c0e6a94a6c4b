// SPDX-License-Identifier: Apache-2.0
#include "experiments/data_study.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/alzheimers/alzheimers.h"
#include "experiments/food101/food101.h"
#include "experiments/privileged/privileged.h"
#include "experiments/prostate/prostate.h"
#include "experiments/trees/trees.h"
#include "experiments/tumor/tumor.h"
#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// Changes when a file of the data set does: names, sizes and times of all of them.
std::string fingerprint(const std::string& folder) {
  std::vector<std::string> lines;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink)) {
    if (!entry.is_regular_file()) continue;
    lines.push_back(fmt::format("{} {} {}", entry.path().string(), entry.file_size(),
                                entry.last_write_time().time_since_epoch().count()));
  }
  std::sort(lines.begin(), lines.end());
  Sha256 hash;
  for (const std::string& line : lines) hash.add(line + '\n');
  return hash.finish();
}

}  // namespace

std::vector<DataStudy> data_studies() {
  std::vector<DataStudy> all;
  all.push_back(make_alzheimers_study());
  all.push_back(make_privileged_study());
  all.push_back(make_tumor_study());
  all.push_back(make_trees_study());
  all.push_back(make_prostate_study());
  all.push_back(make_food101_study());
  return all;
}

std::vector<std::string> chosen_methods(const std::vector<std::string>& known, const DataRun& run) {
  for (const std::string& method : run.methods) {
    if (std::find(known.begin(), known.end(), method) != known.end()) continue;
    throw ConfigError(fmt::format("--methods: unknown method \"{}\".{}\n  This study has: {}.",
                                  method, did_you_mean(method, known), fmt::join(known, ", ")));
  }
  return run.methods.empty() ? known : run.methods;
}

StudyWork open_work(const std::string& study, const nlohmann::ordered_json& settings,
                    const DataRun& run) {
  const nlohmann::json identity = {{"study", study},
                                   {"settings", settings},
                                   {"seed", run.seed},
                                   {"skip_bad", run.skip_bad},
                                   {"data", fingerprint(run.data)}};
  constexpr std::size_t kEnough = 12;
  Sha256 hash;
  hash.add(identity.dump());
  StudyWork work;
  work.journal = open_journal(identity, run.run);
  if (!run.checkpoint_folder.empty()) {
    work.checkpoint_folder = (fs::path(run.checkpoint_folder) /
                              fmt::format("{}-{}", study, hash.finish().substr(0, kEnough)))
                                 .string();
  }
  return work;
}

std::string empty_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw FileError(fmt::format("{}: cannot be made: {}.", folder, error.message()));
  }
  if (!fs::is_empty(folder, error)) {
    throw ConfigError(fmt::format(
        "--synthesize {}: something is in that folder already, and a data set is never written "
        "over another.\n  Name a new folder.",
        folder));
  }
  return folder;
}

std::string expect_path(const std::string& folder, const std::string& name) {
  const fs::path path = fs::path(folder) / name;
  if (!fs::exists(path)) {
    throw FileError(
        fmt::format("{}: is not there.\n  --data must name the folder that holds {}; "
                    "docs/experiments/ shows the whole tree. To try things out without the real "
                    "data:  --synthesize DIR",
                    path.string(), name));
  }
  return path.string();
}

}  // namespace knockout::experiments
