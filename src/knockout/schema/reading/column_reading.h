// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "knockout/base/option.h"
#include "knockout/schema/reading/date_format.h"
#include "knockout/schema/reading/number_format.h"

namespace knockout {

/// How the cells of one column are read.
struct ColumnReading {
  enum class Form : std::uint8_t {
    kNumbers = 0,
    kWords = 1,
    kDates = 2,
  };
  std::string column = {};
  Form form = Form::kWords;
  NumberFormat numbers = {};  ///< Of kNumbers.
  DateFormat dates = {};      ///< Of kDates.
  /// Words of this column that are taken as missing: "-", "unknown", "refused".
  std::vector<std::string> gap_words = {};
  /// "None" is a word like any other here: a class of the target.
  bool none_is_a_word = false;
  /// Digits that are names (03484, a barcode, a customer_id): never to be read as numbers.
  bool codes = false;

  bool operator==(const ColumnReading&) const = default;
};

constexpr auto names_of(ColumnReading::Form) {
  using Form = ColumnReading::Form;
  return std::array{EnumName<Form>{"numbers", Form::kNumbers},
                    EnumName<Form>{"words", Form::kWords}, EnumName<Form>{"dates", Form::kDates}};
}

}  // namespace knockout
