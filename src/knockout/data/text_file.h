// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "knockout/base/limits.h"

namespace knockout {

/// The bytes of a file, without the cost of clearing them first.
class TextBuffer {
 public:
  void append(std::string_view bytes);
  /// Room for `more` bytes after the last one; add_size() says how many were put there.
  char* room_for(std::size_t more);
  void add_size(std::size_t added) { size_ += added; }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// How a path is called in messages: "-" is "standard input".
std::string source_name(const std::string& path);

/// The text of a file, decompressed if it is gzip; "-" is standard input. Opened and read once, so
/// that a pipe will do. Throws FileError when it cannot be read (with a near name when it does not
/// exist), DataError when gzip data are damaged, and when there are more bytes than `limits` allow:
/// a few compressed bytes may unpack to more than the machine holds, and a pipe may never end.
TextBuffer load_text(const std::string& path, const Limits& limits = {});

/// Throws a DataError when the bytes, which are not UTF-8, are a file of a known kind: says which,
/// and the way out.
void refuse_binary_formats(std::string_view bytes, const std::string& source);

/// Throws a DataError that names the line of the first byte, at `bad`, that no text has.
[[noreturn]] void throw_no_text(std::string_view bytes, std::size_t bad, const std::string& source);

}  // namespace knockout
