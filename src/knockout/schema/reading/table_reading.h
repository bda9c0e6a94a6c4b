// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/note.h"
#include "knockout/data/table.h"
#include "knockout/schema/reading/column_reading.h"
#include "knockout/schema/reading/reading_options.h"

namespace knockout {

/// How columns are read, by name.
using ReadingIndex = HashMap<std::string_view, const ColumnReading*>;

/// What the cells of a table mean: which words are numbers in clothes, which are dates and in what
/// order, which mean missing. Learned once from the training table; a value that travels in the
/// model and reads every later table alike. Deterministic; const functions are safe from any
/// thread. No result depends on the number of threads (0 = all cores).
///   std::vector<Note> notes;
///   const TableReading reading = TableReading::learn(table, {.target_columns = {"y"}}, notes);
///   table = reading.apply(std::move(table), notes);
class TableReading {
 public:
  /// Looks at the distinct words of every text column and at the values of every numeric one.
  /// `notes` get everything that is read in another way than it is written, one note per column and
  /// code, and what is only suspected (sentinels).
  static TableReading learn(const Table& table, const ReadingOptions& options,
                            std::vector<Note>& notes, int threads = 0);

  /// The table as analysis needs it: numbers in clothes are numeric columns, dates are ISO words,
  /// stray words are missing, detection limits are missing for a reason. Columns that learning did
  /// not see only lose the said words. What was applied once stays as it is when applied again.
  ///
  /// `notes` get one note (code `unreadable`) for each column of numbers or dates with words that
  /// say nothing to it, which become missing. With `strict` the first of them is a DataError
  /// naming its row instead.
  Table apply(Table table, std::vector<Note>& notes, bool strict = false, int threads = 0) const;

  /// Whether apply() would give the table back as it is, as far as can be told without going
  /// through its rows: then nobody needs a copy.
  bool leaves_alone(const Table& table) const;

  /// Columns that a file reader must hand over as words even if all of their cells look like plain
  /// numbers: "1.234" may mean a thousand, 03484 is a name, 20201231 is a date.
  std::vector<std::string> columns_of_words() const;
  /// What a file reader takes as gaps (CsvOptions::missing_words and reason_words).
  std::vector<std::string> missing_words_of_files() const;
  const std::vector<std::string>& reason_words() const { return reason_words_; }

  /// One per column of the table that was learned from, in its order; for descriptions.
  const std::vector<ColumnReading>& columns() const { return columns_; }
  /// The same by the names of the columns. Refers to the reading.
  ReadingIndex by_column() const;

  bool operator==(const TableReading&) const = default;

  nlohmann::json to_json() const;
  /// Throws ModelFileError on anything unexpected.
  static TableReading from_json(const nlohmann::json& json);

 private:
  std::vector<ColumnReading> columns_;
  std::vector<std::string> missing_words_;  ///< Said ones.
  std::vector<MissingIn> missing_in_;
  std::vector<std::string> reason_words_;
  bool only_said_words_ = false;
  char decimal_mark_ = '.';  ///< Of plain numbers in the file that was learned from.
};

}  // namespace knockout
