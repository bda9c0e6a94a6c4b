// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_body.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/option.h"
#include "knockout/base/parallel.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_column.h"
#include "knockout/data/csv_field.h"
#include "knockout/data/csv_infer.h"
#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/csv_parse.h"
#include "knockout/data/csv_repeated_header.h"
#include "knockout/data/csv_scan.h"
#include "knockout/data/csv_words.h"
#include "knockout/data/name_list.h"

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

/// Makes room for many cells, all zero. In pages of 2 MB where the system has them: clearing small
/// ones takes a quarter of the time of reading a table.
template <typename Cell>
void resize_large(std::vector<Cell>& cells, std::size_t count) {
  cells.reserve(count);
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  char* const bytes = reinterpret_cast<char*>(cells.data());
  const auto start = reinterpret_cast<std::uintptr_t>(bytes);
  const std::uintptr_t begin = (start + kPage - 1) & ~(kPage - 1);
  const std::uintptr_t end = (start + count * sizeof(Cell)) & ~(kPage - 1);
  // A wish: the result does not matter.
  if (begin < end) ::madvise(bytes + (begin - start), end - begin, MADV_HUGEPAGE);
#endif
  cells.resize(count);
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
        class_columns_(options.class_columns, layout_.names),
        planner_(layout_, options) {}

  Table read() {
    if (!options_.delimiter) check_not_blank_separated(layout_, body_, body_line_);
    plans_ = planner_.plan(body_, body_line_, gap_words_);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      plans_[i].count_gap_words = class_columns_.contains(layout_.names[i]);
    }
    ranges_ = split_records(body_, body_line_, layout_.dialect,
                            chunk_bytes_for(body_.size(), options_), options_.threads);
    ParsedRecords parsed = parse(plans_);
    count_gap_words(parsed);
    columns_.resize(layout_.names.size());
    join(parsed, plans_);
    parse_again(parsed);
    decide_columns();

    std::vector<Column> kept;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (plans_[i].kind != Kind::kSkip) kept.push_back(std::move(columns_[i].column));
    }
    Table table(std::move(kept), layout_.source, parsed.rows);
    table.set_row_lines(row_lines(parsed));
    add_notes(table);
    note_gap_words(table);
    return table;
  }

 private:
  /// Makes room for as many rows as there can be. Ranges write to their own part of it.
  ParsedRecords allocate(const std::vector<ColumnPlan>& plans) {
    ParsedRecords parsed;
    std::size_t most_rows = 0;
    for (CsvRange& range : ranges_) {
      // A row has a byte per column at least: a file of blank lines must not ask for the moon.
      const auto bytes = static_cast<std::size_t>(range.end - range.begin);
      range.max_records = std::min(range.max_records, bytes / layout_.names.size() + 1);
      parsed.first_rows.push_back(most_rows);
      most_rows += range.max_records;
    }
    const auto skipped = std::count_if(plans.begin(), plans.end(), [](const ColumnPlan& plan) {
      return plan.kind == Kind::kSkip;
    });
    check_cells(options_.limits, most_rows, plans.size() - static_cast<std::size_t>(skipped),
                layout_.source);
    parsed.cells.resize(layout_.names.size());
    parallel_for(parsed.cells.size(), options_.threads, [&](std::size_t i) {
      if (plans[i].kind == Kind::kSkip) return;
      resize_large(parsed.cells[i].states, most_rows);
      if (plans[i].kind == Kind::kNumber) {
        resize_large(parsed.cells[i].numbers, most_rows);
      } else {
        resize_large(parsed.cells[i].codes, most_rows);
      }
    });
    return parsed;
  }

  ParsedRecords parse(const std::vector<ColumnPlan>& plans) {
    ParsedRecords parsed = allocate(plans);
    std::vector<RangeResult>& results = parsed.results;
    results.resize(ranges_.size());
    // Ranges after one that failed need no parsing; those before it may hold an earlier problem.
    std::atomic<std::size_t> first_failed{ranges_.size()};
    parallel_for(ranges_.size(), options_.threads, [&](std::size_t i) {
      if (i > first_failed) return;
      results[i] =
          parse_range(layout_, plans, gap_words_, ranges_[i], parsed.first_rows[i], parsed.cells);
      if (!results[i].error) return;
      std::size_t known = first_failed;
      while (i < known && !first_failed.compare_exchange_weak(known, i)) {
      }
    });
    if (first_failed < ranges_.size()) std::rethrow_exception(results[first_failed].error);
    for (const RangeResult& result : results) parsed.rows += result.rows;
    return parsed;
  }

  /// Puts the columns together that were parsed with success.
  void join(ParsedRecords& parsed, const std::vector<ColumnPlan>& plans) {
    parallel_for(plans.size(), options_.threads, [&](std::size_t i) {
      const std::string& name = layout_.names[i];
      if (plans[i].kind == Kind::kNumber) {
        if (!has_word(parsed, i)) {
          columns_[i].column = join_numbers(parsed, i, name, gap_words_);
        }
      } else if (plans[i].kind != Kind::kSkip) {
        columns_[i] = join_words(parsed, i, name, gap_words_, options_.decimal_mark.value_or('.'),
                                 class_columns_.contains(name));
      }
    });
  }

  static bool has_word(const ParsedRecords& parsed, std::size_t column) {
    return std::any_of(parsed.results.begin(), parsed.results.end(),
                       [&](const RangeResult& result) { return result.not_numbers[column]; });
  }

  /// The columns that were taken for numbers and are not: the whole column decides.
  void parse_again(ParsedRecords& parsed) {
    std::vector<ColumnPlan> again(plans_.size(), {Kind::kSkip});
    bool any = false;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].kind != Kind::kNumber || !has_word(parsed, i)) continue;
      again[i].kind = Kind::kUndecided;
      again[i].count_gap_words = plans_[i].count_gap_words;
      plans_[i] = again[i];
      parsed.cells[i] = {};
      any = true;
    }
    if (!any) return;
    ParsedRecords words = parse(again);
    count_gap_words(words);
    join(words, again);
  }

  /// Decides the columns that were read as words until all of them are known.
  void decide_columns() {
    std::vector<ColumnEvidence> evidence(plans_.size());
    parallel_for(plans_.size(), options_.threads, [&](std::size_t i) {
      if (plans_[i].kind == Kind::kUndecided) evidence[i] = evidence_of(columns_[i].column);
    });
    for (const ColumnEvidence& each : evidence) planner_.learn_marks(each);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].kind == Kind::kUndecided) plans_[i] = planner_.decide(evidence[i]);
    }
    parallel_for(plans_.size(), options_.threads, [&](std::size_t i) {
      Column& column = columns_[i].column;
      if (plans_[i].kind == Kind::kNumber && column.is_text()) {
        column = numbers_from_words(column, plans_[i].decimal_mark);
      }
    });
  }

  void add_notes(Table& table) const {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const std::size_t count = columns_[i].none_cells;
      if (plans_[i].kind != Kind::kText || count == 0) continue;
      const std::string& name = layout_.names[i];
      table.add_note({"none_is_missing", name,
                      fmt::format("{} \"None\" of \"{}\" {} taken as missing. If it is a category, "
                                  "give the words that mean missing without it.",
                                  plural(count, "cell"), name, count == 1 ? "was" : "were")});
    }
    if (options_.decimal_mark) return;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].kind != Kind::kNumber || plans_[i].comma_example.empty()) continue;
      table.add_note({"decimal_comma", "",
                      fmt::format("Numbers are read with a decimal comma, such as {} in \"{}\". If "
                                  "the comma separates thousands: {}.",
                                  show_cell(plans_[i].comma_example), layout_.names[i],
                                  field("decimal_mark", "."))});
      return;
    }
  }

  void count_gap_words(const ParsedRecords& parsed) {
    for (const RangeResult& result : parsed.results) {
      for (const auto& [column, words] : result.gap_words) {
        for (const auto& [word, cells] : words) label_gaps_[column][word] += cells;
      }
    }
  }

  /// Classes named "NA" (North America) and "null", which the other classes say are words too.
  void note_gap_words(Table& table) const {
    for (const auto& [i, words] : label_gaps_) {
      const Column* const column = table.find(layout_.names[i]);
      if (column == nullptr || !column->is_text()) continue;
      for (const auto& [word, cells] : words) {
        const bool letters = std::all_of(word.begin(), word.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        });
        if (!letters) continue;
        const std::string& name = layout_.names[i];
        table.add_note(
            {"label_is_missing", name,
             fmt::format("\"{}\": \"{}\" ({}) is taken as missing. If it is a class, list "
                         "the words that do mean missing:  {}",
                         name, word, plural(cells, "cell"),
                         field("only_missing_words", word == "NA" ? "null" : "NA"))});
      }
    }
  }

  /// The line of each row, or nothing when row r is simply on line r + 2.
  static std::vector<std::uint64_t> row_lines(const ParsedRecords& parsed) {
    std::size_t row = 0;
    bool simple = true;
    for (const RangeResult& result : parsed.results) {
      for (const LineJump& jump : result.line_jumps) simple &= jump.line == row + jump.row + 2;
      row += result.rows;
    }
    if (simple) return {};
    std::vector<std::uint64_t> lines;
    lines.reserve(parsed.rows);
    for (const RangeResult& result : parsed.results) {
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
  const NameList class_columns_;
  ColumnPlanner planner_;
  std::vector<ColumnPlan> plans_;
  std::vector<CsvRange> ranges_;
  std::vector<JoinedColumn> columns_;
  std::map<std::size_t, std::map<std::string, std::size_t>> label_gaps_;  ///< By column.
};

}  // namespace

Table read_body(const CsvPrologue& prologue, const CsvOptions& options) {
  Table table = BodyReader(prologue, options).read();
  if (options.has_header) return table;
  const std::optional<BodyWithoutHeaders> cleaned = without_repeated_headers(prologue, table);
  if (!cleaned) return table;
  CsvPrologue without = prologue;
  without.body = cleaned->body;
  table = BodyReader(without, options).read();
  table.add_note(cleaned->note);
  return table;
}

}  // namespace knockout
