// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/strict_json.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

constexpr std::size_t kMostBytes = 100'000'000;  // as much as a safetensors header may have
constexpr std::size_t kMostValues = 10'000'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kShown = 200;  ///< Characters of a name or a reason in a message.

/// Watches the parser: what is open, the keys that it holds, and how many values there were.
class Watch {
 public:
  bool operator()(int /*depth*/, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        count_value();
        if (open_.size() == kMaxDepth) refuse(fmt::format("is nested deeper than {}", kMaxDepth));
        open_.push_back({.is_list = event == Event::array_start});
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        end_value();
        break;
      case Event::key:
        open_.back().key = parsed.get<std::string>();
        if (!open_.back().keys.insert(open_.back().key).second) refuse("holds this key twice");
        break;
      case Event::value:
        count_value();
        end_value();
        break;
    }
    return true;
  }

  /// Where the parser is: " at /encoder/coding/3", counted from 0, or "" at the start.
  std::string place() const {
    std::string path;
    for (const Level& level : open_) {
      path += '/';
      path += level.is_list ? std::to_string(level.entries) : level.key.substr(0, kShown);
      if (path.size() > kShown) return fmt::format(" at {}...", path.substr(0, kShown));
    }
    return path.empty() ? "" : " at " + path;
  }

 private:
  struct Level {
    bool is_list = false;
    std::size_t entries = 0;          ///< That are done.
    std::set<std::string> keys = {};  ///< Of an object, so far.
    std::string key = {};             ///< The last of them.
  };

  void count_value() {
    if (++values_ > kMostValues) refuse(fmt::format("holds more than {} values", kMostValues));
  }
  void end_value() {
    if (!open_.empty()) ++open_.back().entries;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw ModelFileError(fmt::format("its JSON {}{}", what, place()));
  }

  std::vector<Level> open_;
  std::size_t values_ = 0;
};

}  // namespace

nlohmann::json parse_strict_json(std::string_view text) {
  if (text.size() > kMostBytes) {
    throw ModelFileError(
        fmt::format("its JSON has {} bytes, more than the {} allowed", text.size(), kMostBytes));
  }
  // The parser takes a NUL for the end and would not look at what follows.
  if (text.find('\0') != std::string_view::npos) {
    throw ModelFileError("its JSON holds a NUL byte");
  }
  Watch watch;
  try {
    return nlohmann::json::parse(text, std::ref(watch));
  } catch (const nlohmann::json::exception& error) {
    throw ModelFileError(fmt::format("its JSON cannot be read{} ({})", watch.place(),
                                     std::string_view(error.what()).substr(0, kShown)));
  }
}

std::optional<std::int64_t> whole_number(const nlohmann::json& value, std::int64_t least,
                                         std::int64_t most) {
  if (!value.is_number_integer()) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace knockout
