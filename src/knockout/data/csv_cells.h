// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "knockout/data/csv_reader.h"

namespace knockout {

/// Where a cell stands in a CSV file.
struct CsvCell {
  std::uint64_t line = 0;      ///< At which its record starts: what Table::where() says.
  std::size_t column = 0;      ///< Of the file, from the left.
  std::string_view name = {};  ///< Of the column.
};

/// The text of a CSV file with some cells emptied and every other byte as it was: quotes, blanks,
/// delimiters, line ends, blank lines. `removed` is asked of every cell below the header, row by
/// row. A cell that is alone in its line becomes "", because a blank line would be no row. A text
/// in an encoding of more than one byte per character that is not UTF-8 comes out as UTF-8. Throws
/// what read_csv_text() throws for records and quotes that are out of order.
std::string empty_csv_cells(std::string_view text, const std::string& source,
                            const CsvOptions& options,
                            const std::function<bool(const CsvCell& cell)>& removed);

/// Finds places of the text that the reader works on in the text that it was made from.
class CsvOffsets {
 public:
  /// Both as views of whole texts: `clean` has other line ends, another encoding, or no byte order
  /// mark.
  CsvOffsets(std::string_view original, std::string_view clean);

  /// Whether the bytes of the original can be pointed out: it is UTF-8, or has a byte per
  /// character.
  bool is_known() const { return how_ != How::kUnknown; }
  /// The offset in the original of the byte at `p` in the clean text. REQUIRES: is_known(), and a
  /// `p` that is not before that of the last call.
  std::size_t operator()(const char* p);

 private:
  enum class How { kSameBytes, kByteForCharacter, kUnknown };
  How how_ = How::kUnknown;
  std::size_t skipped_ = 0;  ///< Bytes of the original before those of the clean text.
  const char* begin_;
  const char* last_;                 ///< Of the last call,
  std::size_t last_characters_ = 0;  ///< and the characters before it.
};

}  // namespace knockout
