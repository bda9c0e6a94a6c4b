// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/genera/picture_list.h"

namespace knockout::experiments {

/// The folder of Auto Arborist that holds the records: tfrecords/<city>/train-00000-of-00025.
inline constexpr const char* kTreeRecords = "tfrecords";

/// What to take of the records.
struct TreeRecordOptions {
  /// Names of views and of the fields that hold their pictures.
  std::vector<std::pair<std::string, std::string>> views;
  std::string label;                ///< The field of the genus: a number or a name.
  std::vector<std::string> cities;  ///< Folders; empty = all.
};

/// Those of the study. Throws ConfigError for views that are not "name=field".
TreeRecordOptions tree_record_options(const TreesOptions& options);

/// The files <folder>/<city>/train* and test*, by name; indices beside them (.index, .idx) are
/// none. Throws ConfigError for a city that is not there, FileError when no file is.
std::vector<std::string> tree_record_files(const std::string& folder,
                                           const TreeRecordOptions& options);

/// Every tree of these files, in their order: where its pictures lie, which are not looked at. A
/// record that lacks a field, and a file from the place on where it is damaged, go to `bad`. The
/// trees have parts when there are files of both. Throws DataError when no tree is left.
PictureList list_tree_records(const std::string& folder, const TreeRecordOptions& options,
                              BadFiles& bad);

}  // namespace knockout::experiments
