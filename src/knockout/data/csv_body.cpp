// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/data/csv_field.h"
#include "knockout/data/csv_infer.h"
#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/csv_parse.h"
#include "knockout/data/csv_scan.h"
#include "knockout/data/csv_words.h"
#include "knockout/data/word_table.h"

namespace knockout {
namespace {

using Kind = ColumnPlan::Kind;

/// Large enough that the cost per chunk does not show, small enough that all threads get some.
std::size_t chunk_bytes_for(std::size_t bytes, const CsvOptions& options) {
  if (options.chunk_bytes > 0) return options.chunk_bytes;
  constexpr std::size_t kSmallest = std::size_t{1} << 18;
  return std::max(kSmallest,
                  bytes / (8 * static_cast<std::size_t>(resolve_threads(options.threads))));
}

/// Without the blank lines at the end, which are no rows even in a file of one column.
std::string_view without_last_blank_lines(std::string_view body, const CsvDialect& dialect) {
  while (!body.empty()) {
    std::size_t begin = body.size() - 1;  // the '\n' of the last line
    while (begin > 0 && (dialect.is_blank(body[begin - 1]) || body[begin - 1] == '\r')) --begin;
    if (begin > 0 && body[begin - 1] != '\n') break;
    body = body.substr(0, begin);
  }
  return body;
}

/// A file whose fields are separated by blanks would otherwise become one column of words.
void check_not_blank_separated(const CsvLayout& layout, std::string_view body, std::uint64_t line) {
  if (layout.names.size() != 1 || body.empty()) return;
  std::string_view first = trim(body.substr(0, body.find('\n')));
  std::size_t numbers = 0;
  while (!first.empty()) {
    const std::size_t length = std::min(first.find_first_of(" \t\r"), first.size());
    if (parse_number(first.substr(0, length), '.').kind != NumberKind::kNumber) return;
    ++numbers;
    first.remove_prefix(length);
    first = first.substr(std::min(first.find_first_not_of(" \t\r"), first.size()));
  }
  if (numbers < 2) return;
  throw DataError(
      fmt::format("{}:{}: the fields seem to be separated by blanks.\n"
                  "  Separate them by commas:  tr -s ' \\t' , < FILE",
                  layout.source, line));
}

/// The rows of a file, parsed in ranges and put together.
class BodyReader {
 public:
  BodyReader(const CsvPrologue& prologue, const CsvOptions& options)
      : layout_(prologue.layout),
        options_(options),
        body_(without_last_blank_lines(prologue.body, layout_.dialect)),
        body_line_(prologue.body_line),
        gap_words_(options.missing_words, options.reason_words),
        planner_(layout_, options) {}

  Table read() {
    if (!options_.delimiter) check_not_blank_separated(layout_, body_, body_line_);
    plans_ = planner_.plan(body_, body_line_, gap_words_);
    ranges_ = split_records(body_, body_line_, layout_.dialect,
                            chunk_bytes_for(body_.size(), options_), options_.threads);
    allocate();
    parse();
    std::vector<Column> columns(cells_.size());
    parallel_for(columns.size(), options_.threads, [&](std::size_t i) {
      if (plans_[i].kind != Kind::kSkip) columns[i] = finish_column(i);
    });
    std::vector<Column> kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (plans_[i].kind == Kind::kSkip) continue;
      const bool undecided = plans_[i].kind == Kind::kUndecided;
      kept.push_back(undecided ? decide_column(i, std::move(columns[i])) : std::move(columns[i]));
    }
    Table table(std::move(kept), layout_.source, rows_);
    table.set_row_lines(row_lines());
    return table;
  }

 private:
  /// Makes room for as many rows as there can be. Ranges write to their own part of it.
  void allocate() {
    std::size_t most_rows = 0;
    for (CsvRange& range : ranges_) {
      // A row has a byte per column at least: a file of blank lines must not ask for the moon.
      const auto bytes = static_cast<std::size_t>(range.end - range.begin);
      range.max_records = std::min(range.max_records, bytes / layout_.names.size() + 1);
      first_rows_.push_back(most_rows);
      most_rows += range.max_records;
    }
    cells_.resize(layout_.names.size());
    parallel_for(cells_.size(), options_.threads, [&](std::size_t i) {
      if (plans_[i].kind == Kind::kSkip) return;
      cells_[i].states.resize(most_rows);
      if (plans_[i].kind == Kind::kNumber) {
        cells_[i].numbers.resize(most_rows);
      } else {
        cells_[i].codes.resize(most_rows);
      }
    });
  }

  void parse() {
    results_.resize(ranges_.size());
    // Ranges after one that failed need no parsing; those before it may hold an earlier problem.
    std::atomic<std::size_t> first_failed{ranges_.size()};
    parallel_for(ranges_.size(), options_.threads, [&](std::size_t i) {
      if (i > first_failed) return;
      results_[i] = parse_range(layout_, plans_, gap_words_, ranges_[i], first_rows_[i], cells_);
      if (!results_[i].error) return;
      std::size_t known = first_failed;
      while (i < known && !first_failed.compare_exchange_weak(known, i)) {
      }
    });
    if (first_failed < ranges_.size()) std::rethrow_exception(results_[first_failed].error);
    for (const RangeResult& result : results_) rows_ += result.rows;
  }

  /// Closes the gaps that blank lines left between ranges and gives all ranges the same codes.
  Column finish_column(std::size_t index) {
    CsvCells& cells = cells_[index];
    const bool is_text = plans_[index].kind != Kind::kNumber;
    WordTable words;
    std::vector<std::int32_t> code_of;
    std::size_t row = 0;
    for (std::size_t r = 0; r < results_.size(); ++r) {
      code_of.clear();
      for (const std::string_view word : results_[r].words[index].words()) {
        code_of.push_back(words.find_or_add(word));
      }
      const std::size_t first = first_rows_[r];
      for (std::size_t i = 0; is_text && i < results_[r].rows; ++i) {
        const std::int32_t code = cells.codes[first + i];
        cells.codes[row + i] = code < 0 ? -1 : code_of[static_cast<std::size_t>(code)];
      }
      if (row != first) {
        const auto shift = [&](auto& values) {
          std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), results_[r].rows,
                      values.begin() + static_cast<std::ptrdiff_t>(row));
        };
        shift(cells.states);
        if (!is_text) shift(cells.numbers);
      }
      row += results_[r].rows;
    }
    cells.states.resize(rows_);
    const std::string& name = layout_.names[index];
    if (!is_text) {
      cells.numbers.resize(rows_);
      return Column::numbers(name, std::move(cells.numbers), std::move(cells.states));
    }
    cells.codes.resize(rows_);
    return Column::coded(name, std::move(cells.codes), words, std::move(cells.states));
  }

  /// Decides a column whose first observed cell comes late, now that all of its words are known.
  Column decide_column(std::size_t index, Column column) const {
    std::vector<CellState> states(column.states().begin(), column.states().end());
    std::vector<double> numbers(rows_);
    const auto as_numbers = [&] {
      return Column::numbers(column.name(), std::move(numbers), std::move(states));
    };
    if (column.words().empty()) return as_numbers();
    ColumnEvidence evidence;
    std::vector<std::string_view> cells;  // the words, as numbers are read
    std::vector<bool> seen(column.words().size());
    for (const std::string& word : column.words()) cells.push_back(trim(word));
    const std::vector<std::uint64_t> lines = row_lines();
    const std::span<const std::int32_t> codes = column.codes();
    for (std::size_t row = 0; row < rows_; ++row) {
      if (codes[row] < 0) continue;
      const auto code = static_cast<std::size_t>(codes[row]);
      if (seen[code]) continue;
      seen[code] = true;
      evidence.add(cells[code], lines.empty() ? row + 2 : lines[row]);
    }
    const ColumnPlan plan = planner_.decide(index, evidence);
    if (plan.kind == Kind::kText) return column;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (codes[row] < 0) continue;
      const std::string_view cell = cells[static_cast<std::size_t>(codes[row])];
      const ParsedNumber number = parse_number(cell, plan.decimal_mark);
      if (number.kind == NumberKind::kInfinity) {
        states[row] = CellState::kMissingForAReason;
      } else if (number.kind == NumberKind::kNumber) {
        numbers[row] = number.value;
      } else {
        throw_bad_number(layout_, index, lines.empty() ? row + 2 : lines[row], cell,
                         plan.decimal_mark, false);
      }
    }
    return as_numbers();
  }

  /// The line of each row, or nothing when row r is simply on line r + 2.
  std::vector<std::uint64_t> row_lines() const {
    std::size_t row = 0;
    bool simple = true;
    for (const RangeResult& result : results_) {
      for (const LineJump& jump : result.line_jumps) simple &= jump.line == row + jump.row + 2;
      row += result.rows;
    }
    if (simple) return {};
    std::vector<std::uint64_t> lines;
    lines.reserve(rows_);
    for (const RangeResult& result : results_) {
      auto jump = result.line_jumps.begin();
      for (std::size_t i = 0; i < result.rows; ++i) {
        const bool jumps = jump != result.line_jumps.end() && jump->row == i;
        lines.push_back(jumps ? (jump++)->line : lines.back() + 1);
      }
    }
    return lines;
  }

  const CsvLayout& layout_;
  const CsvOptions& options_;
  const std::string_view body_;
  const std::uint64_t body_line_;
  const GapWords gap_words_;
  ColumnPlanner planner_;
  std::vector<ColumnPlan> plans_;
  std::vector<CsvRange> ranges_;
  std::vector<std::size_t> first_rows_;  ///< Where each range writes its first row.
  std::vector<RangeResult> results_;
  std::vector<CsvCells> cells_;
  std::size_t rows_ = 0;
};

}  // namespace

Table read_body(const CsvPrologue& prologue, const CsvOptions& options) {
  return BodyReader(prologue, options).read();
}

}  // namespace knockout
