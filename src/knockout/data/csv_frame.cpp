// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_frame.h"

#include <algorithm>

#include "knockout/data/csv_field.h"

namespace knockout {
namespace {

std::string_view cut_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return trim(line);
}

/// +----+------+, of two columns at least.
bool is_frame_line(std::string_view line) {
  return line.starts_with("+-") && line.ends_with("-+") &&
         line.find_first_not_of("+-") == std::string_view::npos &&
         std::count(line.begin(), line.end(), '+') > 2;
}

bool is_framed_row(std::string_view line) {
  return line.size() > 2 && line.front() == '|' && line.back() == '|';
}

/// 40 rows in set (0.01 sec)
bool counts_rows(std::string_view line) {
  return line.find(" in set") != std::string_view::npos && line[0] >= '0' && line[0] <= '9';
}

}  // namespace

std::optional<std::string> without_frame(std::string_view text) {
  std::string_view rest = text;
  if (!is_frame_line(cut_line(rest)) || !is_framed_row(cut_line(rest))) return std::nullopt;
  if (!is_frame_line(cut_line(rest))) return std::nullopt;
  std::string bare;
  bare.reserve(text.size());
  while (!text.empty()) {
    const std::string_view line = cut_line(text);
    if (is_framed_row(line)) {
      bare += line.substr(1, line.size() - 2);
    } else if (!line.empty() && !is_frame_line(line) && !counts_rows(line)) {
      return std::nullopt;
    }
    bare += '\n';
  }
  return bare;
}

}  // namespace knockout
