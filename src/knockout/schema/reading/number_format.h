// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace knockout {

/// How the numbers of a column are written: "1.234,50 kg", "$ (12)", "3 %", "14:30".
struct NumberFormat {
  char decimal_mark = '.';  ///< '.' or ','.
  /// Between groups of three digits: ',' '.' '\'' or ' ' (any kind of blank); '\0' = none.
  char thousands_mark = '\0';
  std::string prefix = {};   ///< A currency before the number.
  std::string suffix = {};   ///< A unit, a currency or "%" after it.
  bool parentheses = false;  ///< (12) is -12.
  bool clock = false;        ///< Times of day, read as hours: 14:30 is 14.5.

  /// As a program writes numbers: nothing to undo.
  bool is_plain() const { return *this == NumberFormat{}; }
  /// Whether a cell that looks like a plain number, with whatever decimal mark its file has, means
  /// what it seems to.
  bool keeps_plain_numbers() const { return thousands_mark != '.' && thousands_mark != ','; }
  bool operator==(const NumberFormat&) const = default;
};

/// The finite number that a cell spells in a format, or nullopt. Cells without prefix and suffix,
/// and plain signs (Unicode's minus, a minus at the end), are read in every format.
std::optional<double> read_number(std::string_view cell, const NumberFormat& format);

/// The same for a cell of a new file, which may have another decimal mark than the training file:
/// 1,5 is 1.5 where no thousands marks were seen. 1,234 is not, since it may be a thousand.
std::optional<double> read_new_number(std::string_view cell, const NumberFormat& format);

/// What a format does, in words: "comma between thousands, unit kg". "" for a plain one.
std::string format_text(const NumberFormat& format);

/// A number as the cells of the column write it: "90 kg", "$938", "61.3%", "14:30". `digits` is
/// its plain text, rounded as the reader needs it.
std::string in_its_clothes(double number, std::string digits, const NumberFormat& format);

nlohmann::json number_format_to_json(const NumberFormat& format);
NumberFormat number_format_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace knockout
