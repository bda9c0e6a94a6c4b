// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "cli/output.h"
#include "knockout/report/text.h"

namespace knockout::cli {
namespace {

using Row = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t kMargin = 2;      ///< Blanks before every cell.
constexpr std::size_t kNarrowest = 16;  ///< Words are not broken into shorter lines than this.

std::size_t line_width(const Widths& widths) {
  return std::accumulate(widths.begin(), widths.end(), widths.size() * kMargin);
}

Widths natural_widths(const std::vector<Row>& rows, std::size_t columns) {
  Widths widths(columns, 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], report::display_width(row[i]));
    }
  }
  return widths;
}

/// Takes from the widest column that is set to the left until the line fits. Returns whether it
/// does.
bool narrow(Widths& widths, const std::string& alignment, std::size_t most) {
  while (line_width(widths) > most) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool may = alignment[i] == 'l' && widths[i] > kNarrowest;
      if (may && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return false;
    --widths[widest];
  }
  return true;
}

/// How wide the columns are that fit; those behind them are left out. At least one stays.
Widths fitting_widths(const std::vector<Row>& rows, const std::string& alignment,
                      std::optional<std::size_t> most) {
  Widths all = natural_widths(rows, alignment.size());
  if (!most) return all;
  for (std::size_t columns = all.size(); columns > 0; --columns) {
    Widths widths(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(columns));
    if (narrow(widths, alignment, *most)) return widths;
  }
  all.resize(1);
  all[0] = std::max<std::size_t>(1, *most > kMargin ? *most - kMargin : 1);
  return all;
}

/// The bytes of the first character.
std::size_t first_character(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) ++bytes;
  return bytes;
}

/// The text in lines of at most `width`, broken at blanks, and within words that are wider.
std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines = {""};
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t word_width = report::display_width(word);
    if (used > 0 && used + 1 + word_width > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) lines.back() += ' ', ++used;
    while (!word.empty()) {
      const std::string_view character = word.substr(0, first_character(word));
      const std::size_t more = report::display_width(character);
      if (used > 0 && used + more > width) {
        lines.emplace_back();
        used = 0;
      }
      lines.back() += character;
      used += more;
      word.remove_prefix(character.size());
    }
  }
  return lines;
}

std::string cells_text(const Row& row, const std::string& alignment, const Widths& widths) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool fits = report::display_width(row[i]) <= widths[i];
    cells.push_back(fits ? std::vector<std::string>{row[i]} : broken(row[i], widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string out;
  for (std::size_t h = 0; h < height; ++h) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = h < cells[i].size() ? cells[i][h] : "";
      const std::size_t used = report::display_width(cell);
      const std::string padding(widths[i] - std::min(widths[i], used), ' ');
      line += std::string(kMargin, ' ') + (alignment[i] == 'r' ? padding + cell : cell + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace

std::string labelled(std::string_view label, std::string_view text,
                     std::optional<std::size_t> width) {
  constexpr std::size_t kLabelWidth = 12;
  const std::string clean = report::clean(text);
  const std::size_t room =
      width ? std::max(kNarrowest, *width - std::min(*width, kLabelWidth)) : std::string::npos;
  return fmt::format("{:<{}}{}\n", label, kLabelWidth,
                     fmt::join(broken(clean, room), "\n" + std::string(kLabelWidth, ' ')));
}

TextTable::TextTable(std::vector<std::string> header, std::string alignment)
    : alignment_(std::move(alignment)) {
  add(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = report::clean(cell);
  row.resize(alignment_.size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text(std::optional<std::size_t> width) const {
  const Widths widths = fitting_widths(rows_, alignment_, width);
  std::string out;
  for (const Row& row : rows_) out += cells_text(row, alignment_, widths);
  if (widths.size() == alignment_.size()) return out;
  const Row left_out(rows_[0].begin() + static_cast<std::ptrdiff_t>(widths.size()), rows_[0].end());
  const std::string note =
      fmt::format("... {} not shown ({}): a wider window or --json has all",
                  plural(left_out.size(), "more column"), fmt::join(left_out, ", "));
  for (const std::string& line : broken(note, std::max<std::size_t>(kNarrowest, *width - kMargin)))
    out += std::string(kMargin, ' ') + line + '\n';
  return out;
}

}  // namespace knockout::cli
