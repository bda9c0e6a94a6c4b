// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/reading/calendar_date.h"
#include "knockout/schema/reading/date_row_order.h"
#include "knockout/schema/reading/learn_column.h"
#include "knockout/schema/reading/outer_blanks.h"
#include "knockout/schema/reading/table_reading.h"

namespace knockout {
namespace {

/// The columns that a list means: by name, by pattern, or all.
class NamesMeant {
 public:
  explicit NamesMeant(const std::vector<std::string>& said)
      : names_(said.begin(), said.end()), all_(names_.contains("all")) {
    for (const std::string& word : said) {
      if (word.find('*') != std::string::npos) patterns_.push_back(word);
    }
  }

  bool contains(std::string_view name) const {
    return all_ || names_.contains(name) ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const std::string& pattern) { return matches_pattern(name, pattern); });
  }

 private:
  const HashSet<std::string> names_;
  std::vector<std::string> patterns_;
  const bool all_;
};

bool has_code(const std::vector<Note>& notes, std::string_view code) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const Note& note) { return note.code == code; });
}

/// As said, or as the reader of the file told.
char mark_of_file(const Table& table, const ReadingOptions& options) {
  const bool comma = has_code(table.notes(), "decimal_comma");
  return options.decimal_mark.value_or(comma ? ',' : '.') == ',' ? ',' : '.';
}

/// Throws ConfigError for words that are said of a column in a way that would have no effect.
void check_said_columns(const Table& table, const ReadingOptions& options) {
  for (const MissingIn& said : options.missing_in) {
    const NamesMeant meant({said.column});
    const bool known =
        std::any_of(table.columns().begin(), table.columns().end(),
                    [&](const Column& column) { return meant.contains(column.name()); });
    if (known) continue;
    throw ConfigError(fmt::format("There is no column \"{}\" in {} ({}).", said.column,
                                  table.source(), field("missing_in", said.column + "=WORDS")));
  }
  for (const std::string& word : options.missing_words) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || table.find(word.substr(0, sign)) == nullptr) continue;
    throw ConfigError(
        fmt::format("\"{}\" would be a word of any column. To name the column \"{}\":  {}", word,
                    word.substr(0, sign), field("missing_in", word)));
  }
}

/// Looks at all columns together where one says something about another: the order of dates.
class TableLearner {
 public:
  TableLearner(const Table& table, const ReadingOptions& options)
      : table_(table),
        options_(options),
        said_(options.said_missing_words(), options.reason_words, options.missing_in),
        text_columns_(options.text_columns),
        number_columns_(options.number_columns),
        target_columns_(options.target_columns),
        ignored_columns_(options.ignored_columns),
        file_mark_(mark_of_file(table, options)),
        trimmed_(table.column_count()),
        words_(table.column_count()),
        facts_(table.column_count()),
        evidence_(table.column_count()) {}

  std::vector<ColumnReading> learn(std::vector<Note>& notes, int threads) {
    const std::size_t columns = table_.column_count();
    parallel_for(columns, threads, [&](std::size_t i) { look_at(i); });
    for (std::size_t i = 0; i < columns; ++i) choose_date_order(i);
    std::vector<ColumnReading> readings(columns);
    std::vector<std::vector<Note>> told(columns);
    parallel_for(columns, threads, [&](std::size_t i) { readings[i] = read(i, told[i]); });
    bool comma_told = has_code(table_.notes(), "decimal_comma");
    for (std::vector<Note>& of_column : told) {
      for (Note& note : of_column) {
        const bool comma = note.code == "decimal_comma";
        if (!comma || !comma_told) notes.push_back(std::move(note));
        comma_told = comma_told || comma;  // once per file
      }
    }
    return readings;
  }

 private:
  const Column& column(std::size_t i) const {
    return trimmed_[i] ? *trimmed_[i] : table_.column(i);
  }

  void look_at(std::size_t i) {
    const Column& given = table_.column(i);
    if (given.is_text() && has_outer_blanks(given)) trimmed_[i] = without_outer_blanks(given);
    const Column& column = this->column(i);
    ColumnFacts& facts = facts_[i];
    const std::string& name = column.name();
    const bool ignored = ignored_columns_.contains(name);
    facts.said_words = ignored || text_columns_.contains(name);
    facts.said_numbers = number_columns_.contains(name);
    facts.is_target = target_columns_.contains(name);
    facts.usual_gaps = !options_.only_said() && !ignored;
    facts.file_mark = file_mark_;
    if (!column.is_text()) return;
    words_[i] = words_to_read(column, said_.of(name), !options_.only_said());
    facts.may_be_dates = !facts.said_words && !facts.said_numbers && may_be_dates(words_[i].words);
    if (!facts.may_be_dates) return;
    evidence_[i] = weigh_orders(words_[i].words);
    if (!evidence_[i].decided()) {
      evidence_[i].by_rows = order_of_rows(column);
      facts.order_by_rows = evidence_[i].by_rows.has_value();
    }
  }

  /// The column's own cells decide, else other columns with the same separator, else custom.
  void choose_date_order(std::size_t i) {
    ColumnFacts& facts = facts_[i];
    const OrderEvidence& evidence = evidence_[i];
    const std::optional<DateOrder> own = evidence.decided();
    const std::optional<DateOrder> said = options_.date_order;
    // "ymd" says nothing about 01/02/2003, which ends with the year.
    if (said && evidence.cells[static_cast<std::size_t>(*said)] > 0) {
      facts.date_order = *said;
      facts.order_by_rows = false;
    } else if (evidence.separator == '\0') {
      facts.date_order = std::nullopt;
    } else if (own) {
      facts.date_order = *own;
    } else {
      const std::optional<DateOrder> others = order_of_others(evidence.separator);
      facts.date_order = others.value_or(usual_order(evidence.separator));
      facts.order_assumed = !others;
    }
  }

  /// What the decided columns with this separator agree on, found once per separator.
  std::optional<DateOrder> order_of_others(char separator) {
    const auto [known, is_new] = agreed_orders_.try_emplace(separator);
    if (!is_new) return known->second;
    std::optional<DateOrder>& agreed = known->second;
    for (const OrderEvidence& other : evidence_) {
      if (other.separator != separator || !other.decided()) continue;
      if (agreed && agreed != other.decided()) return agreed = std::nullopt;
      agreed = other.decided();
    }
    return agreed;
  }

  ColumnReading read(std::size_t i, std::vector<Note>& notes) const {
    const Column& column = this->column(i);
    std::vector<Note> unheard;
    std::vector<Note>& heard = ignored_columns_.contains(column.name()) ? unheard : notes;
    const SaidWords& said = said_.of(column.name());
    return column.is_text() ? learn_text_column(column, words_[i], facts_[i], said, heard)
                            : learn_number_column(column, facts_[i], said, heard);
  }

  const Table& table_;
  const ReadingOptions& options_;
  const SaidWordsByColumn said_;
  const NamesMeant text_columns_, number_columns_, target_columns_, ignored_columns_;
  const char file_mark_;
  std::vector<std::optional<Column>> trimmed_;  ///< Where words have blanks around them.
  std::vector<ColumnWords> words_;
  std::vector<ColumnFacts> facts_;
  std::vector<OrderEvidence> evidence_;
  std::map<char, std::optional<DateOrder>> agreed_orders_;  ///< By the separator of the dates.
};

}  // namespace

TableReading TableReading::learn(const Table& table, const ReadingOptions& options,
                                 std::vector<Note>& notes, int threads) {
  check_said_columns(table, options);
  TableReading reading;
  reading.columns_ = TableLearner(table, options).learn(notes, threads);
  reading.missing_words_ = options.said_missing_words();
  reading.missing_in_ = options.missing_in;
  reading.reason_words_ = options.reason_words;
  reading.only_said_words_ = options.only_said();
  reading.decimal_mark_ = mark_of_file(table, options);
  return reading;
}

}  // namespace knockout
