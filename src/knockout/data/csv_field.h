// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// How the bytes of one file separate into fields.
struct CsvDialect {
  char delimiter = ',';
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter; }
};

/// What every part of the reader knows about the file at hand.
struct CsvLayout {
  std::string source;  ///< Names the file in messages.
  CsvDialect dialect;
  std::vector<std::string> names;  ///< One per column of the file, all different.
  std::vector<bool> set_aside;     ///< Columns that are none of the table: names of rows, ...
  std::size_t header_fields = 0;   ///< As many as the header has; records may have one more.
};

/// One field of a record.
///
/// A field is quoted when its first character other than a blank is a quote; a quote further on
/// belongs to the text (5" pipe). The boundary scan in csv_scan.h follows the same rule.
struct CsvField {
  enum class Problem : std::uint8_t { kNone, kUnclosedQuote, kTextAfterQuote };

  std::string_view text;  ///< Without blanks around it, or what stands between the quotes.
  bool quoted = false;
  bool has_doubled_quotes = false;  ///< `text` still holds "" for ".
  std::size_t newlines = 0;         ///< Line ends inside a quoted field.
  Problem problem = Problem::kNone;
  const char* end = nullptr;  ///< The delimiter or '\n' after the field.
};

/// Reads the field that starts at `p`. REQUIRES: end[-1] == '\n'.
CsvField read_field(const char* p, const char* end, const CsvDialect& dialect);

/// The text of a field with its doubled quotes undone.
std::string unescape(const CsvField& field);

/// Without blanks at either end, as a number or a gap word is read.
std::string_view trim(std::string_view text);

/// The start of the next line when the line at `p` is blank, nullptr otherwise.
/// REQUIRES: a '\n' follows somewhere.
const char* skip_blank_line(const char* p, const CsvDialect& dialect);

/// The number of '\n' in [begin, end).
std::size_t count_newlines(const char* begin, const char* end);

}  // namespace knockout
