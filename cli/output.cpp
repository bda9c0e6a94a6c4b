// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include <fmt/ranges.h>

#include "knockout/base/error.h"

namespace knockout::cli {
namespace {

/// Characters, not bytes: column names may be in any language.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

void flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return;
  throw FileError(
      fmt::format("cannot write to standard output: {}.", std::generic_category().message(errno)));
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", 100 * share);
}

std::string short_number(double number) {
  if (std::abs(number) < 1e15 && number == std::trunc(number)) return fmt::format("{:.0f}", number);
  return fmt::format("{:.4g}", number);
}

TextTable::TextTable(std::vector<std::string> header, std::string alignment)
    : alignment_(std::move(alignment)) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string TextTable::text() const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += alignment_[i] == 'r' ? fmt::format("  {}{}", padding, row[i])
                                   : fmt::format("  {}{}", row[i], padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace knockout::cli
