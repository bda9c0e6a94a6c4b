// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace knockout {

struct NumberShape;

/// Forms in which several numbers are one.
enum class CompoundNumber : std::uint8_t {
  kNone,
  kFeet,       ///< 5'11" and 5 ft 11 in, as inches.
  kDegrees,    ///< 52°31'12"N, as degrees; south and west are negative.
  kFractions,  ///< 1 1/2 and 3/8" beside whole numbers.
};

/// How the numbers of a column are written: "1.234,50 kg", "$ (12)", "3 %", "14:30".
struct NumberFormat {
  char decimal_mark = '.';  ///< '.' or ','.
  /// Between groups of three digits: ',' '.' '\'' or ' ' (any kind of blank); '\0' = none.
  char thousands_mark = '\0';
  std::string prefix = {};   ///< A currency before the number.
  std::string suffix = {};   ///< A unit, a currency or "%" after it.
  bool parentheses = false;  ///< (12) is -12.
  bool clock = false;        ///< Times of day and durations, as hours: 14:30, 1h 20min.
  /// 5'11", 52°31'N, 1 1/2: several numbers that are one.
  CompoundNumber compound = CompoundNumber::kNone;
  bool multiples = false;  ///< 4.5M is 4500000, 8.3K is 8300.
  /// Remarks beside numbers that are dropped: "H", "*", "~". Sorted.
  std::vector<std::string> flags = {};

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

/// The same for a cell that was taken apart. REQUIRES: neither `clock` nor `compound`.
std::optional<double> read_shape(const NumberShape& shape, const NumberFormat& format);

/// The same for a cell of a new file, which may write numbers in another way than the training
/// file, as long as it is clear: the other decimal mark (1,5 and 371.32, but not 1,234, which may
/// be a thousand), parentheses for negative numbers, the same currency on the other side.
std::optional<double> read_new_number(std::string_view cell, const NumberFormat& format);

/// What a format does, in words: "comma between thousands, unit kg". "" for a plain one.
std::string format_text(const NumberFormat& format);

/// A number as the cells of the column write it: "90 kg", "$938", "61.3%", "14:30". `digits` is
/// its plain text, rounded as the reader needs it.
std::string in_its_clothes(double number, std::string digits, const NumberFormat& format);

nlohmann::json number_format_to_json(const NumberFormat& format);
NumberFormat number_format_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace knockout
