// SPDX-License-Identifier: Apache-2.0
//
// Feeds arbitrary cells, one per line, to the reading of tables. The first byte chooses options and
// the name of the column. What was learned must read its own table without a complaint, survive
// JSON, and change nothing when it is applied again.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/schema/reading/table_reading.h"

namespace {

using knockout::Column;
using knockout::Note;
using knockout::ReadingOptions;
using knockout::Table;
using knockout::TableReading;
using knockout::fuzz::require;

bool has_same_cells(const Column& a, const Column& b) {
  if (a.is_text() != b.is_text() || a.size() != b.size()) return false;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (a.state(row) != b.state(row)) return false;
    if (!a.observed(row)) continue;
    if (a.is_text() ? a.word(row) != b.word(row) : a.number(row) != b.number(row)) return false;
  }
  return true;
}

std::vector<std::optional<std::string>> lines_of(std::string_view text) {
  std::vector<std::optional<std::string>> cells;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end == 0) {
      cells.emplace_back(std::nullopt);
    } else {
      cells.emplace_back(std::string(text.substr(0, end)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return cells;
}

}  // namespace

std::vector<std::string> knockout::fuzz::seeds() {
  using namespace std::string_literals;
  return {
      "\0"
      "1,234.5\n12 %\n\n$ 3\n"s,
      "\1"
      "01/02/2020\n31.12.2021\nn/a\n"s,
      "\2-999\n1\ngone\n"s,
      "\0<0.5\n1.5 mg\n2 mg\n"s,
      "\0"
      "1:30\n2:45:10\n-\n"s,
      "\0"
      "03484\n12345\n"s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string name = (data[0] & 1) != 0 ? "date" : "x";
  ReadingOptions options;
  if ((data[0] & 2) != 0) options.missing_words = {"-999", "gone"};
  if ((data[0] & 4) != 0) options.only_missing_words = {"gone"};
  if ((data[0] & 8) != 0) options.number_columns = {name};
  if ((data[0] & 16) != 0) options.target_columns = {name};
  if ((data[0] & 32) != 0) options.decimal_mark = ',';
  if ((data[0] & 64) != 0) options.date_order = knockout::DateOrder::kYearFirst;
  const Table table({Column::words(name, lines_of(text))}, "fuzz.csv");

  std::vector<Note> notes, complaints;
  const TableReading reading = TableReading::learn(table, options, notes, 1);
  const Table once = reading.apply(table, complaints, false, 1);
  require(complaints.empty(), "what was learned reads its own table");
  const TableReading copy = TableReading::from_json(nlohmann::json::parse(
      reading.to_json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  require(copy.columns().size() == 1, "a column survives JSON");
  const Table twice = reading.apply(once, complaints, false, 1);
  require(complaints.empty() && has_same_cells(once.column(0), twice.column(0)),
          "nothing changes when applied again");
  return 0;
}
