// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// The text of a CSV file as the parts of the reader expect it: checked to be text, without a byte
/// order mark, its lines ended by '\n'. Refers to the given text, which must outlive it.
class CsvCleanText {
 public:
  /// Throws DataError as check_is_text() does. REQUIRES: `text` is empty or ends with '\n'.
  CsvCleanText(std::string_view text, const std::string& source, int threads);
  CsvCleanText(const CsvCleanText&) = delete;
  CsvCleanText& operator=(const CsvCleanText&) = delete;

  std::string_view view() const { return converted_.empty() ? text_ : converted_; }

 private:
  std::string_view text_;
  std::string converted_;  ///< Empty where the text needs no other line ends.
};

}  // namespace knockout
