// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

constexpr std::size_t kShownBytes = 40;

std::string delimiter_name(char delimiter) {
  return delimiter == '\t' ? "tab" : fmt::format("\"{}\"", delimiter);
}

}  // namespace

std::string show_cell(std::string_view cell) {
  std::size_t kept = std::min(cell.size(), kShownBytes);
  // Never cut a UTF-8 character in two.
  while (kept < cell.size() && kept > 0 &&
         (static_cast<unsigned char>(cell[kept]) & 0xC0) == 0x80) {
    --kept;
  }
  std::string shown = "\"";
  for (const char c : cell.substr(0, kept)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown + (kept < cell.size() ? "...\"" : "\"");
}

std::string cell_place(const CsvLayout& layout, std::size_t column, std::uint64_t line) {
  return fmt::format("{}:{}, column {}", layout.source, line, show_cell(layout.names[column]));
}

void throw_ragged(const CsvLayout& layout, const char* record, const char* end,
                  std::uint64_t line) {
  const char delimiter = layout.dialect.delimiter;
  const std::size_t expected = layout.names.size();
  std::size_t found = 1;
  CsvField field = read_field(record, end, layout.dialect);
  std::uint64_t field_line = line;
  while (true) {
    if (field.problem != CsvField::Problem::kNone) {
      throw_bad_quotes(layout, std::min(found, expected) - 1, field, field_line);
    }
    if (*field.end != delimiter) break;
    field_line += field.newlines;
    field = read_field(field.end + 1, end, layout.dialect);
    ++found;
  }
  const std::string others = layout.header_fields == expected
                                 ? fmt::format("the header names {}", plural(expected, "column"))
                                 : fmt::format("the lines above have {}", expected);
  std::string message = fmt::format(
      "{}:{}: {} where {}.\n  The line: {}\n", layout.source, line, plural(found, "field"), others,
      show_cell({record, static_cast<std::size_t>(field.end - record)}));
  const std::string name = delimiter_name(delimiter);
  if (found == expected + 1 && field.text.empty() && !field.quoted) {
    message +=
        fmt::format("  It ends with a delimiter ({}): remove it from the end of the lines.", name);
  } else if (found > expected) {
    message += fmt::format("  A cell that contains {} must stand in quotes.", name);
    if (found == expected + 1) {
      message += "\n  If each line starts with a row name, the header must name that column too.";
    }
  } else if (found == 1) {
    message += fmt::format(
        "  The fields are taken to be separated by {}; if they are not:  `delimiter`\n"
        "  A title or a footnote is no row: remove it.",
        name);
  } else {
    message +=
        "  A missing cell still needs its delimiter; a line break within a cell needs quotes.\n"
        "  If this is the last line, the file may have been cut off.";
  }
  throw DataError(message);
}

void throw_bad_quotes(const CsvLayout& layout, std::size_t column, const CsvField& field,
                      std::uint64_t line) {
  const std::string place = cell_place(layout, column, line);
  if (field.problem == CsvField::Problem::kUnclosedQuote) {
    throw DataError(
        fmt::format("{}: the quote that opens here is never closed: {}.\n"
                    "  Close it, or write a quote that belongs to the text twice, within quotes.",
                    place, show_cell(field.text)));
  }
  const char* const after_quote = field.text.data() + field.text.size() + 1;
  throw DataError(fmt::format(
      "{}: text follows the closing quote{}: {}.\n"
      "  Within a quoted cell, write a quote that belongs to the text twice: \"5\"\" pipe\".",
      place, field.newlines == 0 ? "" : fmt::format(" on line {}", line + field.newlines),
      show_cell({after_quote, static_cast<std::size_t>(field.end - after_quote)})));
}

}  // namespace knockout
