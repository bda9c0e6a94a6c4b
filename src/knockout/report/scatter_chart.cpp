// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knockout/report/charts.h"
#include "knockout/report/legend.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

std::pair<double, double> range_with_air(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {0, 1};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double air = *low == *high ? 1 : 0.04 * (*high - *low);
  return {*low - air, *high + air};
}

std::size_t points_of(const Series& group) { return std::min(group.x.size(), group.y.size()); }

/// All markers of a group as one path: thousands of points stay light.
std::string path_of(const Series& group, const SeriesStyle& style, const Plot& plot,
                    double radius) {
  std::string path;
  for (std::size_t i = 0; i < points_of(group); ++i) {
    if (!std::isfinite(group.x[i]) || !std::isfinite(group.y[i])) continue;
    path += marker_path(style.marker, plot.to_x(group.x[i]), plot.to_y(group.y[i]), radius);
  }
  return path;
}

}  // namespace

Notes draw(Markup& page, const ScatterChart& chart, const Canvas& canvas) {
  std::vector<double> xs;
  std::vector<double> ys;
  std::vector<LegendEntry> entries;
  const std::vector<SeriesStyle> styles = styles_of(chart.groups);
  std::size_t points = 0;
  for (std::size_t i = 0; i < chart.groups.size(); ++i) {
    const Series& group = chart.groups[i];
    xs.insert(xs.end(), group.x.begin(), group.x.end());
    ys.insert(ys.end(), group.y.begin(), group.y.end());
    points += points_of(group);
    entries.push_back({group.name, styles[i], group.emphasis, std::nullopt});
  }
  if (entries.size() == 1 && entries[0].name.empty()) entries.clear();

  const bool wide = canvas.width > kNarrowCanvas;
  const double beside = wide && !entries.empty() ? legend_room(entries, 0.3 * canvas.width) : 10;
  const auto [x_low, x_high] = range_with_air(xs);
  const auto [y_low, y_high] = range_with_air(ys);
  Plot plot;
  plot.x = linear_axis(x_low, x_high, wide ? 8 : 6);
  plot.y = linear_axis(y_low, y_high);
  plot.box = {room_left_of(plot.y), kRoomForYLabel, canvas.width - beside, 0};
  plot.box.bottom = plot.box.top + (wide ? 400 : 300);
  double height = plot.box.bottom + room_below(plot);
  if (!wide && !entries.empty()) height += legend_height_below(entries, canvas.width);

  const auto svg = open_svg(
      page, canvas, height, chart.title,
      fmt::format("Scatter chart of {} against {}, {} in {}. The table below it has the numbers.",
                  chart.y_label, chart.x_label, plural(points, "point"),
                  plural(chart.groups.size(), "group")));
  draw_axes(page, plot, chart.x_label, chart.y_label);
  const double radius = points > 2000 ? 1.6 : points > 400 ? 2.4 : 3.2;
  for (std::size_t i = 0; i < chart.groups.size(); ++i) {
    page.line_break();
    const auto group = page.open("g", {{"class", styles[i].colour_class}});
    const std::string path = path_of(chart.groups[i], styles[i], plot, radius);
    if (path.empty()) continue;
    page.empty("path", {{"class", styles[i].hollow ? "hollow dots" : "solid dots"}, {"d", path}});
  }
  if (entries.empty()) return {};
  if (wide) {
    draw_legend_beside(page, entries, plot.box, beside, false);
  } else {
    draw_legend_below(page, entries, 4, plot.box.bottom + room_below(plot), canvas.width - 4,
                      false);
  }
  return {};
}

Table numbers_of(const ScatterChart& chart) {
  Table table;
  table.header = {"group", chart.x_label, chart.y_label};
  for (const Series& group : chart.groups) {
    for (std::size_t i = 0; i < points_of(group); ++i) {
      table.rows.push_back({group.name, exact_number(group.x[i]), exact_number(group.y[i])});
    }
  }
  return table;
}

}  // namespace knockout::report
