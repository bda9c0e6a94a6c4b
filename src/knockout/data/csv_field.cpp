// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_field.h"

#include <algorithm>
#include <cstring>

namespace knockout {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// The first delimiter or line end at or after `p`.
const char* find_field_end(const char* p, char delimiter) {
  while (*p != delimiter && *p != '\n') ++p;
  return p;
}

/// The field's own end, when its last character stands before `end`: without the \r of a line end
/// and without blanks.
const char* trim_back(const char* begin, const char* end, const CsvDialect& dialect) {
  if (*end == '\n') {
    while (end != begin && end[-1] == '\r') --end;
  }
  while (end != begin && dialect.is_blank(end[-1])) --end;
  return end;
}

CsvField read_quoted_field(const char* open, const char* end, const CsvDialect& dialect) {
  CsvField field;
  field.quoted = true;
  const char* p = open + 1;
  while (true) {
    const auto* const quote =
        static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (quote == nullptr) {
      field.problem = CsvField::Problem::kUnclosedQuote;
      field.text = between(open + 1, end);
      field.end = end - 1;
      return field;
    }
    p = quote + 1;
    if (*p != '"') break;
    field.has_doubled_quotes = true;
    ++p;
  }
  field.text = between(open + 1, p - 1);
  field.newlines = count_newlines(open, p);
  field.end = find_field_end(p, dialect.delimiter);
  if (trim_back(p, field.end, dialect) != p) field.problem = CsvField::Problem::kTextAfterQuote;
  return field;
}

}  // namespace

CsvField read_field(const char* p, const char* end, const CsvDialect& dialect) {
  while (dialect.is_blank(*p)) ++p;
  if (*p == '"') return read_quoted_field(p, end, dialect);
  CsvField field;
  field.end = find_field_end(p, dialect.delimiter);
  field.text = between(p, trim_back(p, field.end, dialect));
  return field;
}

std::string unescape(const CsvField& field) {
  std::string text;
  text.reserve(field.text.size());
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.quoted && field.text[i] == '"') ++i;  // the second of a pair
  }
  return text;
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

const char* skip_blank_line(const char* p, const CsvDialect& dialect) {
  while (dialect.is_blank(*p) || *p == '\r') ++p;
  return *p == '\n' ? p + 1 : nullptr;
}

std::size_t count_newlines(const char* begin, const char* end) {
  std::size_t total = 0;
  // Counting in single bytes lets the compiler compare 16 or more at once.
  while (end - begin >= 128) {
    std::uint8_t count = 0;
    for (int i = 0; i < 128; ++i) count = static_cast<std::uint8_t>(count + (begin[i] == '\n'));
    total += count;
    begin += 128;
  }
  for (; begin != end; ++begin) total += *begin == '\n';
  return total;
}

}  // namespace knockout
