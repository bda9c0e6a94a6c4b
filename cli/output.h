// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/base/wording.h"

namespace knockout::cli {

inline constexpr std::size_t kPageWidth = 100;  ///< At most so many characters in a line of prose.

/// Results go to standard output. An output that cannot be written shows in flush_output().
template <typename... Args>
void print_out(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
}

/// Throws FileError when anything printed so far did not arrive.
void flush_output();

std::string percent(double share);  ///< "12.5 %"
/// A number for people: four significant digits.
std::string short_number(double number);

/// Columns of text with their cells one below the other.
///   TextTable table({"column", "missing"}, "lr");
///   table.add({"age", "20 %"});
///   print_out("{}", table.text());
class TextTable {
 public:
  /// One letter per column: 'l' puts its cells to the left, 'r' to the right.
  TextTable(std::vector<std::string> header, std::string alignment);
  void add(std::vector<std::string> row);
  /// Each line after two blanks.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::string alignment_;
};

}  // namespace knockout::cli
