// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "knockout/base/error.h"
#include "knockout/data/csv_clean_text.h"
#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_number.h"

namespace knockout {
namespace {

constexpr std::size_t kSniffedRecords = 100;

bool is_number(std::string_view cell) {
  return parse_number(cell, '.').kind == NumberKind::kNumber ||
         parse_number(cell, ',').kind == NumberKind::kNumber;
}

/// How well a delimiter explains the first records.
struct Fit {
  double agreeing_records = 0.0;  ///< Share of the records with as many fields as the header.
  double number_fields = 0.0;     ///< Share of the fields below the header that are numbers.
  std::size_t header_fields = 0;

  bool operator>(const Fit& other) const {
    return std::tie(agreeing_records, number_fields, header_fields) >
           std::tie(other.agreeing_records, other.number_fields, other.header_fields);
  }
};

Fit fit_delimiter(std::string_view text, char delimiter) {
  const CsvDialect dialect{delimiter};
  const char* p = text.data();
  const char* const end = p + text.size();
  const char* const sniffed_end = p + std::min(text.size(), kSniffedBytes);
  Fit fit;
  std::size_t agreeing = 0;
  std::size_t fields = 0;
  std::size_t numbers = 0;
  std::size_t records = 0;
  while (p < end && records <= kSniffedRecords) {
    if (const char* const next = skip_blank_line(p, dialect)) {
      p = next;
      continue;
    }
    std::size_t record_fields = 0;
    std::size_t record_numbers = 0;
    while (true) {
      const CsvField field = read_field(p, end, dialect);
      if (field.problem == CsvField::Problem::kUnclosedQuote) p = end;
      if (p == end) break;
      ++record_fields;
      record_numbers += is_number(trim(field.text));
      p = field.end + 1;
      if (*field.end == '\n') break;
    }
    if (records == 0) {
      fit.header_fields = record_fields;
    } else if (p > sniffed_end) {
      break;
    } else {
      agreeing += record_fields == fit.header_fields;
      fields += record_fields;
      numbers += record_numbers;
    }
    ++records;
  }
  if (records > 1) {
    fit.agreeing_records = static_cast<double>(agreeing) / static_cast<double>(records - 1);
    fit.number_fields =
        static_cast<double>(numbers) / static_cast<double>(std::max<std::size_t>(1, fields));
  }
  return fit;
}

char find_delimiter(std::string_view text) {
  char best = ',';
  Fit best_fit;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const Fit fit = fit_delimiter(text, candidate);
    if (fit.header_fields > 1 && fit > best_fit) {
      best = candidate;
      best_fit = fit;
    }
  }
  return best;
}

void check_marks(const CsvOptions& options) {
  const auto is_bad_delimiter = [](char c) {
    const char lower = static_cast<char>(c | 0x20);
    return std::string_view("\"\n\r.-+\0", 7).find(c) != std::string_view::npos ||
           csv_internal::is_digit(c) || (lower >= 'a' && lower <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (options.delimiter && is_bad_delimiter(*options.delimiter)) {
    throw ConfigError(fmt::format("{} cannot separate fields.\n  Use , ; | or a tab.",
                                  show_cell({&*options.delimiter, 1})));
  }
  if (options.decimal_mark && *options.decimal_mark != '.' && *options.decimal_mark != ',') {
    throw ConfigError(fmt::format("{} cannot be the decimal mark.\n  Use . or ,",
                                  show_cell({&*options.decimal_mark, 1})));
  }
}

/// Names that pandas writes for columns that have none: 0, 1, 2, ...
bool counts_from_zero(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return names.size() > 1;
}

void check_names(const CsvLayout& layout, std::uint64_t line, bool header_is_sure) {
  const std::vector<std::string>& names = layout.names;
  const auto is_number_or_empty = [](const std::string& name) {
    return name.empty() || is_number(name);
  };
  if (!header_is_sure && std::all_of(names.begin(), names.end(), is_number_or_empty) &&
      std::any_of(names.begin(), names.end(), is_number) && !counts_from_zero(names)) {
    throw DataError(
        fmt::format("{}:{}: the first line holds only numbers, where column names are expected.\n"
                    "  Add a line with the names of the columns.\n"
                    "  If these numbers are the names:  `has_header = yes`\n"
                    "  If there are no names:           `has_header = no`",
                    layout.source, line));
  }
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].find_first_not_of(" \t") == std::string::npos) {
      const bool last = i + 1 == names.size() && i > 0;
      const bool first = i == 0 && names.size() > 1;
      throw DataError(fmt::format(
          "{}:{}: column {} of {} has no name.\n  {}", layout.source, line, i + 1, names.size(),
          last    ? "If lines end with a delimiter, remove it; otherwise name the column."
          : first ? "Name it. If it holds row numbers, write the file without them (pandas: "
                    "index=False, R: row.names=FALSE)."
                  : "Give each column a name in the header."));
    }
    const auto [other, is_new] = seen.emplace(names[i], i);
    if (!is_new) {
      throw DataError(
          fmt::format("{}:{}: columns {} and {} are both named {}.\n"
                      "  Rename or remove one of them.",
                      layout.source, line, other->second + 1, i + 1, show_cell(names[i])));
    }
  }
}

/// Excel's own line "sep=;" before the header: the delimiter that it names, if it is there.
std::optional<char> separator_line(std::string_view text) {
  const bool is_one = text.size() > 5 && text.starts_with("sep=") &&
                      std::string_view(",;\t|").find(text[4]) != std::string_view::npos &&
                      (text[5] == '\n' || text.substr(5).starts_with("\r\n"));
  if (!is_one) return std::nullopt;
  return text[4];
}

}  // namespace

CsvPrologue read_prologue(std::string_view text, const std::string& source,
                          const CsvOptions& options) {
  check_marks(options);
  CsvPrologue prologue;
  CsvLayout& layout = prologue.layout;
  layout.source = source;
  const char* p = text.data();
  const char* const end = p + text.size();
  std::uint64_t line = 1;
  std::optional<char> delimiter = options.delimiter;
  if (const std::optional<char> separator = separator_line(text)) {
    if (!delimiter) delimiter = separator;
    p += text.find('\n') + 1;
    ++line;
  }
  const auto rest = [&] { return std::string_view(p, static_cast<std::size_t>(end - p)); };
  // A comma is as good as any delimiter for seeing that a line is blank, except for tabs alone.
  layout.dialect.delimiter = delimiter.value_or(',');
  while (p != end) {
    const char* const next = skip_blank_line(p, layout.dialect);
    if (next == nullptr) break;
    p = next;
    ++line;
  }
  if (p == end) {
    throw DataError(
        fmt::format("{}: the file is empty.\n  A header with the names of the columns "
                    "and one line per row are expected.",
                    source));
  }
  if (!delimiter) layout.dialect.delimiter = find_delimiter(rest());
  const char* const header = p;
  const std::uint64_t header_line = line;
  while (true) {
    const CsvField field = read_field(p, end, layout.dialect);
    layout.names.push_back(field.has_doubled_quotes ? unescape(field) : std::string(field.text));
    if (field.problem != CsvField::Problem::kNone) {
      throw_bad_quotes(layout, layout.names.size() - 1, field, line);
    }
    line += field.newlines;
    p = field.end + 1;
    if (*field.end == '\n') break;
  }
  ++line;
  if (options.has_header.value_or(true)) {
    check_names(layout, header_line, options.has_header.has_value());
  } else {
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
      layout.names[i] = fmt::format("column_{}", i + 1);
    }
    p = header;
    line = header_line;
  }
  prologue.body = rest();
  prologue.body_line = line;
  return prologue;
}

std::optional<std::vector<std::string>> read_names(std::string_view text, bool is_whole_file,
                                                   const std::string& source,
                                                   const CsvOptions& options) {
  // What follows the last '\n' was cut off; of a long header that is all.
  text = text.substr(0, text.rfind('\n') + 1);
  if (text.empty() && !is_whole_file) return std::nullopt;
  try {
    const CsvCleanText clean(text, source, options.threads);
    return read_prologue(clean.view(), source, options).layout.names;
  } catch (const DataError&) {
    if (is_whole_file) throw;  // otherwise the header may merely be longer than the text
    return std::nullopt;
  }
}

}  // namespace knockout
