// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "knockout/base/error.h"
#include "knockout/base/option.h"
#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/csv_records.h"

namespace knockout {
namespace {

using Kind = ColumnPlan::Kind;

bool is_number_with(std::string_view cell, char decimal_mark) {
  const NumberKind kind = parse_number(cell, decimal_mark).kind;
  return kind == NumberKind::kNumber || kind == NumberKind::kTooLarge;
}

void keep_first(CellExample& example, std::string_view cell, std::uint64_t line) {
  if (example.line == 0) example = {std::string(cell), line};
}

/// A list of column names as the user gives it. A word that is the name of a column means that
/// column alone, whatever stars it contains; another word with a star is a pattern.
class NameList {
 public:
  NameList(const std::vector<std::string>& words, const std::vector<std::string>& columns) {
    const std::unordered_set<std::string_view> known(columns.begin(), columns.end());
    for (const std::string& word : words) {
      if (known.contains(word)) {
        names_.insert(word);
      } else if (word.find('*') != std::string::npos) {
        patterns_.push_back(word);
      }
    }
  }

  bool contains(std::string_view name) const {
    return names_.contains(name) ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [&](std::string_view pattern) { return matches_pattern(name, pattern); });
  }

 private:
  std::unordered_set<std::string_view> names_;
  std::vector<std::string_view> patterns_;
};

[[noreturn]] void throw_grouped(const CsvLayout& layout, std::size_t column,
                                const CellExample& example) {
  throw DataError(
      fmt::format("{}: {} seems to be a number with thousands separators.\n"
                  "  Numbers are read without them: remove them from the file.\n"
                  "  If it is a category:  {}",
                  cell_place(layout, column, example.line), show_cell(example.text),
                  field("text_columns", layout.names[column])));
}

[[noreturn]] void throw_two_readings(const CsvLayout& layout, std::size_t column,
                                     const CellExample& example, char mark) {
  const std::string_view name = mark == ',' ? "comma" : "point";
  throw DataError(
      fmt::format("{}: {} can be read in two ways.\n"
                  "  If the {} is the decimal mark:    {}\n"
                  "  If the {} separates thousands:    remove it from the file\n"
                  "  If it is a category:                 {}",
                  cell_place(layout, column, example.line), show_cell(example.text), name,
                  field("decimal_mark", std::string(1, mark)), name,
                  field("text_columns", layout.names[column])));
}

[[noreturn]] void throw_two_marks(const CsvLayout& layout, std::size_t column,
                                  const CellExample& point, const CellExample& comma) {
  const CellExample& later = point.line > comma.line ? point : comma;
  const CellExample& earlier = point.line > comma.line ? comma : point;
  throw DataError(fmt::format(
      "{}: {} has another decimal mark than {} on line {}.\n"
      "  Write all numbers of a column in one way: remove thousands separators from the file.\n"
      "  If it is a category:  {}",
      cell_place(layout, column, later.line), show_cell(later.text), show_cell(earlier.text),
      earlier.line, field("text_columns", layout.names[column])));
}

[[noreturn]] void throw_other_mark(const CsvLayout& layout, std::size_t column,
                                   const CellExample& example, char mark) {
  throw DataError(
      fmt::format("{}: cannot read {} as a number with the decimal mark \"{}\" that was given.\n"
                  "  Write all numbers of the file in one way, or leave out `decimal_mark`.\n"
                  "  If it is a category:  {}",
                  cell_place(layout, column, example.line), show_cell(example.text), mark,
                  field("text_columns", layout.names[column])));
}

}  // namespace

void ColumnEvidence::add(std::string_view cell, std::uint64_t line) {
  if (is_number_with(cell, '.')) {
    add_number(cell, line);
  } else if (is_number_with(cell, ',')) {
    observed = commas = true;
    clear_commas |= !looks_grouped(cell);
    keep_first(first_comma, cell, line);
  } else if (looks_grouped(cell)) {
    observed = grouped = true;
    keep_first(first_grouped, cell, line);
  } else if (parse_number(cell, '.').kind != NumberKind::kInfinity) {
    observed = words = true;
  }
}

void ColumnEvidence::add_number(std::string_view cell, std::uint64_t line) {
  observed = true;
  if (clear_points || cell.find('.') == std::string_view::npos) return;
  points = true;
  clear_points = !looks_grouped(cell);
  keep_first(first_point, cell, line);
}

ColumnPlanner::ColumnPlanner(const CsvLayout& layout, const CsvOptions& options)
    : layout_(layout), options_(options) {
  const NameList text_columns(options.text_columns, layout.names);
  const NameList numeric_columns(options.numeric_columns, layout.names);
  std::unordered_set<std::string_view> kept;
  if (options.only_columns) kept.insert(options.only_columns->begin(), options.only_columns->end());
  wishes_.reserve(layout.names.size());
  for (const std::string& name : layout.names) {
    ColumnPlan wish;
    wish.kind = Kind::kUndecided;
    const bool text = text_columns.contains(name);
    const bool numeric = numeric_columns.contains(name);
    if (text && numeric) {
      throw ConfigError(
          fmt::format("column {} is asked to be both words and numbers.\n"
                      "  Name it in `text_columns` or in `numeric_columns`, not in both.",
                      show_cell(name)));
    }
    if (options.only_columns && !kept.contains(name)) {
      wish.kind = Kind::kSkip;
    } else if (text || numeric) {
      wish.kind = text ? Kind::kText : Kind::kNumber;
      wish.asked = true;
    }
    wishes_.push_back(wish);
  }
}

std::vector<ColumnEvidence> ColumnPlanner::gather(std::string_view body, std::uint64_t first_line,
                                                  const GapWords& gap_words) const {
  std::vector<ColumnEvidence> evidence(layout_.names.size());
  const char* const end = body.data() + body.size();
  std::size_t rows = 0;
  const auto read_cell = [&](std::size_t column, const char* p, std::uint64_t& line) {
    const bool is_open = wishes_[column].kind != Kind::kSkip && wishes_[column].kind != Kind::kText;
    if (is_open && !gap_words.has_numbers()) {  // the quick way for what most cells are
      double ignored = 0.0;
      const char* const after = read_number_field(p, end, layout_.dialect.delimiter, '.', ignored);
      if (after != nullptr) {
        evidence[column].add_number({p, static_cast<std::size_t>(after - p)}, line);
        return after;
      }
    }
    const std::uint64_t cell_line = line;
    const CsvField field = read_sound_field(layout_, column, p, end, line);
    const std::string_view cell = trim(field.text);
    if (is_open && !gap_words.state_of(cell)) evidence[column].add(cell, cell_line);
    return field.end;
  };
  walk_records(layout_, body.data(), end, first_line, read_cell,
               [&](std::uint64_t) { return ++rows < kSampleRows; });
  return evidence;
}

std::vector<ColumnPlan> ColumnPlanner::plan(std::string_view body, std::uint64_t first_line,
                                            const GapWords& gap_words) {
  const std::vector<ColumnEvidence> evidence = gather(body, first_line, gap_words);
  for (const ColumnEvidence& column : evidence) {
    if (column.words) continue;
    file_has_points_ |= column.clear_points;
    file_has_commas_ |= column.clear_commas;
  }
  std::vector<ColumnPlan> plans;
  plans.reserve(evidence.size());
  for (std::size_t column = 0; column < evidence.size(); ++column) {
    plans.push_back(decide(column, evidence[column]));
  }
  return plans;
}

ColumnPlan ColumnPlanner::decide(std::size_t column, const ColumnEvidence& evidence) const {
  ColumnPlan plan = wishes_[column];
  if (plan.kind == Kind::kSkip || plan.kind == Kind::kText) return plan;
  if (plan.kind == Kind::kUndecided) {
    if (!evidence.observed) return plan;
    plan.kind = evidence.words ? Kind::kText : Kind::kNumber;
  }
  if (plan.kind == Kind::kNumber) plan.decimal_mark = mark_of(column, evidence);
  return plan;
}

char ColumnPlanner::mark_of(std::size_t column, const ColumnEvidence& evidence) const {
  if (options_.decimal_mark) {
    const char mark = *options_.decimal_mark;
    // With words among them, the parser reports the first cell that is no number.
    if (!evidence.words) {
      const bool other = mark == '.' ? evidence.commas : evidence.points;
      if (other) {
        throw_other_mark(layout_, column, mark == '.' ? evidence.first_comma : evidence.first_point,
                         mark);
      }
      if (evidence.grouped) throw_grouped(layout_, column, evidence.first_grouped);
    }
    return mark;
  }
  const char file_mark = file_has_commas_ && !file_has_points_ ? ',' : '.';
  if (evidence.words) return evidence.clear_commas && !evidence.points ? ',' : '.';
  if (evidence.grouped) throw_grouped(layout_, column, evidence.first_grouped);
  if (evidence.points && evidence.commas) {
    throw_two_marks(layout_, column, evidence.first_point, evidence.first_comma);
  }
  if (evidence.clear_commas) return ',';
  if (evidence.clear_points) return '.';
  if (evidence.commas) {
    // Semicolons separate fields just where the comma is the decimal mark.
    const bool semicolons = layout_.dialect.delimiter == ';' && !file_has_points_;
    if (semicolons || file_mark == ',') return ',';
    throw_two_readings(layout_, column, evidence.first_comma, ',');
  }
  if (evidence.points && file_mark == ',') {
    throw_two_readings(layout_, column, evidence.first_point, '.');
  }
  return evidence.points ? '.' : file_mark;
}

}  // namespace knockout
