// SPDX-License-Identifier: Apache-2.0
#include "experiments/bad_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"

namespace knockout::experiments {

void BadFiles::add(std::string what, std::string reason) {
  all_.push_back({std::move(what), std::move(reason)});
}

void BadFiles::throw_unless_skipped(bool skip_bad, const std::string& kind) const {
  if (all_.empty() || skip_bad) return;
  constexpr std::size_t kShown = 200;
  std::string message = fmt::format("{} cannot be used:", plural(all_.size(), kind));
  for (std::size_t i = 0; i < std::min(kShown, all_.size()); ++i) {
    message += fmt::format("\n  {}: {}", all_[i].what, all_[i].reason);
  }
  if (all_.size() > kShown) message += fmt::format("\n  ... and {} more", all_.size() - kShown);
  throw DataError(message + "\n  To go on without them:  --skip-bad");
}

report::Table BadFiles::table(const std::string& kind) const {
  report::Table table;
  table.caption =
      fmt::format("Left out because they cannot be used: {}", plural(all_.size(), kind));
  table.header = {kind, "reason"};
  table.alignment = "ll";
  for (const BadFile& bad : all_) table.rows.push_back({bad.what, bad.reason});
  return table;
}

nlohmann::ordered_json BadFiles::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BadFile& bad : all_) list.push_back({{"what", bad.what}, {"reason", bad.reason}});
  return list;
}

}  // namespace knockout::experiments
