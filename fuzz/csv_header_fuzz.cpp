// SPDX-License-Identifier: Apache-2.0
//
// Feeds arbitrary bytes to the reader of headers. The first byte chooses options, the second says
// where the file is cut, the rest is the file. Besides not crashing, the names that are found in
// the beginning of a file must be those of the whole file, and those of its table.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/data/csv_header.h"

namespace {

using Names = std::vector<std::string>;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

/// Nothing when the file cannot be read.
template <typename Read>
std::optional<Names> attempt(const Read& read) {
  try {
    return read();
  } catch (const knockout::Error& error) {
    require(*error.what() != '\0', "an error says something");
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string file(reinterpret_cast<const char*>(data + 2), size - 2);
  knockout::CsvOptions options;
  options.threads = 1;
  if ((data[0] & 1) != 0) options.delimiter = ";,\t| "[data[0] / 2 % 5];
  if ((data[0] & 128) != 0) options.has_header = (data[0] & 64) != 0;

  const std::string beginning = file.substr(0, file.size() * data[1] / 255);
  const std::optional<Names> early =
      knockout::read_names(beginning, /*is_whole_file=*/false, "fuzz.csv", options);
  if (!file.ends_with('\n')) file += '\n';
  const auto whole = attempt(
      [&] { return knockout::read_names(file, /*is_whole_file=*/true, "fuzz.csv", options); });
  // Where the delimiter is to be found, rows that were cut off may have a say in it.
  if (early && whole && options.delimiter) require(*early == *whole, "same names");
  const auto table =
      attempt([&] { return knockout::read_csv_text(file, "fuzz.csv", options).names(); });
  if (table) require(whole == table, "the names of the table");
  return 0;
}
