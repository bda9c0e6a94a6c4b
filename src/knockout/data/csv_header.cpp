// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_delimiter.h"
#include "knockout/data/csv_header_levels.h"
#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_names.h"
#include "knockout/data/csv_no_header.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/csv_preamble.h"
#include "knockout/data/csv_sample.h"
#include "knockout/data/csv_units.h"

namespace knockout {
namespace {

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

/// A file without a header would lose its first row.
void refuse_numbers_as_names(const CsvLayout& layout, std::uint64_t line) {
  std::vector<std::string> names = layout.names;
  if (names.size() > 1 && names[0].empty()) names.erase(names.begin());  // of the row names
  const auto is_number_or_empty = [](const std::string& name) {
    return name.empty() || is_number_cell(name);
  };
  if (!std::all_of(names.begin(), names.end(), is_number_or_empty) ||
      !std::any_of(names.begin(), names.end(), is_number_cell) || counts_from_zero(names)) {
    return;
  }
  throw DataError(
      fmt::format("{}:{}: the first line holds only numbers, where column names are expected.\n"
                  "  Add a line with the names of the columns.\n"
                  "  If these numbers are the names:  `has_header = yes`\n"
                  "  If there are no names:           `has_header = no`",
                  layout.source, line));
}

/// Excel's own line "sep=;" before the header: the delimiter that it names, if it is there.
std::optional<char> separator_line(std::string_view text) {
  const bool is_one = text.size() > 5 && text.starts_with("sep=") &&
                      std::string_view(",;\t|").find(text[4]) != std::string_view::npos &&
                      (text[5] == '\n' || text.substr(5).starts_with("\r\n"));
  if (!is_one) return std::nullopt;
  return text[4];
}

std::string_view first_line(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// Where the last line that is not blank starts.
std::size_t last_line(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return text.size();
  const std::size_t before = text.rfind('\n', last);
  return before == std::string_view::npos ? 0 : before + 1;
}

/// Whether a cell heads a row of sums.
bool says_total(std::string_view cell) {
  std::string lower;
  for (const char c : cell) {
    if (c != ':') lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
  constexpr std::array<std::string_view, 9> kWords = {"total",       "totals", "grand total",
                                                      "sum",         "summe",  "gesamt",
                                                      "gesamtsumme", "totale", "total general"};
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

/// Goes through a file from its first line to its rows.
class PrologueReader {
 public:
  PrologueReader(std::string_view text, const std::string& source, const CsvOptions& options)
      : options_(options), rest_(text), delimiter_(options.delimiter) {
    layout_.source = source;
  }

  CsvPrologue read() && {
    skip_separator_line();
    skip_blank_lines();
    check_line_widths(rest_, layout_.source, options_);
    if (!delimiter_) delimiter_ = find_delimiter(rest_, options_.has_header);
    layout_.dialect.delimiter = *delimiter_;
    skip_preamble();
    if (options_.has_header ? *options_.has_header : !starts_with_a_row()) {
      read_names();
      skip_rule_and_footer();
      complete_header();
    } else {
      number_columns();
    }
    check_columns(options_.limits, layout_.names.size(), layout_.source);
    return {std::move(layout_), header_, rest_, line_, std::move(notes_)};
  }

 private:
  void skip(std::size_t bytes) {
    line_ += count_newlines(rest_.data(), rest_.data() + bytes);
    rest_.remove_prefix(bytes);
  }

  void skip_separator_line() {
    const std::optional<char> separator = separator_line(rest_);
    if (!separator) return;
    if (!delimiter_) delimiter_ = separator;
    skip(rest_.find('\n') + 1);
  }

  void skip_blank_lines() {
    // A comma is as good as any delimiter for seeing that a line is blank, except for tabs alone.
    layout_.dialect.delimiter = delimiter_.value_or(',');
    while (!rest_.empty()) {
      const char* const next = skip_blank_line(rest_.data(), layout_.dialect);
      if (next == nullptr) return;
      skip(static_cast<std::size_t>(next - rest_.data()));
    }
    throw DataError(
        fmt::format("{}: the file is empty.\n  A header with the names of the columns "
                    "and one line per row are expected.",
                    layout_.source));
  }

  void skip_preamble() {
    constexpr std::size_t kRecords = 120;
    const auto records = sample_records(rest_, line_, layout_.dialect, kRecords);
    const std::size_t length = preamble_length(records, options_.has_header);
    if (length == 0 || length >= records.size()) return;
    const std::uint64_t first = line_;
    const std::string shown = show_cell(trim(first_line(rest_)));
    skip(static_cast<std::size_t>(records[length].begin - rest_.data()));
    preamble_ =
        line_ == first + 1
            ? fmt::format("Line {} ({}) stands above the table", first, shown)
            : fmt::format("Lines {} to {} ({} ...) stand above the table", first, line_ - 1, shown);
    preamble_ += ": skipped.";
    if (!options_.has_header) {
      preamble_ += " If the first line names the columns: `has_header = yes`.";
    }
  }

  std::vector<std::string> read_record() {
    std::vector<std::string> cells;
    const char* p = rest_.data();
    const char* const end = p + rest_.size();
    std::uint64_t line = line_;
    while (true) {
      const CsvField field = read_field(p, end, layout_.dialect);
      cells.push_back(field.has_doubled_quotes ? unescape(field) : std::string(field.text));
      if (field.problem != CsvField::Problem::kNone) {
        layout_.names = cells;  // the message names the column
        throw_bad_quotes(layout_, cells.size() - 1, field, line);
      }
      line += field.newlines;
      p = field.end + 1;
      if (*field.end == '\n') break;
    }
    record_bytes_ = static_cast<std::size_t>(p - rest_.data());
    return cells;
  }

  void read_names() {
    header_line_ = line_;
    layout_.names = read_record();
    layout_.header_fields = layout_.names.size();
    header_ = rest_.substr(0, record_bytes_);
    skip(record_bytes_);
  }

  /// Whether the first record is data like the others, which is told.
  bool starts_with_a_row() {
    constexpr std::size_t kRecords = 120;
    const auto records = sample_records(rest_, line_, layout_.dialect, kRecords);
    std::optional<Note> note = find_missing_header(records);
    if (note) notes_.push_back(*std::move(note));
    return note.has_value();
  }

  void number_columns() {
    layout_.names.resize(read_record().size());
    for (std::size_t i = 0; i < layout_.names.size(); ++i) {
      layout_.names[i] = fmt::format("column_{}", i + 1);
    }
    layout_.header_fields = layout_.names.size();
    layout_.set_aside.resize(layout_.names.size());
    note_preamble();
    if (!options_.has_header) skip_remarks_below();
  }

  void note_preamble() {
    if (!preamble_.empty()) notes_.push_back({"preamble", "", preamble_});
  }

  /// What databases print around a table.
  void skip_rule_and_footer() {
    const bool has_rule = is_rule_line(first_line(rest_));
    const std::size_t last = last_line(rest_);
    const std::string_view last_text = rest_.substr(last);
    const bool has_count = is_row_count(last_text);
    const bool has_closing_rule = is_rule_line(last_text) && last > 0;
    // In a file of one column these could be cells, unless both are there.
    if (layout_.names.size() == 1 && !(has_rule && has_count)) return note_preamble();
    if (has_rule && preamble_.empty()) {
      preamble_ = fmt::format("Line {} ({}) is drawn, no row: skipped.", line_,
                              show_cell(trim(first_line(rest_))));
    }
    note_preamble();
    if (has_count || (has_closing_rule && has_rule)) {
      notes_.push_back({"footer", "",
                        fmt::format("The last line ({}) is no row and was set aside.",
                                    show_cell(trim(first_line(last_text))))});
      rest_ = rest_.substr(0, last);
    }
    if (has_rule && !rest_.empty()) skip(rest_.find('\n') + 1);
    if (!options_.has_header) skip_remarks_below();
  }

  /// Sources and remarks below the table, and its sums.
  void skip_remarks_below() {
    constexpr std::size_t kMostLines = 5;
    if (layout_.names.size() < 2) return;
    std::string first_shown;
    std::size_t lines = 0;
    for (; lines < kMostLines; ++lines) {
      const std::size_t last = last_line(rest_);
      const std::string_view text = rest_.substr(last);
      if (last == 0 || !is_remark_below(text)) break;
      first_shown = show_cell(trim(first_line(text)));
      rest_ = rest_.substr(0, last);
    }
    if (lines == 0) return;
    notes_.push_back(
        {"footer", "",
         lines == 1 ? fmt::format("The last line ({}) is no row and was set aside.", first_shown)
                    : fmt::format("The last {} lines ({} ...) are no rows and were set aside.",
                                  lines, first_shown)});
  }

  bool is_remark_below(std::string_view text) const {
    if (std::count(text.begin(), text.end(), '"') % 2 != 0) return false;  // the end of a long cell
    const auto records = sample_records(text, line_, layout_.dialect, 1);
    if (records.size() != 1) return false;
    const std::vector<std::string_view>& cells = records[0].cells;
    if (filled_cells(records[0]) == 1 && !cells[0].empty()) {
      // A single word or number may be what is left of a row that was cut off.
      return !is_number_cell(cells[0]) && cells[0].find(' ') != std::string_view::npos;
    }
    return cells.size() == layout_.names.size() && says_total(cells[0]) && !says_total_above();
  }

  /// Whether the first column holds totals as values.
  bool says_total_above() const {
    constexpr std::size_t kRecords = 120;
    const auto records = sample_records(rest_, line_, layout_.dialect, kRecords);
    const auto totals = std::count_if(records.begin(), records.end(), [](const auto& record) {
      return says_total(record.cells[0]);
    });
    return totals > 1;
  }

  void join_levels() {
    std::optional<HeaderLevels> levels = find_header_levels(layout_, rest_, line_);
    if (!levels) return;
    layout_.names = std::move(levels->names);
    header_ = {header_.data(), static_cast<std::size_t>(levels->body.data() - header_.data())};
    rest_ = levels->body;
    line_ = levels->body_line;
    notes_.push_back(std::move(levels->note));
  }

  void complete_header() {
    const int threads = options_.threads;
    if (!options_.has_header) refuse_numbers_as_names(layout_, header_line_);
    if (!options_.has_header) join_levels();
    layout_.set_aside.assign(layout_.names.size(), false);
    std::vector<SampledRecord> records(1);
    records[0].cells.resize(layout_.names.size());
    constexpr std::size_t kRecords = 100;
    for (SampledRecord& record : sample_records(rest_, line_, layout_.dialect, kRecords)) {
      records.push_back(std::move(record));
    }
    if (has_short_header(records, 0)) complete_short_header(layout_, rest_, threads, notes_);
    complete_names(layout_, rest_, threads, notes_);
    if (std::optional<UnitsRow> units = find_units_row(layout_, rest_, line_, options_)) {
      rest_ = units->body;
      line_ = units->body_line;
      notes_.push_back(std::move(units->note));
    }
  }

  const CsvOptions& options_;
  CsvLayout layout_;
  std::string_view rest_;   ///< What was not read yet.
  std::uint64_t line_ = 1;  ///< At which it starts.
  std::optional<char> delimiter_;
  std::uint64_t header_line_ = 1;
  std::string_view header_;
  std::size_t record_bytes_ = 0;  ///< Of the record read last.
  std::string preamble_;          ///< What is said about skipped lines; "" when none were.
  std::vector<Note> notes_;
};

}  // namespace

std::vector<std::string> CsvPrologue::names() const {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    if (!layout.set_aside[i]) kept.push_back(layout.names[i]);
  }
  return kept;
}

CsvPrologue read_prologue(std::string_view text, const std::string& source,
                          const CsvOptions& options) {
  check_marks(options);
  return PrologueReader(text, source, options).read();
}

}  // namespace knockout
