// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/table_reading.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/option.h"
#include "knockout/base/parallel.h"
#include "knockout/data/csv_field.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/reading/apply_column.h"
#include "knockout/schema/reading/calendar_date.h"
#include "knockout/schema/reading/reading_notes.h"

namespace knockout {
namespace {

using ReadForm = ColumnReading::Form;

std::string_view what_it_holds(const ColumnReading& reading) {
  return reading.form == ReadForm::kDates ? "dates" : "numbers";
}

std::vector<WordCount> counted_words(const AppliedColumn& applied) {
  std::vector<WordCount> counted;
  for (std::size_t i = 0; i < applied.unreadable.size(); ++i) {
    counted.push_back({applied.unreadable[i], applied.unreadable_cells[i]});
  }
  return counted;
}

[[noreturn]] void throw_unreadable(const Table& table, const ColumnReading& reading,
                                   const AppliedColumn& applied) {
  const std::string& word = applied.unreadable.front();
  throw DataError(
      fmt::format("{}, column \"{}\": cannot read \"{}\", where training saw {}.\n"
                  "  Correct the cell, or empty it if the value is not known.",
                  table.where(applied.first_row), reading.column, word, what_it_holds(reading)));
}

/// Dates such as 01/02/2003 where learning saw none whose order matters.
void note_new_order(const Column& column, const ColumnReading& reading, const SaidWords& said,
                    std::vector<Note>& notes) {
  if (reading.form != ReadForm::kDates || reading.dates.order || !column.is_text()) return;
  for (const std::string& word : column.words()) {
    const std::optional<DateOrder> order = order_asked_of(word);
    if (!order || said.state_of(word)) continue;
    DateFormat format = reading.dates;
    format.order = *order;
    const std::optional<std::string> iso = read_date(word, format);
    if (!iso) continue;
    format.pattern = date_pattern(word, format);
    notes.push_back(ambiguous_date_note(column.name(), word, *iso, format));
    return;
  }
}

ColumnReading plain_numbers_of(const std::string& column, char decimal_mark) {
  return {.column = column, .form = ReadForm::kNumbers, .numbers = {.decimal_mark = decimal_mark}};
}

nlohmann::json column_to_json(const ColumnReading& reading) {
  return {{"column", reading.column},
          {"form", std::string(name_of(reading.form))},
          {"numbers", number_format_to_json(reading.numbers)},
          {"dates", date_format_to_json(reading.dates)},
          {"gap_words", reading.gap_words},
          {"none_is_a_word", reading.none_is_a_word},
          {"codes", reading.codes}};
}

ColumnReading column_from_json(const nlohmann::json& json) {
  const JsonFields fields(
      json, "how a column is read",
      {"column", "form", "numbers", "dates", "gap_words", "none_is_a_word", "codes"});
  ColumnReading reading;
  reading.column = fields.text("column");
  reading.form = fields.choice("form", names_of(ReadForm{}));
  const std::string where = fmt::format("how \"{}\" is read", reading.column);
  reading.numbers = number_format_from_json(fields.value("numbers"), where);
  reading.dates = date_format_from_json(fields.value("dates"), where);
  reading.gap_words = fields.texts("gap_words");
  reading.none_is_a_word = fields.boolean("none_is_a_word");
  reading.codes = fields.boolean("codes");
  if (reading.form != ReadForm::kNumbers && !reading.numbers.is_plain()) {
    fields.fail(
        fmt::format("\"{}\" has a format of numbers, which it does not hold", reading.column));
  }
  return reading;
}

}  // namespace

Table TableReading::apply(Table table, std::vector<Note>& notes, bool strict, int threads) const {
  const SaidWordsByColumn said_words(missing_words_, reason_words_, missing_in_);
  const auto readings = by_column();
  std::vector<Column> columns = table.take_columns();
  std::vector<AppliedColumn> applied(columns.size());
  for (const Column& column : columns) {
    const auto found = readings.find(column.name());
    if (found == readings.end()) continue;
    note_new_order(column, *found->second, said_words.of(column.name()), notes);
  }
  parallel_for(columns.size(), threads, [&](std::size_t i) {
    const auto found = readings.find(columns[i].name());
    const SaidWords& said = said_words.of(columns[i].name());
    if (found == readings.end()) {
      applied[i].column = without_said_words(std::move(columns[i]), said);
    } else {
      applied[i] = apply_reading(std::move(columns[i]), *found->second, said, !only_said_words_);
    }
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i] = std::move(applied[i].column);
    if (applied[i].unreadable.empty()) continue;
    const ColumnReading& reading = *readings.at(columns[i].name());
    if (strict) throw_unreadable(table, reading, applied[i]);
    notes.push_back(
        unreadable_note(reading.column, what_it_holds(reading), counted_words(applied[i])));
  }
  table.replace_columns(std::move(columns));
  return table;
}

bool TableReading::leaves_alone(const Table& table) const {
  if (!missing_words_.empty() || !missing_in_.empty() || !reason_words_.empty()) return false;
  const auto readings = by_column();
  const auto is_left = [&](const Column& column) {
    const auto found = readings.find(column.name());
    if (found == readings.end()) return true;
    const ColumnReading& reading = *found->second;
    if (!column.is_text()) return reading.form != ReadForm::kDates && !reading.codes;
    if (reading.form != ReadForm::kWords || !reading.gap_words.empty()) return false;
    return std::none_of(column.words().begin(), column.words().end(), [&](const std::string& word) {
      const bool none = word == "None" && !only_said_words_ && !reading.none_is_a_word;
      return none || trim(word) != word;
    });
  };
  return std::all_of(table.columns().begin(), table.columns().end(), is_left);
}

std::vector<std::string> TableReading::columns_of_words() const {
  std::vector<std::string> names;
  for (const ColumnReading& reading : columns_) {
    const bool plain = reading.form == ReadForm::kNumbers && reading.numbers.keeps_plain_numbers();
    if (!plain) names.push_back(reading.column);
  }
  return names;
}

std::vector<std::string> TableReading::missing_words_of_files() const {
  return only_said_words_ ? missing_words_
                          : knockout::missing_words_of_files({.missing_words = missing_words_});
}

ReadingIndex TableReading::by_column() const {
  ReadingIndex readings;
  for (const ColumnReading& reading : columns_) readings.emplace(reading.column, &reading);
  return readings;
}

nlohmann::json TableReading::to_json() const {
  // Most columns of most tables are plain: their names are enough.
  nlohmann::json order = nlohmann::json::array(), plain_numbers = order, special = order;
  nlohmann::json missing_in = nlohmann::json::array();
  for (const MissingIn& said : missing_in_) {
    missing_in.push_back({{"column", said.column}, {"words", said.words}});
  }
  for (const ColumnReading& reading : columns_) {
    order.push_back(reading.column);
    if (reading == plain_numbers_of(reading.column, decimal_mark_)) {
      plain_numbers.push_back(reading.column);
    } else if (reading != ColumnReading{.column = reading.column}) {
      special.push_back(column_to_json(reading));
    }
  }
  return {{"columns", order},
          {"plain_numbers", plain_numbers},
          {"special", special},
          {"missing_words", missing_words_},
          {"missing_in", missing_in},
          {"reason_words", reason_words_},
          {"only_said_words", only_said_words_},
          {"decimal_mark", std::string(1, decimal_mark_)}};
}

TableReading TableReading::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "how the table is read",
                          {"columns", "plain_numbers", "special", "missing_words", "missing_in",
                           "reason_words", "only_said_words", "decimal_mark"});
  TableReading reading;
  HashMap<std::string, std::size_t> place_of;
  for (const std::string& name : fields.texts("columns")) {
    if (!place_of.emplace(name, place_of.size()).second) {
      fields.fail(fmt::format("the column \"{}\" is listed twice", name));
    }
    reading.columns_.push_back({.column = name});
  }
  const auto column_named = [&](const std::string& name) -> ColumnReading& {
    const auto found = place_of.find(name);
    if (found == place_of.end()) fields.fail(fmt::format("there is no column \"{}\"", name));
    return reading.columns_[found->second];
  };
  const std::string mark = fields.text("decimal_mark");
  if (mark != "." && mark != ",") fields.fail("\"decimal_mark\" must be a point or a comma");
  reading.decimal_mark_ = mark[0];
  for (const std::string& name : fields.texts("plain_numbers")) {
    column_named(name) = plain_numbers_of(name, reading.decimal_mark_);
  }
  for (const nlohmann::json& entry : fields.array("special")) {
    ColumnReading special = column_from_json(entry);
    column_named(special.column) = std::move(special);
  }
  reading.missing_words_ = fields.texts("missing_words");
  for (const nlohmann::json& entry : fields.array("missing_in")) {
    const JsonFields said(entry, "what is missing in a column", {"column", "words"});
    reading.missing_in_.push_back({said.text("column"), said.texts("words")});
  }
  reading.reason_words_ = fields.texts("reason_words");
  reading.only_said_words_ = fields.boolean("only_said_words");
  return reading;
}

}  // namespace knockout
