// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"

namespace knockout {
namespace {

using Sink = std::function<void(std::string_view)>;

bool needs_quotes(std::string_view text, char delimiter) {
  if (text.empty()) return false;
  // At the start of a file these would be Excel's separator line, a web page, a comment, a frame,
  // JSON, ARFF or a byte order mark; at its end, Ctrl-Z would be the mark of old systems.
  constexpr std::string_view kOtherStarts = "<#%+|{[@\xEF";
  if (kOtherStarts.find(text.front()) != std::string_view::npos) return true;
  if (text.starts_with("sep=") || text.starts_with("--") || text.back() == '\x1A') return true;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (is_blank(text.front()) || is_blank(text.back())) return true;  // readers trim
  return std::any_of(text.begin(), text.end(),
                     [&](char c) { return c == delimiter || c == '"' || c == '\n' || c == '\r'; });
}

std::string quote_if_needed(std::string_view text, char delimiter) {
  if (!needs_quotes(text, delimiter)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void append_number(std::string& out, double value) {
  char digits[32];
  // Whole numbers as people write them: 100000, not 1e+05. A negative zero keeps its sign.
  const bool large = std::abs(value) >= 1e15;  // in full, readers would take it for a code
  const bool whole = !large && value == std::trunc(value) && !(value == 0.0 && std::signbit(value));
  char* const last = digits + sizeof digits;
  const auto end = whole   ? std::to_chars(digits, last, static_cast<long long>(value))
                   : large ? std::to_chars(digits, last, value, std::chars_format::scientific)
                           : std::to_chars(digits, last, value);
  out.append(digits, end.ptr);
}

/// One column with its words already in quotes where they need them.
struct CsvColumn {
  const Column* column = nullptr;
  std::vector<std::string> words;
};

void write_all(const Table& table, const CsvWriteOptions& options, const Sink& sink) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  const char delimiter = options.delimiter;
  const std::string reason_word = quote_if_needed(options.reason_word, delimiter);
  std::string out;
  std::vector<CsvColumn> ready;
  for (const Column& column : table.columns()) {
    out += quote_if_needed(column.name(), delimiter);
    out += delimiter;
    CsvColumn& last = ready.emplace_back(CsvColumn{&column, {}});
    for (const std::string& word : column.words()) {
      last.words.push_back(quote_if_needed(word, delimiter));
    }
  }
  if (ready.empty()) return;
  out.back() = '\n';
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t row_begin = out.size();
    for (const CsvColumn& each : ready) {
      const Column& column = *each.column;
      const CellState state = column.state(row);
      if (state == CellState::kObserved) {
        if (column.is_text()) {
          out += each.words[static_cast<std::size_t>(column.codes()[row])];
        } else {
          append_number(out, column.number(row));
        }
      } else if (is_said(state)) {
        const std::string_view infinity = state == CellState::kBelowLimit ? "-inf" : "inf";
        out += column.is_text() ? std::string_view(reason_word) : infinity;
      }
      out += delimiter;
    }
    out.pop_back();
    // A blank line is no row; a quoted nothing is a gap.
    if (out.size() == row_begin) out += "\"\"";
    out += '\n';
    if (out.size() >= kPiece) {
      sink(out);
      out.clear();
    }
  }
  sink(out);
}

void write_to_standard_output(const Table& table, const CsvWriteOptions& options) {
  const auto fail = [] {
    throw FileError(
        fmt::format("cannot write to standard output: {}.\n"
                    "  Free some space, or write to a file instead.",
                    std::generic_category().message(errno)));
  };
  write_all(table, options, [&](std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail();
  });
  if (std::fflush(stdout) != 0) fail();
}

}  // namespace

void write_csv(const Table& table, const std::string& path, const CsvWriteOptions& options) {
  if (path == "-") {
    write_to_standard_output(table, options);
    return;
  }
  AtomicFile file(path);
  write_all(table, options, [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

std::string write_csv_text(const Table& table, const CsvWriteOptions& options) {
  std::string text;
  write_all(table, options, [&](std::string_view bytes) { text += bytes; });
  return text;
}

}  // namespace knockout
