// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/strict_json.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

constexpr std::size_t kMaxDepth = 64;

/// Watches the parser: the keys of every object that is open, and how many are.
class Watch {
 public:
  bool operator()(int /*depth*/, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        if (open_.size() == kMaxDepth) {
          throw ModelFileError(fmt::format("its JSON is nested deeper than {}", kMaxDepth));
        }
        open_.emplace_back();
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        break;
      case Event::key:
        if (!open_.back().insert(parsed.get<std::string>()).second) {
          throw ModelFileError(
              fmt::format("its JSON holds the key {} twice", parsed.dump().substr(0, 100)));
        }
        break;
      case Event::value:
        break;
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;  ///< The keys so far; none for arrays.
};

}  // namespace

nlohmann::json parse_strict_json(std::string_view text) {
  // The parser takes a NUL for the end and would not look at what follows.
  if (text.find('\0') != std::string_view::npos) {
    throw ModelFileError("its JSON holds a NUL byte");
  }
  try {
    return nlohmann::json::parse(text, Watch());
  } catch (const nlohmann::json::exception& error) {
    throw ModelFileError(fmt::format("its JSON cannot be read ({})", error.what()));
  }
}

}  // namespace knockout
