// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace knockout::fuzz {

/// Hands out the bytes of an input as decisions; zeros once they have run out.
class ByteSource {
 public:
  explicit ByteSource(std::string_view bytes) : bytes_(bytes) {}
  ByteSource(const std::uint8_t* data, std::size_t size)
      : bytes_(reinterpret_cast<const char*>(data), size) {}

  bool is_empty() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const char first = bytes_.front();
    bytes_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  /// One of `count`, which is at least 1.
  std::size_t choice(std::size_t count) {
    const std::size_t low = byte();
    return (count > 256 ? low + 256 * std::size_t{byte()} : low) % count;
  }
  /// Up to `most` of the next bytes.
  std::string_view text(std::size_t most) {
    const std::string_view taken = bytes_.substr(0, most);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() { return text(bytes_.size()); }

 private:
  std::string_view bytes_;
};

}  // namespace knockout::fuzz
