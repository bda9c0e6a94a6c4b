// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace knockout {

/// Whether a cell holds a value and, if not, whether the gap itself may carry information.
enum class CellState : std::uint8_t {
  kObserved = 0,
  kMissing = 1,  ///< Nothing is known about why.
  kMissingForAReason =
      2,  ///< The cell says that its absence is informative (below a detection limit, ...).
};

/// One column as read. Numbers or words, never both; `states` says which cells hold a value.
struct Column {
  std::string name;
  bool is_text = false;
  std::vector<double> numbers;  ///< Numeric columns: one per row, 0 where not observed.
  std::vector<std::int32_t>
      codes;  ///< Text columns: index into `words` per row, -1 where not observed.
  std::vector<std::string>
      words;  ///< Text columns: the distinct words in order of first appearance.
  std::vector<CellState> states;  ///< One per row.

  std::size_t size() const { return states.size(); }
  bool observed(std::size_t row) const { return states[row] == CellState::kObserved; }
};

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
  std::vector<Column>& columns() { return columns_; }
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
  void set_row_lines(std::vector<std::uint64_t> lines) { row_lines_ = std::move(lines); }
  void set_rows_are_lines(bool rows_are_lines) { rows_are_lines_ = rows_are_lines; }

  /// The given rows, in the given order. Words keep their codes, so that splits agree on them.
  Table take_rows(const std::vector<std::size_t>& rows) const;

  void add_column(Column column);
  /// Removes a column if it is there; says whether it was.
  bool remove_column(std::string_view name);

 private:
  std::uint64_t line_of(std::size_t row) const;
  void index_columns();

  std::vector<Column> columns_;
  /// Where a column probably stands, by name; empty where there are few. find() makes sure.
  std::unordered_map<std::string, std::size_t> place_of_;
  std::size_t rows_ = 0;
  std::string source_;
  std::vector<std::uint64_t> row_lines_;  ///< Empty when every record takes one line.
  bool rows_are_lines_ = true;            ///< False for sources that have no lines.
};

}  // namespace knockout
