// SPDX-License-Identifier: Apache-2.0
#include "experiments/data_study.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/alzheimers/alzheimers.h"
#include "experiments/food101/food101.h"
#include "experiments/genera/genera.h"
#include "experiments/privileged/privileged.h"
#include "experiments/prostate/prostate.h"
#include "experiments/tumor/tumor.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// Name, size and time of every file below `place`, or of `place` itself when it is a file.
void list_files(const fs::path& place, std::vector<std::string>& lines) {
  const auto add = [&](const fs::path& file) {
    lines.push_back(fmt::format("{} {} {}", file.lexically_relative(place).string(),
                                fs::file_size(file),
                                fs::last_write_time(file).time_since_epoch().count()));
  };
  try {
    if (!fs::is_directory(place)) {
      if (fs::exists(place)) add(place);
      return;
    }
    for (const auto& entry :
         fs::recursive_directory_iterator(place, fs::directory_options::follow_directory_symlink)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw FileError(fmt::format("{}: cannot be looked through: {}.", error.path1().string(),
                                error.code().message()));
  }
}

/// Changes when a file does.
std::string fingerprint(const std::string& folder, const std::vector<std::string>& other_files) {
  std::vector<std::string> lines;
  list_files(folder, lines);
  for (const std::string& other : other_files) list_files(other, lines);
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

std::vector<std::string> chosen_methods(const std::vector<std::string>& known,
                                        const DataStudyContext& run) {
  for (const std::string& method : run.methods) {
    if (std::find(known.begin(), known.end(), method) != known.end()) continue;
    throw ConfigError(fmt::format("--methods: unknown method \"{}\".{}\n  This study has: {}.",
                                  method, did_you_mean(method, known), fmt::join(known, ", ")));
  }
  if (run.methods.empty()) return known;
  std::vector<std::string> chosen;
  for (const std::string& method : run.methods) {
    if (std::find(chosen.begin(), chosen.end(), method) == chosen.end()) chosen.push_back(method);
  }
  return chosen;
}

StudyWork open_work(const std::string& study, const nlohmann::ordered_json& settings,
                    const DataStudyContext& run, const std::vector<std::string>& other_files) {
  nlohmann::json deciding = settings;
  // How fast, never what: the work goes on with other numbers of these.
  for (const char* name : {"loader-threads", "encoder-batch"}) deciding.erase(name);
  const nlohmann::json identity = {{"study", study},
                                   {"settings", deciding},
                                   {"seed", run.seed},
                                   {"skip_bad", run.skip_bad},
                                   {"data", fingerprint(run.data, other_files)}};
  StudyWork work;
  work.journal = open_journal(identity, run.run);
  if (!run.checkpoint_folder.empty()) {
    constexpr std::size_t kEnough = 12;
    Sha256 hash;
    hash.add(identity.dump() + program_hash() + run.run.journal_path);
    work.checkpoint_folder = (fs::path(run.checkpoint_folder) /
                              fmt::format("{}-{}", study, hash.finish().substr(0, kEnough)))
                                 .string();
  }
  return work;
}

std::string warning_of_programs(const std::vector<std::string>& files) {
  return fmt::format(
      "{}: TorchScript is a program, which runs with your rights when it is loaded and can read "
      "and "
      "write files.\n"
      "  Go on only if you made {} or trust who did (SECURITY.md).",
      fmt::join(files, ", "), files.size() == 1 ? "it" : "them");
}

std::string empty_folder(const std::string& folder) {
  create_folder(folder, "the folder of the data");
  std::error_code error;
  if (!fs::is_empty(folder, error)) {
    throw ConfigError(fmt::format(
        "--synthesize {}: something is in that folder already, and a data set is never written "
        "over another.\n  Name a new folder.",
        folder));
  }
  return folder;
}

namespace {
constexpr const char* kMadeUpMark = "MADE_UP.txt";
}

void mark_made_up(const std::string& folder, const std::string& how) {
  AtomicFile file((fs::path(folder) / kMadeUpMark).string());
  const std::string text =
      "This data set is made up. It describes no real person, picture or tree.\n" + how + "\n";
  file.write(text);
  file.commit();
}

bool is_made_up(const std::string& folder) {
  std::error_code error;
  const fs::path place =
      fs::is_directory(folder, error) ? fs::path(folder) : fs::path(folder).parent_path();
  return fs::exists(place / kMadeUpMark, error);
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
