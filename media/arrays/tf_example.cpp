// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/tf_example.h"

#include <bit>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"

// The wire format of protobuf, as far as three small messages need it. The library of protobuf
// would copy every picture; and LibTorch brings a copy of that library into the same process, in a
// version of its own.
namespace knockout {
namespace {

enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// A field of a message: its number, and its value by how it is written.
struct Field {
  std::uint64_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t whole = 0;      ///< Of kVarint, kFixed64 and kFixed32.
  std::string_view bytes = {};  ///< Of kBytes.
};

/// Takes a message apart, field by field.
class Message {
 public:
  Message(std::string_view bytes, const std::string& source) : rest_(bytes), source_(source) {}

  bool at_end() const { return rest_.empty(); }

  std::optional<Field> next() {
    if (at_end()) return std::nullopt;
    const std::uint64_t tag = varint();
    Field field{.number = tag >> 3, .wire = static_cast<Wire>(tag & 7)};
    constexpr std::uint64_t kMostTag = 0xffffffff;
    if (field.number == 0 || tag > kMostTag) fail("it has a field without a valid number");
    switch (field.wire) {
      case Wire::kVarint:
        field.whole = varint();
        return field;
      case Wire::kFixed64:
        field.whole = fixed(8);
        return field;
      case Wire::kBytes:
        field.bytes = take(varint());
        return field;
      case Wire::kFixed32:
        field.whole = fixed(4);
        return field;
    }
    fail(fmt::format("field {} is written in a way that is not known ({})", field.number, tag & 7));
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    constexpr int kLastShift = 63;
    for (int shift = 0; shift <= kLastShift; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1).front());
      if (shift == kLastShift && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number in it takes more than 64 bits");
  }

  std::uint64_t fixed(std::size_t count) {
    const std::string_view bytes = take(count);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return value;
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      fail(fmt::format("it ends early: {} bytes are expected where {} are left", count,
                       rest_.size()));
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: is no tf.train.Example: {}.", source_, what));
  }

  std::string_view rest_;
  const std::string& source_;
};

/// The list of that kind in `feature`, where there can be one only: it replaces one of another.
template <typename List>
List& list_in(TfFeature& feature) {
  if (!std::holds_alternative<List>(feature)) feature = List();
  return std::get<List>(feature);
}

float to_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// Numbers come one by one, or packed one after the other in one field.
void add_values(std::string_view bytes, std::uint64_t kind, TfFeature& feature,
                const std::string& source) {
  Message list(bytes, source);
  while (const std::optional<Field> field = list.next()) {
    if (field->number != 1) continue;
    Message packed(field->bytes, source);
    if (kind == 1) {
      if (field->wire == Wire::kBytes) {
        list_in<std::vector<std::string_view>>(feature).push_back(field->bytes);
      }
    } else if (kind == 2) {
      auto& floats = list_in<std::vector<float>>(feature);
      if (field->wire == Wire::kFixed32) floats.push_back(to_float(field->whole));
      while (!packed.at_end()) floats.push_back(to_float(packed.fixed(4)));
    } else {
      auto& numbers = list_in<std::vector<std::int64_t>>(feature);
      if (field->wire == Wire::kVarint) {
        numbers.push_back(static_cast<std::int64_t>(field->whole));
      }
      while (!packed.at_end()) numbers.push_back(static_cast<std::int64_t>(packed.varint()));
    }
  }
}

/// Feature: bytes_list = 1, float_list = 2, int64_list = 3.
void add_feature(std::string_view bytes, TfFeature& feature, const std::string& source) {
  Message message(bytes, source);
  while (const std::optional<Field> field = message.next()) {
    if (field->wire != Wire::kBytes || field->number > 3) continue;
    if (field->number == 1) list_in<std::vector<std::string_view>>(feature);
    if (field->number == 2) list_in<std::vector<float>>(feature);
    if (field->number == 3) list_in<std::vector<std::int64_t>>(feature);
    add_values(field->bytes, field->number, feature, source);
  }
}

}  // namespace

TfExample parse_tf_example(std::string_view bytes, const std::string& source) {
  TfExample example;
  Message message(bytes, source);
  while (const std::optional<Field> features = message.next()) {  // Example: features = 1
    if (features->number != 1 || features->wire != Wire::kBytes) continue;
    Message map(features->bytes, source);
    while (const std::optional<Field> entry = map.next()) {  // Features: feature = 1
      if (entry->number != 1 || entry->wire != Wire::kBytes) continue;
      std::string_view name;
      TfFeature feature;
      Message pair(entry->bytes, source);
      while (const std::optional<Field> part = pair.next()) {  // key = 1, value = 2
        if (part->wire != Wire::kBytes) continue;
        if (part->number == 1) name = part->bytes;
        if (part->number == 2) add_feature(part->bytes, feature, source);
      }
      example.insert_or_assign(std::string(name), std::move(feature));
    }
  }
  return example;
}

}  // namespace knockout
