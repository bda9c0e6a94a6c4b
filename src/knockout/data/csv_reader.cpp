// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_reader.h"

#include <algorithm>
#include <utility>

#include "knockout/data/csv_body.h"
#include "knockout/data/csv_clean_text.h"
#include "knockout/data/csv_header.h"
#include "knockout/data/text_file.h"

namespace knockout {
namespace {

Table read_ended_text(std::string_view text, const std::string& source, const CsvOptions& options) {
  const CsvCleanText clean(text, source, options.threads);
  return read_body(read_prologue(clean.view(), source, options), options);
}

}  // namespace

Table read_csv(const std::string& path, const CsvOptions& options) {
  TextBuffer text = load_text(path);
  if (!text.view().ends_with('\n')) text.append("\n");
  return read_ended_text(text.view(), source_name(path), options);
}

Table read_csv_text(std::string_view text, const std::string& source, const CsvOptions& options) {
  if (text.ends_with('\n')) return read_ended_text(text, source, options);
  return read_ended_text(std::string(text) + '\n', source, options);
}

std::vector<std::string> read_csv_header(const std::string& path, const CsvOptions& options) {
  // Standard input cannot be read a second time.
  std::size_t limit = path == "-" ? std::string_view::npos : std::size_t{1} << 20;
  while (true) {
    bool reached_end = false;
    TextBuffer text = load_text(path, limit, &reached_end);
    if (reached_end && !text.view().ends_with('\n')) text.append("\n");
    if (auto names = read_names(text.view(), reached_end, source_name(path), options)) {
      return *std::move(names);
    }
    limit *= 8;
  }
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  // Greedy with one step back: after a mismatch, let the last star take one more character.
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

}  // namespace knockout
