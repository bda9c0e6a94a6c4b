// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/base/option.h"

namespace knockout {

/// Which of day, month and year comes first in dates such as 01/02/03.
enum class DateOrder : std::uint8_t { kDayFirst = 0, kMonthFirst = 1, kYearFirst = 2 };

constexpr auto names_of(DateOrder) {
  return std::array{EnumName<DateOrder>{"dmy", DateOrder::kDayFirst},
                    EnumName<DateOrder>{"mdy", DateOrder::kMonthFirst},
                    EnumName<DateOrder>{"ymd", DateOrder::kYearFirst}};
}

/// Words that mean missing in the columns of a name or pattern alone.
struct MissingIn {
  std::string column;
  std::vector<std::string> words;

  bool operator==(const MissingIn&) const = default;
};

/// What the user says about the meaning of cells, and what else is known about them. Everything
/// unsaid is found from the data.
struct ReadingOptions {
  // --- said by the user ---
  /// Words that mean missing besides the usual ones. One that spells a number means that number,
  /// however it is written.
  std::vector<std::string> missing_words = {};
  std::vector<MissingIn> missing_in = {};  ///< The same for some columns: 99 where no age is known.
  /// Words that mean missing for a reason, also where they are among `missing_words`.
  std::vector<std::string> reason_words = {};
  /// Where there are any, these mean missing in the place of the usual words.
  std::vector<std::string> only_missing_words = {};
  std::optional<DateOrder> date_order = {};

  // --- known from elsewhere (SchemaOptions, the file), names or patterns with `*` ---
  std::vector<std::string> text_columns = {};    ///< Said to be categorical or ordered.
  std::vector<std::string> number_columns = {};  ///< Said to be continuous.
  std::vector<std::string> target_columns = {};  ///< "None" may be a class here.
  /// Left as they are, and nothing is said of them.
  std::vector<std::string> ignored_columns = {};
  /// Of the file's plain numbers; decides where "1,234" could be either. Absent = the point.
  std::optional<char> decimal_mark = {};

  /// Whether the usual words are words like others.
  bool only_said() const { return !only_missing_words.empty(); }
  std::vector<std::string> said_missing_words() const;
};

constexpr auto descriptions_of(const ReadingOptions*) {
  using R = ReadingOptions;
  constexpr std::string_view kCells = "What cells mean (found from the data unless said here)";
  return std::tuple(
      option(&R::missing_words,
             {.name = "missing_words",
              .value = "WORDS",
              .help = "Words that mean missing, besides NA, N/A, NaN, null, None, ? and the like. "
                      "-999 is also -999.0",
              .group = kCells,
              .unsaid = "none",
              .flag = "na"}),
      option(&R::missing_in,
             {.name = "missing_in",
              .value = "COL=WORDS",
              .help = "Words that mean missing in one column, or in those of a pattern: age=98,99",
              .group = kCells,
              .unsaid = "none",
              .flag = "na-in"}),
      option(&R::reason_words,
             {.name = "reason_words",
              .value = "WORDS",
              .help = "Words that mean missing for a reason, such as <LOD for a value too small to "
                      "measure",
              .group = kCells,
              .unsaid = "none",
              .flag = "na-for-a-reason"}),
      option(
          &R::only_missing_words,
          {.name = "only_missing_words",
           .value = "WORDS",
           .help = "Words that mean missing, instead of the usual ones. An empty cell always does",
           .group = kCells,
           .unsaid = "none",
           .flag = "na-only"}),
      option(&R::date_order, {.name = "date_order",
                              .help = "What comes first in dates such as 01/02/2003",
                              .group = kCells,
                              .unsaid = "found from the data"}));
}
/// What others fill in.
constexpr auto undescribed_of(const ReadingOptions*) {
  using R = ReadingOptions;
  return std::tuple(&R::text_columns, &R::number_columns, &R::target_columns, &R::ignored_columns,
                    &R::decimal_mark);
}

/// The words that a file reader takes as gaps before the reading sees the table: the usual ones
/// and the said ones. "None" is not among them: whether it is a class is for the reading to say.
std::vector<std::string> missing_words_of_files(const ReadingOptions& options);

}  // namespace knockout
