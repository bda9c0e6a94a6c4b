// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/report/document.h"

namespace knockout::experiments {

/// What of a data set cannot be used, and why. A study looks at everything before it trains, so
/// that one bad file among thousands is known at the start, by name, together with all others.
///   BadFiles bad;
///   for (...) try { check(subject); } catch (const Error& error) { bad.add(subject, error.what());
///   } bad.throw_unless_skipped(run.skip_bad, "subject");
class BadFiles {
 public:
  /// `reason` names the file, as the messages of readers do.
  void add(std::string what, std::string reason);
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  /// Throws DataError with the first of them, how many there are and how to go on without them,
  /// unless there are none or they are to be skipped. `kind` is one of them: "subject".
  void throw_unless_skipped(bool skip_bad, const std::string& kind) const;
  /// For the report: what was left out.
  report::Table table(const std::string& kind) const;
  nlohmann::ordered_json json() const;

 private:
  struct BadFile {
    std::string what, reason;
  };
  std::vector<BadFile> all_;
};

}  // namespace knockout::experiments
