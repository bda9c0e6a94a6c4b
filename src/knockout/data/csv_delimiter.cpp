// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_delimiter.h"

#include <algorithm>
#include <tuple>

#include "knockout/data/csv_preamble.h"

namespace knockout {
namespace {

constexpr std::size_t kSniffedRecords = 120;

/// How well a delimiter explains the first records.
struct DelimiterFit {
  double agreeing_records = 0.0;    ///< Share of the records with as many fields as the header.
  bool starts_with_header = false;  ///< Nothing stands above it.
  double number_fields = 0.0;       ///< Share of the fields below the header that are numbers.
  std::size_t header_fields = 0;
  bool short_header = false;
  bool empty_fields = false;  ///< Some record has one.

  bool operator>(const DelimiterFit& other) const {
    // 13,5;2,7 holds more numbers by commas than by semicolons, but only if the header is a title.
    return std::tie(agreeing_records, starts_with_header, number_fields, header_fields) >
           std::tie(other.agreeing_records, other.starts_with_header, other.number_fields,
                    other.header_fields);
  }
};

DelimiterFit fit_delimiter(std::string_view text, char delimiter, std::optional<bool> has_header) {
  std::vector<SampledRecord> records = sample_records(text, 1, {delimiter}, kSniffedRecords);
  const std::size_t header = preamble_length(records, has_header);
  DelimiterFit fit;
  if (header >= records.size()) return fit;
  fit.starts_with_header = header == 0;
  fit.header_fields = records[header].cells.size();
  fit.short_header = has_short_header(records, header);
  std::size_t agreeing = 0;
  std::size_t below = 0;
  std::size_t fields = 0;
  std::size_t numbers = 0;
  for (std::size_t i = header + 1; i < records.size(); ++i) {
    const std::vector<std::string_view>& cells = records[i].cells;
    if (is_rule_line(records[i].text()) || is_row_count(records[i].text())) continue;
    ++below;
    agreeing += cells.size() == fit.header_fields + (fit.short_header ? 1 : 0);
    fields += cells.size();
    fit.empty_fields |= filled_cells(records[i]) < cells.size();
    numbers += static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), is_number_cell));
  }
  if (below > 0) {
    fit.agreeing_records = static_cast<double>(agreeing) / static_cast<double>(below);
    fit.number_fields = static_cast<double>(numbers) / static_cast<double>(fields);
  }
  return fit;
}

/// Blanks stand in most texts, so they separate fields only where all records say so, each has just
/// one between two fields, and they hold mostly numbers, or names of rows.
bool blanks_separate(const DelimiterFit& fit) {
  return fit.header_fields > 1 && fit.agreeing_records == 1.0 && !fit.empty_fields &&
         (fit.short_header || fit.number_fields >= 0.5);
}

}  // namespace

bool has_short_header(const std::vector<SampledRecord>& records, std::size_t header) {
  const std::size_t names = records[header].cells.size();
  std::size_t below = 0;
  for (std::size_t i = header + 1; i < records.size(); ++i) {
    const std::vector<std::string_view>& cells = records[i].cells;
    if (is_rule_line(records[i].text()) || is_row_count(records[i].text())) continue;
    if (cells.size() != names + 1) return false;
    // A single column of sentences with a comma each must not lose their first halves.
    if (names == 1 && !cells[1].empty() && !is_number_cell(cells[1])) return false;
    ++below;
  }
  return below > 0;
}

char find_delimiter(std::string_view text, std::optional<bool> has_header) {
  char best = ',';
  DelimiterFit best_fit;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const DelimiterFit fit = fit_delimiter(text, candidate, has_header);
    if (fit.header_fields > 1 && fit > best_fit) {
      best = candidate;
      best_fit = fit;
    }
  }
  if (best_fit.header_fields > 1) return best;
  for (const char candidate : {',', ';', '\t'}) {  // one name above a name of a row and a number
    if (fit_delimiter(text, candidate, has_header).short_header) return candidate;
  }
  return blanks_separate(fit_delimiter(text, ' ', has_header)) ? ' ' : best;
}

void check_line_widths(std::string_view text, const std::string& source,
                       const CsvOptions& options) {
  constexpr int kLines = 3;  // as many as are looked at, however long they are
  const std::string delimiters = options.delimiter ? std::string(1, *options.delimiter) : ",;\t|";
  for (int line = 0; line < kLines && !text.empty(); ++line) {
    const std::string_view record = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(record.size() + 1, text.size()));
    if (record.size() < static_cast<std::size_t>(options.limits.max_columns)) continue;
    for (const char delimiter : delimiters) {
      std::uint64_t fields = 1;
      bool quoted = false;
      for (const char c : record) {
        quoted ^= c == '"';
        fields += c == delimiter && !quoted ? 1 : 0;
      }
      check_columns(options.limits, fields, source);
    }
  }
}

}  // namespace knockout
