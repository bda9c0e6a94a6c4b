// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_clean_text.h"

#include "knockout/data/text_file.h"

namespace knockout {
namespace {

/// Old Macintosh files end lines with a lone CR. Returns the text with LF instead when its first
/// line ends so, and nothing when it does not.
std::string with_line_feeds(std::string_view text) {
  bool quoted = false;
  std::size_t first = 0;  // the first line end outside quotes
  for (; first < text.size(); ++first) {
    if (text[first] == '"') quoted = !quoted;
    if (!quoted && (text[first] == '\r' || text[first] == '\n')) break;
  }
  if (first == text.size() || text[first] == '\n') return {};
  const std::size_t after = text.find_first_not_of('\r', first);
  if (after == std::string_view::npos || text[after] == '\n') return {};
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

}  // namespace

CsvCleanText::CsvCleanText(std::string_view text, const std::string& source, int threads)
    : text_(without_byte_order_mark(text)) {
  check_is_text(text, source, threads);
  converted_ = with_line_feeds(text_);
}

}  // namespace knockout
