// SPDX-License-Identifier: Apache-2.0
//
// Feeds arbitrary bytes to the reader of headers. The first byte chooses options, the rest is the
// file. Besides not crashing, the names must be those of the table, all of them different, and the
// rows must stand in the file.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_clean_text.h"
#include "knockout/data/csv_header.h"

using knockout::fuzz::require;

std::vector<std::string> knockout::fuzz::seeds() {
  using namespace std::string_literals;
  return {"\0a,b,a\n1,2,3\n"s,
          "\x80"
          "1,2\n3,4\n"s,
          "\0Title\n# remark\n,x,y\nr1,1,2\nr2,3,4\n"s, "\0 a | b \n---+---\n 1 | 2 \n(1 row)\n"s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string file(reinterpret_cast<const char*>(data + 1), size - 1);
  knockout::CsvOptions options;
  options.threads = 1;
  if ((data[0] & 1) != 0) options.delimiter = ";,\t| "[data[0] / 2 % 5];
  if ((data[0] & 128) != 0) options.has_header = (data[0] & 64) != 0;
  if (!file.ends_with('\n')) file += '\n';
  try {
    const knockout::CsvCleanText text(file, "fuzz.csv", 1);
    const auto prologue = knockout::read_prologue(text.view(), "fuzz.csv", options);
    const std::vector<std::string> names = prologue.names();
    require(std::set<std::string>(names.begin(), names.end()).size() == names.size(),
            "all names are different");
    require(prologue.layout.set_aside.size() == prologue.layout.names.size(), "a flag per column");
    require(prologue.body.empty() || (prologue.body.data() >= text.view().data() &&
                                      prologue.body.data() + prologue.body.size() <=
                                          text.view().data() + text.view().size()),
            "the rows stand in the file");
    require(knockout::read_csv_text(file, "fuzz.csv", options).names() == names,
            "the names of the table");
  } catch (const knockout::Error& error) {
    require(*error.what() != '\0', "an error says something");
  }
  return 0;
}
