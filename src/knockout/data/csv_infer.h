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

/// The rows from which a column is taken to hold numbers or words.
inline constexpr std::size_t kSampleRows = 1000;

/// A cell that shows how a column is written.
struct CellExample {
  std::string text;
  std::uint64_t line = 0;
};

/// How the observed cells of a column are written. Infinities are left out: they are gaps.
struct ColumnEvidence {
  bool observed = false;      ///< There is a cell at all.
  bool words = false;         ///< A cell that is no number in any notation.
  bool points = false;        ///< A number with a decimal point: 1.5 or 1.234.
  bool clear_points = false;  ///< One that has no other reading: 1.5.
  bool commas = false;        ///< A number with a decimal comma: 1,5 or 1,234.
  bool clear_commas = false;  ///< One that has no other reading: 1,5.
  bool grouped = false;       ///< Only readable with thousands separators: 1,234.5.
  CellExample first_point, first_comma, first_grouped;

  void add(std::string_view cell, std::uint64_t line);
  /// The same for a cell that is known to be a number with a decimal point or without any mark.
  void add_number(std::string_view cell, std::uint64_t line);
};

/// How one column is read.
struct ColumnPlan {
  enum class Kind : std::uint8_t {
    kSkip,
    kNumber,
    kText,
    kUndecided,  ///< No observed cell yet: read as words, decided when all are known.
  };
  Kind kind = Kind::kNumber;
  char decimal_mark = '.';
  bool asked = false;  ///< Chosen by the user.
};

/// Decides how each column is read, from the user's wishes and the first rows of a file.
class ColumnPlanner {
 public:
  /// Matches the wishes with the header. Throws ConfigError when they contradict each other.
  ColumnPlanner(const CsvLayout& layout, const CsvOptions& options);

  /// Plans all columns from the first rows of `body`, which starts at `first_line`.
  std::vector<ColumnPlan> plan(std::string_view body, std::uint64_t first_line,
                               const GapWords& gap_words);

  /// Decides one column. Throws DataError when its numbers can be read in two ways.
  ColumnPlan decide(std::size_t column, const ColumnEvidence& evidence) const;

 private:
  std::vector<ColumnEvidence> gather(std::string_view body, std::uint64_t first_line,
                                     const GapWords& gap_words) const;
  /// The decimal mark of a column of numbers.
  char mark_of(std::size_t column, const ColumnEvidence& evidence) const;

  const CsvLayout& layout_;
  const CsvOptions& options_;
  std::vector<ColumnPlan> wishes_;  ///< Kind kUndecided where there is no wish.
  bool file_has_points_ = false;    ///< Some column surely has decimal points.
  bool file_has_commas_ = false;    ///< Some column surely has decimal commas.
};

}  // namespace knockout
