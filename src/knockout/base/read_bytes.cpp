// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/read_bytes.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {

std::string read_bytes(const std::string& path, std::string_view what) {
  const auto fail = [&](int cause) {
    throw FileError(fmt::format("cannot read {} \"{}\": {}.", what, path,
                                std::generic_category().message(cause)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail(errno);
  std::string bytes;
  std::vector<char> chunk(1 << 20);
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    bytes.append(chunk.data(), count);
  }
  if (std::ferror(file.get())) fail(errno);
  return bytes;
}

}  // namespace knockout
