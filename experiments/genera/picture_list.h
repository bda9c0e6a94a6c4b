// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/bad_files.h"
#include "experiments/genera/genera.h"
#include "experiments/genera/picture_encoding.h"

namespace knockout::experiments {

/// A tree of which there are pictures.
struct PicturedTree {
  std::string id, genus;
  std::string part;                    ///< "train" or "test"; "" = the data set has no split.
  std::vector<PicturePlace> pictures;  ///< One per view.
};

struct PictureList {
  std::vector<std::string> views;
  std::vector<PicturedTree> trees;  ///< Of the most frequent genera, in a fixed order.
};

/// Where the pictures of a data set are: DIR/images or, without it, DIR/tfrecords. Throws FileError
/// when neither is there.
std::string pictures_folder(const std::string& data);

/// Every tree of the options' most frequent genera. Trees that lack a view, records without the
/// expected fields and damaged files of records go to `bad`. Throws DataError when nothing is left.
PictureList list_pictures(const std::string& data, const TreesOptions& options, BadFiles& bad);

/// What tells one list of pictures from another without looking into them.
struct PictureSummary {
  std::vector<std::string> views;
  std::string fingerprint;  ///< Of the files' names, sizes and times, and of what is taken of them.
};

/// Of records it looks at the files alone, which can be a terabyte.
PictureSummary summarize_pictures(const std::string& data, const TreesOptions& options);

}  // namespace knockout::experiments
