// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

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

/// The text of a file, decompressed if it is gzip; "-" is standard input. Reading stops after about
/// `limit` bytes; `reached_end` says whether that was all. Throws FileError when it cannot be read
/// (with a near name when it does not exist), DataError when gzip data are damaged.
TextBuffer load_text(const std::string& path,
                     std::size_t limit = std::numeric_limits<std::size_t>::max(),
                     bool* reached_end = nullptr);

/// Throws a DataError with the way out when the bytes are no UTF-8 text: what kind of file it seems
/// to be, or the line where the text goes wrong.
void check_is_text(std::string_view bytes, const std::string& source, int threads);

}  // namespace knockout
