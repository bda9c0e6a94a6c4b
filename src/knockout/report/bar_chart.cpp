// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knockout/report/charts.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr double kBarStep = 24;
constexpr double kBarHeight = 14;
constexpr double kBarCap = 4;

using Bar = BarChart::Bar;

/// From 0, since bars are lengths, to all that is drawn.
Axis value_axis(const std::vector<Bar>& bars, int most_ticks) {
  double low = 0;
  double high = 0;
  for (const Bar& bar : bars) {
    if (!std::isfinite(bar.value)) continue;
    low = std::min(low, bar.value);
    high = std::max(high, bar.value);
    if (!has_interval(bar.value, bar.low, bar.high)) continue;
    low = std::min(low, bar.low);
    high = std::max(high, bar.high);
  }
  if (low == high) high = 1;
  const double air = 0.04 * (high - low);
  return linear_axis(low < 0 ? low - air : 0, high > 0 ? high + air : 0, most_ticks);
}

void draw_bar(Markup& page, const Bar& bar, const Plot& plot, double y) {
  const auto group = page.open("g", {{"class", "s0"}});
  const double zero = plot.to_x(0);
  const double end = plot.to_x(bar.value);
  page.empty("rect", {{"class", "bar"},
                      {"x", std::min(zero, end)},
                      {"y", y - kBarHeight / 2},
                      {"width", std::abs(end - zero)},
                      {"height", kBarHeight}});
  if (!has_interval(bar.value, bar.low, bar.high)) return;
  const std::string cap_top = coordinate(y - kBarCap);
  const std::string from = coordinate(plot.to_x(bar.low));
  const std::string to = coordinate(plot.to_x(bar.high));
  page.empty("path", {{"class", "interval"},
                      {"d", fmt::format("M{0} {1}v{2}M{3} {1}v{2}M{0} {4}H{3}", from, cap_top,
                                        2 * kBarCap, to, coordinate(y))}});
}

}  // namespace

Notes draw(Markup& page, const BarChart& chart, const Canvas& canvas) {
  const std::size_t shown = std::min(chart.bars.size(), kMostBars);
  const std::vector<Bar> bars(chart.bars.begin(),
                              chart.bars.begin() + static_cast<std::ptrdiff_t>(shown));
  std::vector<double> numbers;
  numbers.reserve(shown);
  for (const Bar& bar : bars) numbers.push_back(bar.value);
  const std::vector<std::string> texts = aligned_numbers(numbers);
  double labels = 0;
  double values = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    labels = std::max(labels, text_room(bars[i].label));
    values = std::max(values, text_room(texts[i]));
  }
  labels = std::min(labels, 0.36 * canvas.width);

  Plot plot;
  plot.x = value_axis(bars, canvas.width > kNarrowCanvas ? 7 : 4);
  plot.box = {labels + 12, 10, canvas.width - values - 16, 0};
  plot.box.bottom = plot.box.top + kBarStep * static_cast<double>(std::max<std::size_t>(shown, 1));
  const double height = plot.box.bottom + room_below(plot);
  const auto svg = open_svg(page, canvas, height, chart.title,
                            fmt::format("Bar chart of {}, {}. The table below it has the numbers.",
                                        chart.value_label, plural(chart.bars.size(), "bar")));
  {
    const auto axes = page.open("g", {{"class", "axes"}});
    for (const Tick& tick : plot.x.ticks) {
      const double x = plot.to_x(tick.value);
      page.empty("path", {{"class", tick.value == 0 ? "axis" : "grid"},
                          {"d", fmt::format("M{} {}V{}", coordinate(x), coordinate(plot.box.top),
                                            coordinate(plot.box.bottom))}});
      draw_text(page, x, plot.box.bottom + 17, tick.label, 200, "tick", "middle");
    }
    draw_text(page, (plot.box.left + plot.box.right) / 2, plot.box.bottom + 38, chart.value_label,
              canvas.width - 20, "label", "middle");
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const Bar& bar = bars[i];
    const double y = plot.box.top + kBarStep * (static_cast<double>(i) + 0.5);
    page.line_break();
    draw_text(page, labels + 4, y + 4, bar.label, labels, "name", "end");
    if (std::isfinite(bar.value)) draw_bar(page, bar, plot, y);
    draw_text(page, canvas.width - 4, y + 4, texts[i], 200, "value", "end");
  }
  if (shown == chart.bars.size()) return {};
  return {fmt::format("And {} more, see the table.", with_thousands(chart.bars.size() - shown))};
}

Table numbers_of(const BarChart& chart) {
  const bool intervals = std::any_of(chart.bars.begin(), chart.bars.end(), [](const Bar& bar) {
    return has_interval(bar.value, bar.low, bar.high);
  });
  Table table;
  table.header = {"", chart.value_label};
  if (intervals) table.header.insert(table.header.end(), {"low", "high"});
  for (const Bar& bar : chart.bars) {
    table.rows.push_back({bar.label, exact_number(bar.value)});
    if (!intervals) continue;
    table.rows.back().push_back(exact_number(bar.low));
    table.rows.back().push_back(exact_number(bar.high));
  }
  return table;
}

}  // namespace knockout::report
