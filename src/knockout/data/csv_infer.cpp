// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_infer.h"

#include "knockout/base/seeded_hash.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/csv_records.h"
#include "knockout/data/name_list.h"

namespace knockout {
namespace {

using Kind = ColumnPlan::Kind;

bool is_plain_number(std::string_view cell, char decimal_mark) {
  return parse_number(cell, decimal_mark).kind == NumberKind::kNumber;
}

}  // namespace

void ColumnEvidence::add(std::string_view cell) {
  if (is_plain_number(cell, '.')) {
    add_number(cell);
  } else if (is_plain_number(cell, ',')) {
    if (!commas) first_comma = cell;
    observed = commas = true;
    clear_commas |= !looks_grouped(cell);
  } else if (parse_number(cell, '.').kind != NumberKind::kInfinity) {
    observed = words = true;
  }
}

void ColumnEvidence::add_number(std::string_view cell) {
  observed = true;
  if (clear_points || cell.find('.') == std::string_view::npos) return;
  points = true;
  clear_points = !looks_grouped(cell);
}

ColumnPlanner::ColumnPlanner(const CsvLayout& layout, const CsvOptions& options)
    : layout_(layout), options_(options) {
  const NameList text_columns(options.text_columns, layout.names);
  const NameList skipped(options.skip_columns, layout.names);
  HashSet<std::string_view> kept;
  if (options.only_columns) kept.insert(options.only_columns->begin(), options.only_columns->end());
  wishes_.reserve(layout.names.size());
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    const std::string& name = layout.names[i];
    const bool unwanted = layout.set_aside[i] || skipped.contains(name) ||
                          (options.only_columns && !kept.contains(name));
    wishes_.push_back(unwanted                      ? Kind::kSkip
                      : text_columns.contains(name) ? Kind::kText
                                                    : Kind::kUndecided);
  }
}

std::vector<ColumnEvidence> ColumnPlanner::gather(std::string_view body, std::uint64_t first_line,
                                                  const GapWords& gap_words) const {
  std::vector<ColumnEvidence> evidence(layout_.names.size());
  const char* const end = body.data() + body.size();
  std::size_t rows = 0;
  const auto read_cell = [&](std::size_t column, const char* p, std::uint64_t& line) {
    const bool is_open = wishes_[column] == Kind::kUndecided;
    if (is_open) {  // the quick way for what most cells are
      double ignored = 0.0;
      const char* const after = read_number_field(p, end, layout_.dialect.delimiter, '.', ignored);
      if (after != nullptr) {
        evidence[column].add_number({p, static_cast<std::size_t>(after - p)});
        return after;
      }
    }
    const CsvField field = read_sound_field(layout_, column, p, end, line);
    const std::string_view cell = trim(field.text);
    if (is_open && !gap_words.state_of(cell)) evidence[column].add(cell);
    return field.end;
  };
  walk_records(layout_, body.data(), end, first_line, read_cell,
               [&](std::uint64_t) { return ++rows < kSampleRows; });
  return evidence;
}

std::vector<ColumnPlan> ColumnPlanner::plan(std::string_view body, std::uint64_t first_line,
                                            const GapWords& gap_words) {
  const std::vector<ColumnEvidence> evidence = gather(body, first_line, gap_words);
  for (const ColumnEvidence& column : evidence) learn_marks(column);
  std::vector<ColumnPlan> plans;
  plans.reserve(evidence.size());
  for (std::size_t column = 0; column < evidence.size(); ++column) {
    plans.push_back(guess(column, evidence[column]));
  }
  return plans;
}

void ColumnPlanner::learn_marks(const ColumnEvidence& evidence) {
  if (evidence.words || (evidence.points && evidence.commas)) return;
  file_has_points_ |= evidence.clear_points;
  file_has_commas_ |= evidence.clear_commas;
}

ColumnPlan ColumnPlanner::guess(std::size_t column, const ColumnEvidence& evidence) const {
  if (wishes_[column] != Kind::kUndecided) return {wishes_[column]};
  if (!evidence.observed) return {Kind::kUndecided};
  ColumnPlan plan = decide(evidence);
  // A mark that is seen in no cell, or only in cells with two readings, is no more than likely; for
  // whole numbers the likely one is tried.
  const bool is_ambiguous = (evidence.commas && !evidence.clear_commas) ||
                            (evidence.points && !evidence.clear_points && file_has_commas_);
  if (is_ambiguous && !options_.decimal_mark && !evidence.words) return {Kind::kUndecided};
  return plan;
}

ColumnPlan ColumnPlanner::decide(const ColumnEvidence& evidence) const {
  if (evidence.words || (evidence.points && evidence.commas)) return {Kind::kText};
  if (options_.decimal_mark) {
    const char mark = *options_.decimal_mark;
    const bool has_other_mark = mark == '.' ? evidence.commas : evidence.points;
    return {has_other_mark ? Kind::kText : Kind::kNumber, mark};
  }
  if (evidence.clear_commas) return {Kind::kNumber, ',', evidence.first_comma};
  if (evidence.clear_points) return {Kind::kNumber, '.'};
  if (evidence.commas) {
    // Semicolons separate fields just where the comma is the decimal mark.
    const bool semicolons = layout_.dialect.delimiter == ';' && !file_has_points_;
    if (semicolons || file_mark() == ',') return {Kind::kNumber, ',', evidence.first_comma};
    return {Kind::kText};
  }
  if (evidence.points) return {file_mark() == ',' ? Kind::kText : Kind::kNumber, '.'};
  return {Kind::kNumber, file_mark()};
}

}  // namespace knockout
