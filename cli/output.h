// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <chrono>
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

/// Writes a line to standard error. Lines after the first are indented, so that no text from a file
/// can pose as a message of its own. Never throws: work that is done is not lost because nobody can
/// be told of it. This and what follows may be called from any thread.
void tell(std::string_view line) noexcept;
/// The same for what is of no use later: on a terminal, whatever is said next takes its place.
void show_status(std::string_view line) noexcept;
/// Takes such a line away.
void clear_status() noexcept;
bool has_error_terminal();  ///< Whether standard error is one.
/// When something was printed last for people to see.
std::chrono::steady_clock::time_point last_said();

/// Throws FileError when anything printed so far did not arrive.
void flush_output();

std::string percent(double share);  ///< "12.5 %"
/// A number for people: four significant digits.
std::string short_number(double number);

bool has_terminal();  ///< Whether standard output is one.

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
