// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr double kBeforeSwatch = 26;  ///< Between the box and the legend: leaders run there.
constexpr double kAfterSwatch = 8;

double widest_name(const std::vector<LegendEntry>& entries) {
  double widest = 0;
  for (const LegendEntry& entry : entries) {
    const double bold = entry.emphasis ? 1.12 : 1;
    widest = std::max(widest, bold * text_room(entry.name));
  }
  return widest;
}

void draw_entry(Markup& page, const LegendEntry& entry, double left, double y, double room,
                bool with_line) {
  const double swatch = with_line ? kSwatchWidth : 14;
  draw_swatch(page, entry.style, left + swatch / 2, y, with_line);
  draw_text(page, left + swatch + kAfterSwatch, y + 4, entry.name, room - swatch - kAfterSwatch,
            entry.emphasis ? "name strong" : "name");
}

double column_width(const std::vector<LegendEntry>& entries, double width) {
  return std::min(width, kSwatchWidth + kAfterSwatch + widest_name(entries) + 16);
}

std::size_t columns_below(const std::vector<LegendEntry>& entries, double width) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(width / column_width(entries, width)));
}

}  // namespace

double legend_room(const std::vector<LegendEntry>& entries, double most) {
  return std::min(most, kBeforeSwatch + kSwatchWidth + kAfterSwatch + widest_name(entries) + 4);
}

void draw_legend_beside(Markup& page, const std::vector<LegendEntry>& entries, const Box& box,
                        double room, bool with_lines) {
  page.line_break();
  const auto group = page.open("g", {{"class", "legend"}});
  const double left = box.right + kBeforeSwatch;
  const bool direct = std::any_of(entries.begin(), entries.end(), [](const LegendEntry& entry) {
    return entry.line_end.has_value();
  });
  // Lines that end early come last; where none reaches the side, the order is the one given.
  const double without_end = direct ? box.bottom : box.top;
  std::vector<const LegendEntry*> order;
  order.reserve(entries.size());
  for (const LegendEntry& entry : entries) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [&](const LegendEntry* a, const LegendEntry* b) {
    return a->line_end.value_or(without_end) < b->line_end.value_or(without_end);
  });
  std::vector<double> wanted;
  wanted.reserve(order.size());
  for (const LegendEntry* entry : order) wanted.push_back(entry->line_end.value_or(without_end));
  const std::vector<double> at =
      spread_apart(wanted, kLegendLine, box.top + (direct ? 0 : 8), box.bottom);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i]->line_end) {
      page.empty("path", {{"class", "leader"},
                          {"d", fmt::format("M{} {}L{} {}", coordinate(box.right + 3),
                                            coordinate(wanted[i]), coordinate(left - 4),
                                            coordinate(at[i]))}});
    }
    draw_entry(page, *order[i], left, at[i], room - kBeforeSwatch, with_lines);
  }
}

double legend_height_below(const std::vector<LegendEntry>& entries, double width) {
  const std::size_t columns = columns_below(entries, width);
  const std::size_t lines = (entries.size() + columns - 1) / columns;
  return kLegendLine * static_cast<double>(lines) + 12;
}

void draw_legend_below(Markup& page, const std::vector<LegendEntry>& entries, double left,
                       double top, double width, bool with_lines) {
  page.line_break();
  const auto group = page.open("g", {{"class", "legend"}});
  const std::size_t columns = columns_below(entries, width);
  const double room = width / static_cast<double>(columns);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t line = i / columns;
    const double x = left + room * static_cast<double>(i % columns);
    const double y = top + 14 + kLegendLine * static_cast<double>(line);
    draw_entry(page, entries[i], x, y, room - 8, with_lines);
  }
}

std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low,
                                 double high) {
  // Labels that touch form a block, which sits where its labels want to be on average.
  struct Block {
    double sum = 0;  ///< Of where each label wants the first one of its block.
    std::size_t count = 0;
    double start = 0;
  };
  const auto length = [&](const Block& block) {
    return distance * static_cast<double>(block.count);
  };
  const auto place = [&](Block& block) {
    const double last = std::max(low, high - length(block) + distance);
    block.start = std::clamp(block.sum / static_cast<double>(block.count), low, last);
  };
  std::vector<Block> blocks;
  for (const double position : wanted) {
    blocks.push_back({position, 1, 0});
    place(blocks.back());
    while (blocks.size() > 1) {
      const Block& last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      if (before.start + length(before) <= last.start) break;
      before.sum += last.sum - length(before) * static_cast<double>(last.count);
      before.count += last.count;
      blocks.pop_back();
      place(blocks.back());
    }
  }
  std::vector<double> positions;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i) {
      positions.push_back(block.start + distance * static_cast<double>(i));
    }
  }
  return positions;
}

}  // namespace knockout::report
