// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/wording.h"

namespace knockout::cli {

/// Text for a terminal, line by line as pages show it: names of columns and cells of a table are
/// somebody else's, and may hold bytes that recolour a terminal or worse.
std::string printable(std::string_view text);

/// Writes printable() text to standard output.
void write_out(std::string_view text);
/// Results for people. An output that cannot be written shows in flush_output().
template <typename... Args>
void print_out(fmt::format_string<Args...> format, Args&&... args) {
  write_out(fmt::format(format, std::forward<Args>(args)...));
}
/// Results for programs. Bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& json);

/// Writes a line to standard error. Never throws: work that is done is not lost because nobody can
/// be told of it.
void tell(std::string_view line) noexcept;
/// The same without a line end, and without cleaning: `text` may move the cursor.
void tell_raw(std::string_view text) noexcept;

/// Throws FileError when anything printed so far did not arrive.
void flush_output();

std::string percent(double share);  ///< "12.5 %"
/// A number for people: four significant digits.
std::string short_number(double number);

/// Characters in a line of the terminal that standard output goes to, as COLUMNS or the terminal
/// says; nothing where the output goes elsewhere or nobody knows.
std::optional<std::size_t> terminal_width();

/// At most so many characters in a line of prose.
std::size_t page_width();

/// "training    2 networks ...": a label and what is to be said, which goes on below itself where a
/// line may not be longer than `width`.
std::string labelled(std::string_view label, std::string_view text,
                     std::optional<std::size_t> width = terminal_width());

/// Columns of text with their cells one below the other.
///   TextTable table({"column", "missing"}, "lr");
///   table.add({"age", "20 %"});
///   print_out("{}", table.text());
class TextTable {
 public:
  /// One letter per column: 'l' puts its cells to the left, 'r' to the right.
  TextTable(std::vector<std::string> header, std::string alignment);
  void add(std::vector<std::string> row);
  /// Each line after two blanks. Where a line may not be longer than `width`, long words of the
  /// columns that are set to the left are broken into lines, then the last columns are left out,
  /// and a line says so.
  std::string text(std::optional<std::size_t> width = terminal_width()) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::string alignment_;
};

}  // namespace knockout::cli
