// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for NumPy matrices: whatever the bytes, they are read or refused with a
// DataError. The first byte says whether the rest is a file, or a header with the right beginning
// and length followed by as many numbers as are left; and whether it is compressed before.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/byte_source.h"
#include "fuzz/shared/memory_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/data/npy.h"

namespace {

using namespace knockout;

/// A file of format 1 around a header that ends with the first line.
std::string with_beginning(std::string_view text) {
  const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
  std::string file = "\x93NUMPY\1";
  file += '\0';
  file += static_cast<char>(length & 0xff);
  file += static_cast<char>(length >> 8 & 0xff);
  return file.append(text);
}

std::string compressed(std::string_view bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  fuzz::require(deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib works");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const auto header = [](const std::string& type, const std::string& order,
                         const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  };
  return {'\1' + header("<f8", "False", "(2, 1)") + std::string(16, '\x40'),
          '\3' + header(">i4", "True", "(1, 3)") + std::string(12, '\1'),
          '\1' + header("|b1", "False", "(4,)") + std::string(4, '\1'),
          '\0' + with_beginning(header("<u2", "False", "(2, 2)") + "12345678")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  if (size < 2) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if ((data[0] & 1) != 0) bytes = with_beginning(bytes);
  if ((data[0] & 2) != 0) bytes = compressed(bytes);
  const std::string path = file.write(bytes);
  try {
    const Table table = read_npy(path, "x");
    fuzz::require(table.rows() > 0 && table.column_count() > 0, "there are numbers");
    fuzz::require(table.rows() * table.column_count() < size, "each takes a byte at least");
    const Table again = read_npy(path, "x");
    for (std::size_t c = 0; c < table.column_count(); ++c) {
      fuzz::require(table.column(c) == again.column(c), "the same twice");
    }
  } catch (const DataError&) {
  }
  return 0;
}
