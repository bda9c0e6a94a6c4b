// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_clean_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "knockout/base/wording.h"
#include "knockout/data/csv_field.h"
#include "knockout/data/csv_frame.h"
#include "knockout/data/csv_preamble.h"
#include "knockout/data/csv_sample.h"
#include "knockout/data/csv_scan.h"
#include "knockout/data/text_encoding.h"
#include "knockout/data/text_file.h"
#include "knockout/data/text_formats.h"

namespace knockout {
namespace {

/// Old Macintosh files end lines with a lone CR. Returns the text with LF instead when its first
/// line ends so, and nothing when it does not.
std::optional<std::string> with_line_feeds(std::string_view text) {
  bool quoted = false;
  std::size_t first = 0;  // the first line end outside quotes
  for (; first < text.size(); ++first) {
    if (text[first] == '"') quoted = !quoted;
    if (!quoted && (text[first] == '\r' || text[first] == '\n')) break;
  }
  if (first == text.size() || text[first] == '\n') return std::nullopt;
  const std::size_t after = text.find_first_not_of('\r', first);
  if (after == std::string_view::npos || text[after] == '\n') return std::nullopt;
  std::string lines(text);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i] == '\r' && lines[i + 1] != '\n') lines[i] = '\n';
  }
  return lines;
}

/// Fields of a line that runs of blanks separate.
std::vector<std::string_view> blank_separated(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t at = line.find_first_not_of(" \r"); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \r", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \r", end);
  }
  return fields;
}

/// Whether columns stand one below the other, with blanks between them: every line has as many
/// fields as the first, half of them numbers, and no other delimiter stands anywhere.
bool is_aligned_with_blanks(std::string_view text) {
  constexpr std::size_t kLines = 50;
  std::size_t columns = 0, lines = 0, fields = 0, numbers = 0;
  bool has_runs = false;
  while (!text.empty() && lines < kLines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::vector<std::string_view> found = blank_separated(line);
    if (found.empty() || (lines == 0 && is_remark_line(line))) continue;
    if (line.find_first_of(",;\t|\"") != std::string_view::npos) return false;
    if (lines == 0) columns = found.size();
    if (columns < 2 || found.size() != columns) return false;
    has_runs |= line.find("  ") != std::string_view::npos;
    if (lines++ == 0) continue;
    fields += columns;
    numbers += static_cast<std::size_t>(std::count_if(found.begin(), found.end(), is_number_cell));
  }
  return has_runs && lines > 2 && 2 * numbers >= fields;
}

/// One blank between two fields, none at the ends of lines.
std::string with_single_blanks(std::string_view text) {
  std::string single;
  single.reserve(text.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::vector<std::string_view> fields = blank_separated(line);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) single += ' ';
      single += fields[i];
    }
    single += '\n';
  }
  return single;
}

/// Without the Ctrl-Z with which programs of old systems end a file.
std::string_view without_end_mark(std::string_view text) {
  constexpr std::string_view kEndMark = "\x1A\n";  // readers add the line end
  if (text.ends_with(kEndMark)) text.remove_suffix(kEndMark.size());
  while (text.ends_with(kEndMark[0])) text.remove_suffix(1);
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  while (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // some tools add one each time
  return text;
}

Note encoding_note(const ConvertedText& converted, std::string_view bytes, std::size_t bad) {
  if (converted.encoding == "UTF-16") {
    return {"encoding", "", "The file is written in UTF-16; it was converted to UTF-8."};
  }
  const std::size_t line = 1 + count_newlines(bytes.data(), bytes.data() + bad);
  if (converted.unknown_byte) {
    return {"encoding", "",
            fmt::format("The encoding of the file is not known: the byte 0x{:02X} is neither UTF-8 "
                        "nor Windows-1252. Words may look odd. Convert the file, for example:  "
                        "iconv -f {} -t UTF-8 FILE > NEW_FILE",
                        *converted.unknown_byte, converted.encoding)};
  }
  if (converted.stray_bytes == 0) {
    return {"encoding", "",
            fmt::format("The file is not written in UTF-8, as line {} shows; it was read as {}.",
                        line, converted.encoding)};
  }
  return {"encoding", "",
          fmt::format("The file is written in UTF-8 but for {}, the first on line {}; {} read as "
                      "{}.",
                      plural(converted.stray_bytes, "byte"), line,
                      converted.stray_bytes == 1 ? "it was" : "they were", converted.encoding)};
}

}  // namespace

CsvCleanText::CsvCleanText(std::string_view text, const std::string& source, int threads)
    : text_(text) {
  refuse_other_formats(text, source);
  make_utf8(source, threads);
  text_ = without_byte_order_mark(text_);
  if (const std::string_view content = without_end_mark(text_); content.size() < text_.size()) {
    set_text(std::string(content) + (content.ends_with('\n') ? "" : "\n"));
  }
  if (std::optional<std::string> lines = with_line_feeds(text_)) {
    set_text(*std::move(lines));
  }
  if (std::optional<std::string> bare = without_frame(text_)) {
    set_text(*std::move(bare));
    notes_.push_back({"preamble", "", "The frame drawn around the table was skipped."});
  }
  if (is_aligned_with_blanks(text_)) set_text(with_single_blanks(text_));
}

void CsvCleanText::set_text(std::string text) {
  converted_ = std::move(text);
  text_ = converted_;
}

void CsvCleanText::make_utf8(const std::string& source, int threads) {
  const std::size_t bad = find_binary_byte(text_, threads);
  if (bad == std::string_view::npos) return;
  refuse_binary_formats(text_, source);  // only now: a text may begin with a column called PAR1
  std::optional<ConvertedText> converted = convert_to_utf8(text_);
  if (!converted) throw_no_text(text_, bad, source);
  notes_.push_back(encoding_note(*converted, text_, bad));
  set_text(std::move(converted->text));
}

}  // namespace knockout
