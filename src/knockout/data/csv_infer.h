// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/csv_words.h"

namespace knockout {

/// The rows from which a first guess is made. A column of numbers that turns out to hold a word is
/// parsed again, so that the guess costs time at worst.
inline constexpr std::size_t kSampleRows = 1000;

/// How the observed cells of a column are written. Infinities are left out: they are gaps.
struct ColumnEvidence {
  bool observed = false;      ///< There is a cell at all.
  bool words = false;         ///< A cell that is no plain number, with either mark.
  bool points = false;        ///< A number with a decimal point: 1.5 or 1.234.
  bool clear_points = false;  ///< One that has no other reading: 1.5.
  bool commas = false;        ///< A number with a decimal comma: 1,5 or 1,234.
  bool clear_commas = false;  ///< One that has no other reading: 1,5.
  std::string first_comma;    ///< An example.

  void add(std::string_view cell);
  /// The same for a cell that is known to be a number with a decimal point or without any mark.
  void add_number(std::string_view cell);
};

/// How one column is read.
struct ColumnPlan {
  enum class Kind : std::uint8_t {
    kSkip,
    kNumber,  ///< As long as every cell is one.
    kText,
    kUndecided,  ///< Read as words, decided when all are known.
  };
  Kind kind = Kind::kNumber;
  char decimal_mark = '.';
  std::string comma_example = {};  ///< A number with a decimal comma, if there is one.
  bool count_gap_words = false;    ///< A column of classes: one of them may be "NA".
};

/// Decides how each column is read, from the user's wishes and the first rows of a file.
class ColumnPlanner {
 public:
  /// Matches the wishes with the header.
  ColumnPlanner(const CsvLayout& layout, const CsvOptions& options);

  /// Plans all columns from the first rows of `body`, which starts at `first_line`.
  std::vector<ColumnPlan> plan(std::string_view body, std::uint64_t first_line,
                               const GapWords& gap_words);

  /// Adds what a column says about the decimal mark of the file.
  void learn_marks(const ColumnEvidence& evidence);
  /// Decides a column from all of its cells: numbers, with which mark, or words. Call learn_marks()
  /// for all such columns before.
  ColumnPlan decide(const ColumnEvidence& evidence) const;

 private:
  std::vector<ColumnEvidence> gather(std::string_view body, std::uint64_t first_line,
                                     const GapWords& gap_words) const;
  /// A first guess; kUndecided where only the whole column can tell.
  ColumnPlan guess(std::size_t column, const ColumnEvidence& evidence) const;
  char file_mark() const { return file_has_commas_ && !file_has_points_ ? ',' : '.'; }

  const CsvLayout& layout_;
  const CsvOptions& options_;
  std::vector<ColumnPlan::Kind> wishes_;  ///< kUndecided where there is no wish.
  bool file_has_points_ = false;          ///< Some column surely has decimal points.
  bool file_has_commas_ = false;          ///< Some column surely has decimal commas.
};

}  // namespace knockout
