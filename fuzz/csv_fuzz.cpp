// SPDX-License-Identifier: Apache-2.0
//
// Feeds arbitrary bytes to the CSV reader. The first two bytes choose options, the rest is the
// file. Besides not crashing, the reader must give the same table, or the same error, whether it
// parses in one piece or in tiny pieces on two threads; and what it read must survive being written
// and read again.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/csv_writer.h"

namespace {

using knockout::Column;
using knockout::CsvOptions;
using knockout::Table;
using knockout::fuzz::require;

struct Outcome {
  Table table;
  std::string error;
};

Outcome read(std::string_view text, const CsvOptions& options) {
  Outcome outcome;
  try {
    outcome.table = knockout::read_csv_text(text, "fuzz.csv", options);
  } catch (const knockout::Error& error) {
    outcome.error = error.what();
    require(!outcome.error.empty(), "an error says something");
  }
  return outcome;
}

void require_same(const Table& a, const Table& b) {
  require(a.rows() == b.rows() && a.names() == b.names(), "same shape");
  for (std::size_t c = 0; c < a.column_count(); ++c) {
    require(a.column(c) == b.column(c), "same columns");
  }
}

void require_same_notes(const Table& a, const Table& b) {
  require(a.notes().size() == b.notes().size(), "same number of notes");
  for (std::size_t i = 0; i < a.notes().size(); ++i) {
    require(a.notes()[i].text == b.notes()[i].text, "same notes");
  }
}

}  // namespace

std::vector<std::string> knockout::fuzz::seeds() {
  using namespace std::string_literals;
  return {"\0\0a,b\n1,x\n2.5,\"y, z\"\n"s, "\1\4a;b\n-9;<LOD\n1,5;0\n"s,
          "\0\x0f\xef\xbb\xbfTitle\n\na\tb\n1\t2\n(1 rows)\n"s,
          "\x80\x10"
          "1,2\r\n3,4\r\n"s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 2), size - 2);
  CsvOptions whole;
  whole.threads = 1;
  if ((data[0] & 1) != 0) whole.delimiter = ";,\t| "[data[0] / 2 % 5];
  if ((data[0] & 32) != 0) whole.decimal_mark = (data[0] & 64) != 0 ? ',' : '.';
  if ((data[0] & 128) != 0) whole.has_header = (data[1] & 128) != 0;
  if ((data[1] & 1) != 0) whole.text_columns = {"a*"};
  if ((data[1] & 2) != 0) whole.skip_columns = {"b*"};
  if ((data[1] & 4) != 0) whole.missing_words = {"-9", "x"};
  if ((data[1] & 8) != 0) whole.reason_words = {"<LOD", "0"};
  CsvOptions pieces = whole;
  pieces.threads = 2;
  pieces.chunk_bytes = 1 + data[1] / 16;

  const Outcome expected = read(text, whole);
  const Outcome found = read(text, pieces);
  require(found.error == expected.error, "same error");
  if (!expected.error.empty()) return 0;
  require_same(expected.table, found.table);
  require_same_notes(expected.table, found.table);
  for (std::size_t row = 0; row < expected.table.rows(); ++row) {
    require(expected.table.where(row) == found.table.where(row), "same lines");
  }

  // CSV has no word for a number's reason without a side, nor for the sides of a word's.
  knockout::Table written = expected.table;
  for (std::size_t c = 0; c < written.column_count(); ++c) {
    for (std::size_t row = 0; row < written.rows(); ++row) {
      using knockout::CellState;
      const CellState state = written.column(c).state(row);
      const bool text = written.column(c).is_text();
      if (text ? is_said(state) : state == CellState::kMissingForAReason) {
        written.set_missing(row, c, text ? CellState::kMissingForAReason : CellState::kAboveLimit);
      }
    }
  }

  // A second round knows what the columns are; what is written must then be read the same.
  CsvOptions again;
  again.threads = 1;
  again.delimiter = ',';
  again.has_header = true;
  again.missing_words = {};
  again.reason_words = {"a reason"};
  for (const Column& column : expected.table.columns()) {
    for (const std::string& word : column.words()) {
      if (word == "a reason") return 0;
    }
    if (column.is_text()) again.text_columns.push_back(column.name());
  }
  again.decimal_mark = '.';
  knockout::CsvWriteOptions writing;
  writing.reason_word = "a reason";
  const Outcome second = read(knockout::write_csv_text(written, writing), again);
  if (expected.table.column_count() > 0) {
    require(second.error.empty(), "what was written can be read");
    // What looks like more than a table, such as a last line "(2 rows)", is told of.
    if (second.table.notes().empty()) require_same(written, second.table);
  }
  return 0;
}
