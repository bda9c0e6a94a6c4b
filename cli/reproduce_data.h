// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace knockout::cli {

/// The studies on real data, each a subcommand of `knockout reproduce` with options of its own.
class DataStudies {
 public:
  explicit DataStudies(CLI::App& reproduce);
  ~DataStudies();
  /// Runs the one that was asked for; false when none was.
  bool run() const;
  /// Name and description of each.
  std::vector<std::pair<std::string, std::string>> list() const;

 private:
  struct Entry;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace knockout::cli
