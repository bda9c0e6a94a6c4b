// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/npy_writer.h"

#include <bit>
#include <cassert>
#include <string_view>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"

namespace knockout {
namespace {

/// Numbers are written in this machine's byte order, which the header names.
void write(const std::string& path, std::string_view type, const std::string& shape,
           std::string_view numbers) {
  constexpr char kOrder = std::endian::native == std::endian::little ? '<' : '>';
  constexpr std::size_t kBefore = 10, kAlignment = 64;  // the numbers begin at a multiple of it
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                   kOrder, type, shape);
  const std::size_t used = (kBefore + header.size() + 1) % kAlignment;
  header.append((kAlignment - used) % kAlignment, ' ');
  header += '\n';
  std::string start = "\x93NUMPY";
  start += '\1';
  start += '\0';
  start += static_cast<char>(header.size() % 256);
  start += static_cast<char>(header.size() / 256);
  AtomicFile file(path);
  file.write(start + header);
  file.write(numbers);
  file.commit();
}

template <typename T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

void write_npy(const std::string& path, std::span<const float> values, std::size_t rows,
               std::size_t columns) {
  assert(values.size() == rows * columns);
  write(path, "f4", fmt::format("({}, {})", rows, columns), bytes_of(values));
}

void write_npy(const std::string& path, std::span<const std::int64_t> values) {
  write(path, "i8", fmt::format("({},)", values.size()), bytes_of(values));
}

}  // namespace knockout
