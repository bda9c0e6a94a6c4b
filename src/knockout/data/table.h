// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/data/note.h"

namespace knockout {

/// A rectangular table: named columns of equal length and where they came from.
class Table {
 public:
  Table() = default;
  /// REQUIRES: all columns have the same length and distinct names (DataError otherwise).
  /// `rows_without_columns` is the number of rows when `columns` is empty: a file from which no
  /// column is wanted still has rows to predict.
  explicit Table(std::vector<Column> columns, std::string source = "",
                 std::size_t rows_without_columns = 0);

  std::size_t rows() const { return rows_; }
  std::size_t column_count() const { return columns_.size(); }
  const std::vector<Column>& columns() const { return columns_; }
  const Column& column(std::size_t index) const { return columns_[index]; }

  /// The column of that name, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column of that name; a DataError that lists near names when there is none.
  const Column& at(std::string_view name) const;
  std::vector<std::string> names() const;

  /// Where the table came from, for messages: a path, or "standard input".
  const std::string& source() const { return source_; }

  /// "file.csv:118" for row 116 of a file with a header; the line where the row starts, if known.
  /// "mri.npy, row 117" where rows are no lines, "row 117" without a source.
  std::string where(std::size_t row) const;
  /// One line per row, or none when row r is on line r + 2 (DataError otherwise).
  void set_row_lines(std::vector<std::uint64_t> lines);
  void set_rows_are_lines(bool rows_are_lines) { rows_are_lines_ = rows_are_lines; }

  /// What a person should hear about how the table was read.
  const std::vector<Note>& notes() const { return notes_; }
  void add_note(Note note) { notes_.push_back(std::move(note)); }
  /// Hands out the notes; the table keeps none.
  std::vector<Note> take_notes() { return std::exchange(notes_, {}); }

  /// The given rows, in the given order. Words keep their codes, so that splits agree on them.
  Table take_rows(const std::vector<std::size_t>& rows) const;

  /// REQUIRES of all columns given below: as many rows as the table, a name that no other column
  /// has (DataError otherwise).
  void add_column(Column column);
  /// In the place of the column of that name (DataError when there is none).
  void replace_column(Column column);
  /// In the place of all columns. Where the rows came from stays known.
  void replace_columns(std::vector<Column> columns);
  /// Hands out all columns to be changed or moved on; the table keeps its rows.
  std::vector<Column> take_columns();
  /// Removes a column if it is there; says whether it was.
  bool remove_column(std::string_view name);
  /// Empties a cell, as Column::set_missing() does.
  void set_missing(std::size_t row, std::size_t column, CellState state = CellState::kMissing) {
    columns_.at(column).set_missing(row, state);
  }
  /// Write a cell, as Column::set_number() and Column::set_code() do.
  void set_number(std::size_t row, std::size_t column, double number) {
    columns_.at(column).set_number(row, number);
  }
  void set_code(std::size_t row, std::size_t column, std::int32_t code) {
    columns_.at(column).set_code(row, code);
  }

 private:
  std::uint64_t line_of(std::size_t row) const;
  void check_columns(const std::vector<Column>& columns) const;
  void index_columns();

  std::vector<Column> columns_;
  /// Where each column stands, by name; empty where there are few.
  std::map<std::string, std::size_t, std::less<>> place_of_;
  std::size_t rows_ = 0;
  std::string source_;
  std::vector<std::uint64_t> row_lines_;  ///< Empty when every record takes one line.
  bool rows_are_lines_ = true;            ///< False for sources that have no lines.
  std::vector<Note> notes_;
};

}  // namespace knockout
