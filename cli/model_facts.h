// SPDX-License-Identifier: Apache-2.0
// What a model file tells of itself, for `describe`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "knockout/fit/fit.h"
#include "knockout/model/model.h"

namespace knockout::cli {

/// What a column held in training. Files of older versions do not tell.
struct SeenColumn {
  std::uint64_t observed = 0, missing = 0, missing_for_a_reason = 0;
  std::uint64_t below_limit = 0, above_limit = 0;  ///< Of those for a reason.
  std::optional<double> low, high, mean;
  std::string first, last;  ///< Dates.
  std::uint64_t distinct = 0;
  struct Count {
    std::string value;
    std::uint64_t rows = 0;
  };
  std::vector<Count> values;  ///< The most frequent ones.
};

/// A model and what its file says besides: what older versions did not write is absent.
struct ModelFacts {
  Model model;
  std::string path, sha256;
  std::uint64_t bytes = 0, parameters = 0;
  std::int64_t format_version = 0;
  std::string version;  ///< Of the knockout that made it.
  std::optional<std::uint64_t> rows, rows_without_label, columns;
  std::map<std::string, SeenColumn> seen;
  std::vector<UnusedColumn> set_aside;
  std::vector<HeldOutLevel> held_out;
};

/// Throws as load_model() does. What a file says for people alone is believed where it makes sense
/// and passed over where it does not.
ModelFacts read_model_facts(const std::string& path);

}  // namespace knockout::cli
