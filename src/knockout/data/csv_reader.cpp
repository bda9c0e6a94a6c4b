// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_reader.h"

#include <algorithm>

#include "knockout/base/error.h"
#include "knockout/data/csv_body.h"
#include "knockout/data/csv_header.h"
#include "knockout/data/text_file.h"

namespace knockout {
namespace {

/// Old Macintosh files end lines with a lone CR. Returns the text with LF instead when its first
/// line ends so, and nothing when it does not.
std::string with_line_feeds(std::string_view text) {
  bool quoted = false;
  std::size_t first = 0;  // the first line end outside quotes
  while (quoted || (text[first] != '\r' && text[first] != '\n')) {
    if (text[first] == '"') quoted = !quoted;
    if (++first == text.size()) return {};
  }
  const std::size_t after = text.find_first_not_of('\r', first);
  if (text[first] == '\n' || after == std::string_view::npos || text[after] == '\n') return {};
  std::string lines(text);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i] == '\r' && lines[i + 1] != '\n') lines[i] = '\n';
  }
  return lines;
}

std::string_view without_byte_order_mark(std::string_view text) {
  while (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // some tools add one each time
  return text;
}

/// Calls `use` with the text as the other parts expect it: checked, without a byte order mark, its
/// lines ended by '\n'. REQUIRES: `text` ends with '\n'.
template <typename Use>
auto with_clean_text(std::string_view text, const std::string& source, int threads,
                     const Use& use) {
  check_is_text(text, source, threads);
  text = without_byte_order_mark(text);
  const std::string lines = with_line_feeds(text);
  return use(lines.empty() ? text : std::string_view(lines));
}

Table read_ended_text(std::string_view text, const std::string& source, const CsvOptions& options) {
  return with_clean_text(text, source, options.threads, [&](std::string_view clean) {
    const CsvPrologue prologue = read_prologue(clean, source, options);
    return read_body(prologue, options);
  });
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
  const std::string source = source_name(path);
  constexpr std::size_t kUnlimited = std::string_view::npos;
  for (std::size_t limit = path == "-" ? kUnlimited : std::size_t{1} << 20;; limit *= 8) {
    bool reached_end = false;
    TextBuffer buffer = load_text(path, limit, &reached_end);
    if (reached_end && !buffer.view().ends_with('\n')) buffer.append("\n");
    // What follows the last '\n' was cut off by the limit.
    const std::string_view text = buffer.view().substr(0, buffer.view().rfind('\n') + 1);
    try {
      return with_clean_text(text, source, options.threads, [&](std::string_view clean) {
        return read_prologue(clean, source, options).layout.names;
      });
    } catch (const DataError&) {
      if (reached_end) throw;  // otherwise the header may merely be longer than what was read
    }
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
