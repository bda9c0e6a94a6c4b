// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/read_bytes.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/limits.h"

namespace knockout {

std::uint64_t most_file_bytes() { return Limits{}.memory_bytes() / 3; }

std::string read_bytes(const std::string& path, std::string_view what, std::uint64_t most) {
  const auto fail = [&](const std::string& cause) {
    throw FileError(fmt::format("cannot read {} \"{}\": {}.", what, path, cause));
  };
  const auto fail_with = [&](int cause) { fail(std::generic_category().message(cause)); };
  const auto check_size = [&](std::uint64_t bytes) {
    if (bytes <= most) return;
    fail(fmt::format("it holds more than the {} that fit this machine's memory",
                     bytes_text(static_cast<double>(most))));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail_with(errno);
  std::string bytes;
  std::error_code no_size;  // of a pipe
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  if (!no_size) {
    check_size(size);
    bytes.reserve(size);
  }
  std::vector<char> chunk(1 << 20);
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    check_size(bytes.size() + count);
    bytes.append(chunk.data(), count);
  }
  if (std::ferror(file.get())) fail_with(errno);
  return bytes;
}

}  // namespace knockout
