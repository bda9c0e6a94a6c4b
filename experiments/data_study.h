// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/bad_files.h"
#include "experiments/settings.h"
#include "experiments/study.h"

namespace knockout::experiments {

/// How a study on real data is run, whatever it studies.
struct DataStudyContext {
  std::string data;                       ///< The folder with the data set, as its owners ship it.
  int repetitions = 0;                    ///< Seeds or random splits; 0 = as many as the paper.
  std::vector<std::string> methods = {};  ///< Empty = all of the study's.
  std::uint64_t seed = 0;
  bool quick = false;     ///< The settings already say so.
  bool skip_bad = false;  ///< Go on without what cannot be read, and list it.
  /// Where trainings that are under way keep their checkpoints, a folder each.
  std::string checkpoint_folder = {};
  StudyContext run;
};

/// A made-up data set in the layout of the real one.
struct Synthesis {
  std::string folder;  ///< Made if need be; must be empty.
  std::uint64_t seed = 0;
  int size = 0;  ///< Subjects, images or rows; 0 = enough for the study's --quick.
  /// The labels have nothing to do with the inputs: nobody can gain anything.
  bool no_signal = false;
};

/// Writes into the folder of a made-up data set that it is one, and asks a folder whether it is: a
/// page about invented patients must say so wherever it goes.
void mark_made_up(const std::string& folder, const std::string& how);
bool is_made_up(const std::string& folder);

/// A study of the paper on a data set.
struct DataStudy {
  std::string name, description;
  std::string needs;                 ///< What --data must hold, in a line or two, for --help.
  std::vector<std::string> methods;  ///< What --methods can choose from, as the paper orders them.
  int repetitions = 5;               ///< Of the paper.
  std::string repetition_name = "seeds";  ///< What a repetition is, plural.
  /// Runs in knockout-nn, as does the making up of its data: needs LibTorch or media/.
  bool in_engine = true;
  /// For studies that need knockout-nn for some data only: whether for what is in this folder.
  std::function<bool(const std::string& data)> needs_engine = {};
  /// The TorchScript files that a run on this folder would load: programs of whoever made them.
  std::function<std::vector<std::string>(const std::string& data)> programs = {};
  Settings settings;
  std::function<StudyResult(const DataStudyContext& run)> run;
  /// Returns what was written, in a sentence for the person who asked for it.
  std::function<std::string(const Synthesis& synthesis)> synthesize;
};

/// The six studies of the paper on real data, each with settings of its own, all at their defaults.
std::vector<DataStudy> data_studies();

/// `run.methods`, or all of the study's when it names none. Throws ConfigError with the nearest
/// name.
std::vector<std::string> chosen_methods(const std::vector<std::string>& known,
                                        const DataStudyContext& run);

/// Where a study keeps what it has done so far. Both belong to everything that decides the results:
/// the program, the settings, the seed, and the files of the data set (and `other_files`: files and
/// folders that lie elsewhere) by name, size and time. A run with a journal of its own has
/// checkpoints of its own.
struct StudyWork {
  std::shared_ptr<Journal> journal;
  std::string checkpoint_folder;  ///< "" = nowhere.
};
StudyWork open_work(const std::string& study, const nlohmann::ordered_json& settings,
                    const DataStudyContext& run, const std::vector<std::string>& other_files = {});

/// What a person should hear before these TorchScript files are loaded.
std::string warning_of_programs(const std::vector<std::string>& files);

/// `folder`, which is made if need be. Throws ConfigError when something is in it: a data set is
/// never written over another.
std::string empty_folder(const std::string& folder);

/// `folder/name`. Throws FileError that says what was expected where, and that --synthesize makes a
/// data set to try things out, when it is not there.
std::string expect_path(const std::string& folder, const std::string& name);

}  // namespace knockout::experiments
