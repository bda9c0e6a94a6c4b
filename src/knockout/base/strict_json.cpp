// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/strict_json.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

constexpr std::size_t kMostBytes = 100'000'000;  // as much as a safetensors header may have
constexpr std::size_t kMostValues = 10'000'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kShown = 200;  ///< Characters of a name or a reason in a message.

/// Builds the value while the parser reads, and refuses early. The library's own callback looks at
/// everything that a list holds each time an object in it ends: minutes for 100,000 columns.
class StrictBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Json = nlohmann::json;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(value); }
  bool binary(Json::binary_t& /*value*/) override { return false; }  // never in text
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Level& level = open_.back();
    const auto [entry, is_new] =
        level.value->get_ref<Json::object_t&>().emplace(name, Json(nullptr));
    level.key = &entry->first;
    level.place = &entry->second;
    if (!is_new) refuse("holds this key twice");
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    throw ModelFileError(fmt::format("its JSON cannot be read{} ({})", place(),
                                     std::string_view(error.what()).substr(0, kShown)));
  }

  Json take() { return std::move(root_); }

 private:
  /// A list or an object that has begun and not ended.
  struct Level {
    Json* value;
    const std::string* key = nullptr;  ///< Of an object, the last one.
    Json* place = nullptr;             ///< What that key holds.
  };

  /// Puts a value where the next one belongs.
  Json* put(Json value) {
    if (++values_ > kMostValues) refuse(fmt::format("holds more than {} values", kMostValues));
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = open_.back();
    if (level.value->is_array()) {
      return &level.value->get_ref<Json::array_t&>().emplace_back(std::move(value));
    }
    *level.place = std::move(value);
    return level.place;
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json empty) {
    if (open_.size() == kMaxDepth) refuse(fmt::format("is nested deeper than {}", kMaxDepth));
    open_.push_back({.value = put(std::move(empty))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  /// Where the parser is: " at /encoder/coding/3", counted from 0, or "" at the start.
  std::string place() const {
    std::string path;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Level& level = open_[i];
      const bool is_last = i + 1 == open_.size();
      path += '/';
      if (level.value->is_array()) {
        path += std::to_string(is_last ? level.value->size() : level.value->size() - 1);
      } else if (level.key != nullptr) {
        path += level.key->substr(0, kShown);
      }
      if (path.size() > kShown) return fmt::format(" at {}...", path.substr(0, kShown));
    }
    return path.empty() ? "" : " at " + path;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw ModelFileError(fmt::format("its JSON {}{}", what, place()));
  }

  Json root_;
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
  StrictBuilder builder;
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
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
