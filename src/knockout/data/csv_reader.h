// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/base/limits.h"
#include "knockout/base/option.h"
#include "knockout/data/table.h"

namespace knockout {

/// The words that mean "missing" unless said otherwise.
std::vector<std::string> usual_missing_words();

/// How a CSV file is read. The defaults read almost every file; the rest is for files that say
/// otherwise.
struct CsvOptions {
  // --- what a cell means ---
  /// Words that mean "missing". An empty cell always does. A word that is a number means every cell
  /// of that value: "-999" also -999.0.
  std::vector<std::string> missing_words = usual_missing_words();
  /// Words that mean "missing for a reason", such as "<LOD", also where they are among
  /// `missing_words`. Inf and -Inf in a numeric column always do.
  std::vector<std::string> reason_words = {};
  /// Read these as words even if they look like numbers. "mri_*" works.
  std::vector<std::string> text_columns = {};
  /// Where "None" is a word like others when the others are words: a class of a target, say.
  std::vector<std::string> class_columns = {};
  /// Not read at all, and not in the table. "mri_*" works.
  std::vector<std::string> skip_columns = {};
  /// When set, only these columns are kept (absent names are ignored): how prediction skips what
  /// the model does not know.
  std::optional<std::vector<std::string>> only_columns;
  // --- how it is written ---
  /// Unset = the first record is the header, after titles and remarks; refused if it is all
  /// numbers. True = the very first record. False = none: the columns are column_1, column_2, ...
  std::optional<bool> has_header;
  /// Unset = found among comma, semicolon, tab, | and, where all records agree, blank.
  std::optional<char> delimiter;
  /// Unset = '.', or ',' in columns whose numbers are written so. A column in which 1,234 could be
  /// either is read as words.
  std::optional<char> decimal_mark;
  // --- what is refused ---
  Limits limits = {};
  // --- how fast ---
  int threads = 0;              ///< 0 = all cores. Never changes the result.
  std::size_t chunk_bytes = 0;  ///< Parsed at a time; 0 = chosen. Never changes the result.
};

/// How a file is written. Words are described with ReadingOptions, which the user sees.
constexpr auto descriptions_of(const CsvOptions*) {
  using C = CsvOptions;
  constexpr std::string_view kData = "The data";
  return std::tuple(
      option(&C::delimiter, {.name = "delimiter",
                             .value = "CHAR",
                             .help = "What separates cells, found by itself as a rule; tab = a tab",
                             .group = kData,
                             .unsaid = "found from the data",
                             .learned = Learned::kNo}),
      option(&C::decimal_mark, {.name = "decimal_mark",
                                .value = "CHAR",
                                .help = "Point or comma, found by itself as a rule",
                                .group = kData,
                                .unsaid = "found from the data",
                                .flag = "decimal-mark,decimal",
                                .learned = Learned::kNo}),
      option(&C::has_header, {.name = "has_header",
                              .value = "yes|no",
                              .help = "Whether the first line names the columns; no = they are "
                                      "called column_1, column_2, ...",
                              .group = kData,
                              .unsaid = "found from the data",
                              .flag = "header",
                              .learned = Learned::kNo}),
      option(&C::chunk_bytes, {.name = "chunk_bytes",
                               .value = "N",
                               .help = "Parsed at a time; 0 = chosen. Never changes the result",
                               .learned = Learned::kNo}));
}
constexpr auto undescribed_of(const CsvOptions*) {
  using C = CsvOptions;
  return std::tuple(&C::missing_words, &C::reason_words, &C::text_columns, &C::class_columns,
                    &C::skip_columns, &C::only_columns, &C::limits, &C::threads);
}

/// A CSV file in memory: loaded once, then asked for its names and parsed as often as needed, so
/// that a pipe will do.
///
/// RFC 4180 with the liberties that real files take: quotes with embedded delimiters and line ends,
/// CRLF, LF or CR, gzip (recognised by its content), UTF-8, UTF-16 and Windows-1252. Skipped are
/// titles and remarks above the header, a line of units below it, a closing "(12 rows)", names of
/// rows (an unnamed first column without two cells that are alike, or R's header that is one field
/// shorter) and unnamed columns without a value. Other unnamed columns are called column_3, and a
/// second "x" is called "x.1". Table::notes() tells of all of this. The first record is the header;
/// without further records the table has no rows.
///
/// A column holds numbers when every observed cell is a plain number: sign, digits, decimal mark,
/// exponent; without zeros in front (03484) and, if whole, with 15 digits at most. Otherwise it
/// holds words, each as it is written. A wholly empty column is numeric. Blanks around a cell do
/// not count, and an empty cell is missing, quoted or not. A quote that is not the first character
/// of a cell belongs to its text. Blank lines are skipped; in a file of one column they are missing
/// cells, except at its end.
///
/// Throws DataError naming file, line, column and the fix; FileError when the file cannot be read.
/// The result is the same for any number of threads. All members are safe from any thread.
///   const CsvText text = CsvText::load("patients.csv");
///   Table table = text.read({.skip_columns = {text.names().front()}});
class CsvText {
 public:
  /// "-" is standard input. `threads` and `limits` as in CsvOptions.
  static CsvText load(const std::string& path, int threads = 0, const Limits& limits = {});
  CsvText(CsvText&&) noexcept;
  CsvText& operator=(CsvText&&) noexcept;
  ~CsvText();

  /// How messages call the file: its path, or "standard input".
  const std::string& source() const;
  /// All columns of the table, also those that `options` do not want.
  std::vector<std::string> names(const CsvOptions& options = {}) const;
  Table read(const CsvOptions& options = {}) const;

 private:
  struct Loaded;
  explicit CsvText(std::unique_ptr<const Loaded> loaded);
  std::unique_ptr<const Loaded> loaded_;
};

/// CsvText::load(path).read(options).
///   Table table = read_csv("patients.csv");
Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory; `source` names it in messages.
Table read_csv_text(std::string_view text, const std::string& source,
                    const CsvOptions& options = {});

/// Whether `name` matches `pattern`, where `*` stands for any characters. Used wherever options
/// take column names.
bool matches_pattern(std::string_view name, std::string_view pattern);

}  // namespace knockout
