// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/note.h"

namespace knockout {

/// The text of a CSV file as the parts of the reader expect it: UTF-8 without a byte order mark,
/// its lines ended by '\n'. Refers to the given text, which must outlive it.
class CsvCleanText {
 public:
  /// Throws DataError when the bytes are no text. REQUIRES: `text` is empty or ends with '\n'.
  CsvCleanText(std::string_view text, const std::string& source, int threads);
  CsvCleanText(const CsvCleanText&) = delete;
  CsvCleanText& operator=(const CsvCleanText&) = delete;

  std::string_view view() const { return text_; }
  /// What was converted, if anything was.
  const std::vector<Note>& notes() const { return notes_; }

 private:
  void set_text(std::string text);
  void make_utf8(const std::string& source, int threads);

  std::string_view text_;  ///< As given, or `converted_`.
  std::string converted_;  ///< In another encoding or with other line ends than given.
  std::vector<Note> notes_;
};

}  // namespace knockout
