// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/bad_files.h"

namespace knockout::experiments {

/// One view of every tree: its features, as an encoder made them.
struct View {
  std::string name;  ///< The file's name without its ending: "aerial".
  std::size_t width = 0;
  std::vector<float> values;  ///< rows x width, all finite.
};

enum class Part { kTraining, kValidation, kTest };

/// Trees with several views each, and what they are.
struct ViewSet {
  std::string name;                  ///< The folder's name: "resnet50".
  std::vector<View> views;           ///< By name.
  std::vector<std::string> classes;  ///< The most frequent first.
  std::vector<int> labels;           ///< One per row: its class.
  std::vector<Part> parts;           ///< One per row; empty = the data set has no split.
  std::size_t other_rows = 0;        ///< Left out: of less frequent classes.

  std::size_t rows() const { return labels.size(); }
};

/// What to take of a data set.
struct ViewSetOptions {
  int classes = 10;                     ///< The most frequent ones.
  std::vector<std::string> sets = {};   ///< Folders; empty = all that hold views.
  std::vector<std::string> views = {};  ///< Empty = all .npy files.
  std::string labels = "labels";        ///< The file of the labels, without .npy or .csv.
};

/// The folders of a data set that hold views: `folder` itself when it has .npy files other than
/// the labels and split.npy, otherwise those of its folders that do, by name. A table NAME.csv is a
/// view only where `options.views` names it and no NAME.npy is there.
std::vector<std::string> view_set_folders(const std::string& folder,
                                          const ViewSetOptions& options = {});

/// Reads every set of `folder`. A set is a folder with one .npy matrix, or .csv table of numbers,
/// per view, a row per tree; labels.npy (whole numbers from 0) or labels.csv (a column "genus" or
/// "label", or a single one) in it or in `folder`; and, if there is one, split.npy (0 training, 1
/// validation, 2 test) or a column "split" (train, validation, test) of labels.csv. Rows with
/// numbers that are not finite or without a usable label go to `bad` and are left out. Throws
/// FileError for what cannot be read, DataError when files contradict each other, ConfigError for
/// names that are not there.
std::vector<ViewSet> read_view_sets(const std::string& folder, const ViewSetOptions& options,
                                    BadFiles& bad);

/// The most frequent of `names`, at most `most` of them, by frequency and then by name.
std::vector<std::string> most_frequent(const std::vector<std::string>& names, int most);

}  // namespace knockout::experiments
