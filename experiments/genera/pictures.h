// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "experiments/bad_files.h"
#include "experiments/genera/genera.h"

namespace knockout::experiments {

/// The TorchScript files of the options.
std::vector<std::string> encoders_of(const TreesOptions& options);

/// Those of them whose features are not there yet.
std::vector<std::string> encoders_to_run(const TreesOptions& options, const std::string& data);

/// Makes features of the pictures under `run.data`/images/<view>/<genus>/<id>.jpg (or .jpeg, .png),
/// or in `run.data`/tfrecords/<city>/, with every encoder of the options, unless an earlier run
/// left them: `run.data`/<name of the encoder's file>/ gets a .npy matrix per view, labels.csv (id,
/// genus and, of records, split), and encoding.json, which says of what they were made. Trees
/// without all views and pictures that cannot be read go to `bad`. Throws DataError when nothing is
/// left. REQUIRES: this is knockout-nn if trees_need_engine().
void encode_missing_sets(const TreesOptions& options, const DataStudyContext& run, BadFiles& bad);

}  // namespace knockout::experiments
