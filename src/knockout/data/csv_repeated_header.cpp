// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_repeated_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "knockout/base/wording.h"
#include "knockout/data/csv_sample.h"

namespace knockout {
namespace {

/// Whether a column cannot hold its own name as a cell.
bool speaks_against(const Column& column) {
  return !column.is_text() && !is_number_cell(column.name()) &&
         std::any_of(column.states().begin(), column.states().end(),
                     [](CellState state) { return state == CellState::kObserved; });
}

/// Where records start that equal the header, byte for byte.
std::vector<std::size_t> repeated_at(std::string_view body, std::string_view header) {
  std::vector<std::size_t> places;
  for (std::size_t at = body.find(header); at != std::string_view::npos;) {
    const bool starts = at == 0 || body[at - 1] == '\n';
    if (starts) places.push_back(at);
    at = body.find(header, at + (starts ? header.size() : 1));
  }
  return places;
}

}  // namespace

std::optional<BodyWithoutHeaders> without_repeated_headers(const CsvPrologue& prologue,
                                                           const Table& table) {
  // In a file of one column a blank line would be a cell, and its name may well be a word of it.
  if (prologue.header.empty() || prologue.layout.names.size() < 2) return std::nullopt;
  if (std::any_of(table.columns().begin(), table.columns().end(), speaks_against)) {
    return std::nullopt;
  }
  const std::vector<std::size_t> places = repeated_at(prologue.body, prologue.header);
  if (places.empty()) return std::nullopt;
  BodyWithoutHeaders cleaned{std::string(prologue.body), {}};
  const char blank = prologue.layout.dialect.delimiter == ' ' ? '\t' : ' ';
  for (const std::size_t place : places) {
    const auto begin = cleaned.body.begin() + static_cast<std::ptrdiff_t>(place);
    std::replace_if(
        begin, begin + static_cast<std::ptrdiff_t>(prologue.header.size()),
        [](char c) { return c != '\n' && c != '\r'; }, blank);
  }
  const char* const start = prologue.body.data();
  const std::uint64_t first_line = prologue.body_line + count_newlines(start, start + places[0]);
  const std::string which =
      places.size() == 1
          ? fmt::format("Line {} repeats the header and was left out. If it is a row", first_line)
          : fmt::format(
                "{} lines repeat the header, the first on line {}, and were left out. If "
                "they are rows",
                with_thousands(places.size()), first_line);
  cleaned.note = {"repeated_header", "", which + ":  `has_header = yes`"};
  return cleaned;
}

}  // namespace knockout
