// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "knockout/report/charts.h"
#include "knockout/report/legend.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kBesideDots = 16;  ///< Between a side of the box and the outermost point.
constexpr double kLineCap = 3;      ///< Half the width of an error bar's cap.

struct Point {
  double x = 0, y = 0;
  double low = kNan, high = kNan;  ///< NaN = no error bar.
  bool shown = false;              ///< Otherwise the line has a gap here.
};

/// One series, ready to draw.
struct Line {
  const Series* series = nullptr;
  SeriesStyle style;
  std::vector<Point> points;
  double shift = 0;  ///< In pixels, so that error bars at the same x stand side by side.
};

/// A point that stands for none of the names keeps its number.
std::string name_of_x(const LineChart& chart, double x) {
  const auto names = static_cast<double>(chart.x_names.size());
  if (!(x >= 1 && x <= names) || x != std::floor(x)) return short_number(x);
  return chart.x_names[static_cast<std::size_t>(x) - 1];
}

class LineDrawing {
 public:
  LineDrawing(const LineChart& chart, Canvas canvas) : chart_(chart), canvas_(std::move(canvas)) {
    prepare_lines();
    prepare_plot();
  }
  void draw(Markup& page) const;
  const Notes& notes() const { return notes_; }

 private:
  void prepare_lines();
  void prepare_plot();
  void choose_shifts();
  void choose_x_ticks();
  Axis named_axis() const;
  std::string x_text(double x) const;
  std::vector<LegendEntry> legend() const;
  std::set<double> distinct_x() const;
  bool can_show(double x, double y) const;

  void draw_line(Markup& page, const Line& line) const;
  void draw_error_bar(Markup& page, const Line& line, const Point& point) const;
  std::string tooltip(const Line& line, const Point& point) const;
  double x_of(const Line& line, const Point& point) const {
    return plot_.to_x(point.x) + line.shift;
  }

  const LineChart& chart_;
  Canvas canvas_;
  std::vector<Line> lines_;
  Plot plot_;
  double height_ = 0;
  double legend_room_ = 0;  ///< 0 = the legend stands below.
  Notes notes_;
};

bool LineDrawing::can_show(double x, double y) const {
  if (!std::isfinite(x) || !std::isfinite(y)) return false;
  if (chart_.diagonal) return x >= 0 && x <= 1 && y >= 0 && y <= 1;
  return (!chart_.log_y || y > 0) && (!chart_.log_x || x > 0);
}

void LineDrawing::prepare_lines() {
  std::size_t left_out = 0;
  const std::vector<SeriesStyle> styles = styles_of(chart_.series);
  for (std::size_t i = 0; i < chart_.series.size(); ++i) {
    const Series& series = chart_.series[i];
    Line line{&series, styles[i], {}, 0};
    for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      Point point{series.x[k], series.y[k]};
      point.shown = can_show(point.x, point.y);
      if (k < series.low.size() && k < series.high.size() &&
          has_interval(point.y, series.low[k], series.high[k])) {
        point.low = series.low[k];
        point.high = series.high[k];
      }
      if (!point.shown && std::isfinite(point.x) && std::isfinite(point.y)) ++left_out;
      line.points.push_back(point);
    }
    lines_.push_back(std::move(line));
  }
  if (left_out > 0) {
    notes_.push_back(fmt::format("{} cannot be shown on {}; the table has {}.",
                                 plural(left_out, "value"),
                                 chart_.diagonal ? "axes from 0 to 1" : "a logarithmic axis",
                                 left_out == 1 ? "it" : "them"));
  }
}

std::set<double> LineDrawing::distinct_x() const {
  std::set<double> values;
  for (const Line& line : lines_) {
    for (const Point& point : line.points) {
      if (point.shown && !line.series->reference) values.insert(point.x);
    }
  }
  return values;
}

void LineDrawing::prepare_plot() {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Line& line : lines_) {
    for (const Point& point : line.points) {
      if (!point.shown) continue;
      xs.push_back(point.x);
      for (const double y : {point.y, point.low, point.high}) ys.push_back(y);
    }
  }
  const auto [y_low, y_high] = padded_range(ys, chart_.log_y);
  if (chart_.diagonal) {
    plot_.x = plot_.y = linear_axis(0, 1);
  } else {
    plot_.y = chart_.log_y ? log_axis(y_low, y_high) : linear_axis(y_low, y_high);
    const auto [first, last] = std::minmax_element(xs.begin(), xs.end());
    const double low = xs.empty() ? 0 : *first;
    const double high = xs.empty() ? 1 : *last;
    plot_.x = !chart_.x_names.empty()   ? named_axis()
              : chart_.log_x && low > 0 ? log_axis(low, high)
              : chart_.whole_x          ? whole_axis(low, high)
                                        : linear_axis(low, high, 8);
  }
  const std::vector<LegendEntry> entries = legend();
  const bool wide = canvas_.width > kNarrowCanvas;
  if (wide && !entries.empty()) legend_room_ = legend_room(entries, 0.3 * canvas_.width);
  const double for_legend = kLegendLine * static_cast<double>(entries.size()) + 8;
  plot_.box.left = room_left_of(plot_.y);
  plot_.box.top = kRoomForYLabel;
  plot_.box.right = canvas_.width - std::max(legend_room_, 10.0);
  double box_height = wide ? std::max(330.0, for_legend) : 230;
  if (chart_.diagonal) {  // both axes have the same scale
    if (wide) plot_.box.right = std::min(plot_.box.right, plot_.box.left + box_height + 50);
    box_height = plot_.box.width();
    canvas_.width = plot_.box.right + std::max(legend_room_, 10.0);
  }
  plot_.box.bottom = plot_.box.top + box_height;
  if (!chart_.x_names.empty()) plot_.slanted_room = slanted_room_of(plot_.x);
  height_ = plot_.box.bottom + room_below(plot_);
  if (!wide && !entries.empty()) height_ += legend_height_below(entries, canvas_.width);
  choose_shifts();
  choose_x_ticks();
}

/// Side by side where several series have error bars at the same x.
void LineDrawing::choose_shifts() {
  if (!chart_.diagonal) plot_.inset = kBesideDots;
  std::vector<Line*> beside;
  bool bars = false;
  for (Line& line : lines_) {
    if (line.series->reference) continue;
    beside.push_back(&line);
    bars = bars || std::any_of(line.points.begin(), line.points.end(),
                               [](const Point& point) { return std::isfinite(point.low); });
  }
  const std::set<double> values = distinct_x();
  if (!bars || beside.size() < 2 || values.empty() || chart_.diagonal) return;
  double gap = plot_.box.width() / 2;
  for (auto value = std::next(values.begin()); value != values.end(); ++value) {
    gap = std::min(gap, plot_.to_x(*value) - plot_.to_x(*std::prev(value)));
  }
  const double count = static_cast<double>(beside.size());
  const double step = std::min(9.0, 0.6 * gap / count);
  for (std::size_t i = 0; i < beside.size(); ++i) {
    beside[i]->shift = step * (static_cast<double>(i) - (count - 1) / 2);
  }
  plot_.inset += step * (count - 1) / 2;
}

/// Where only a few values of x were measured, they are the ticks.
void LineDrawing::choose_x_ticks() {
  const std::set<double> values = distinct_x();
  if (chart_.diagonal || values.empty() || values.size() > 10 || !chart_.x_names.empty()) return;
  const std::vector<double> at(values.begin(), values.end());
  const std::vector<std::string> labels = tick_labels(at);
  for (std::size_t i = 1; i < at.size(); ++i) {
    const double room = (text_room(labels[i]) + text_room(labels[i - 1])) / 2 + 6;
    if (plot_.to_x(at[i]) - plot_.to_x(at[i - 1]) < room) return;
  }
  plot_.x.ticks.clear();
  for (std::size_t i = 0; i < at.size(); ++i) plot_.x.ticks.push_back({at[i], labels[i]});
}

std::vector<LegendEntry> LineDrawing::legend() const {
  std::vector<LegendEntry> entries;
  if (lines_.size() == 1 && lines_[0].series->name.empty()) return entries;
  for (const Line& line : lines_) {
    LegendEntry entry{line.series->name, line.style, line.series->emphasis, std::nullopt};
    const auto last = std::find_if(line.points.rbegin(), line.points.rend(),
                                   [](const Point& point) { return point.shown; });
    if (last != line.points.rend() && !chart_.diagonal && last->x == plot_.x.high) {
      entry.line_end = plot_.to_y(last->y);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Axis LineDrawing::named_axis() const {
  const auto count = static_cast<double>(chart_.x_names.size());
  Axis axis{.low = 1, .high = std::max(2.0, count)};
  for (std::size_t i = 0; i < chart_.x_names.size(); ++i) {
    axis.ticks.push_back({static_cast<double>(i + 1), chart_.x_names[i]});
  }
  return axis;
}

std::string LineDrawing::x_text(double x) const {
  return chart_.x_names.empty() ? short_number(x) : name_of_x(chart_, x);
}

std::string LineDrawing::tooltip(const Line& line, const Point& point) const {
  std::string text =
      fmt::format("{}{}{} {}: {}", line.series->name, line.series->name.empty() ? "" : ", ",
                  chart_.x_label, x_text(point.x), short_number(point.y));
  if (std::isfinite(point.low)) {
    text += fmt::format(" ({} to {})", short_number(point.low), short_number(point.high));
  }
  return text;
}

void LineDrawing::draw_error_bar(Markup& page, const Line& line, const Point& point) const {
  const double x = x_of(line, point);
  // What leaves the axis runs to its end without a cap: it goes on.
  const bool low_ends = (!chart_.log_y || point.low > 0) && point.low >= plot_.y.low;
  const bool high_ends = point.high <= plot_.y.high;
  const double from = low_ends ? plot_.to_y(point.low) : plot_.box.bottom;
  const double to = high_ends ? plot_.to_y(point.high) : plot_.box.top;
  std::string path = fmt::format("M{} {}V{}", coordinate(x), coordinate(from), coordinate(to));
  const std::string cap = fmt::format("h{}", 2 * kLineCap);
  const std::string left = coordinate(x - kLineCap);
  if (low_ends) path += fmt::format("M{} {}{}", left, coordinate(from), cap);
  if (high_ends) path += fmt::format("M{} {}{}", left, coordinate(to), cap);
  page.empty("path", {{"class", "error"}, {"d", path}});
}

void LineDrawing::draw_line(Markup& page, const Line& line) const {
  page.line_break();
  const auto group = page.open("g", {{"class", line.style.colour_class}});
  std::string path;
  bool pen_down = false;
  for (const Point& point : line.points) {
    if (point.shown) {
      path += fmt::format("{}{} {}", pen_down ? 'L' : 'M', coordinate(x_of(line, point)),
                          coordinate(plot_.to_y(point.y)));
    }
    pen_down = point.shown && chart_.x_names.empty();
  }
  if (path.empty()) return;
  if (chart_.x_names.empty()) {
    page.empty("path", {{"class", "line"},
                        {"stroke-width", line.style.line_width},
                        {"stroke-dasharray", line.style.dash.empty() ? "none" : line.style.dash},
                        {"d", path}});
  }
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const Point& point = line.points[i];
    if (!point.shown) continue;
    const auto mark = page.open("g");
    page.element("title", {}, tooltip(line, point));
    if (std::isfinite(point.low)) draw_error_bar(page, line, point);
    // A reference has no markers, unless a lone point would be invisible without.
    const bool lone = (i == 0 || !line.points[i - 1].shown) &&
                      (i + 1 == line.points.size() || !line.points[i + 1].shown);
    if (!line.style.is_reference() || lone) {
      draw_marker(page, line.style, x_of(line, point), plot_.to_y(point.y));
    }
  }
}

void LineDrawing::draw(Markup& page) const {
  const auto svg =
      open_svg(page, canvas_, height_, chart_.title,
               fmt::format("Line chart of {} against {}, {}. The table below it has the numbers.",
                           chart_.y_label, chart_.x_label, plural(lines_.size(), "line")));
  draw_axes(page, plot_, chart_.x_label, chart_.y_label);
  const Box& box = plot_.box;
  if (chart_.diagonal) {
    page.empty("path",
               {{"class", "diagonal"},
                {"d", fmt::format("M{} {}L{} {}", coordinate(box.left), coordinate(box.bottom),
                                  coordinate(box.right), coordinate(box.top))}});
  } else if (distinct_x().empty()) {
    draw_text(page, (box.left + box.right) / 2, (box.top + box.bottom) / 2, "nothing to show", 200,
              "label", "middle");
  }
  // What the report is about lies on top.
  const auto draw_if = [&](auto wanted) {
    for (const Line& line : lines_) {
      if (wanted(*line.series)) draw_line(page, line);
    }
  };
  draw_if([](const Series& series) { return series.reference; });
  draw_if([](const Series& series) { return !series.reference && !series.emphasis; });
  draw_if([](const Series& series) { return !series.reference && series.emphasis; });
  const std::vector<LegendEntry> entries = legend();
  if (legend_room_ > 0) {
    draw_legend_beside(page, entries, box, legend_room_, true);
  } else if (!entries.empty()) {
    draw_legend_below(page, entries, 4, box.bottom + room_below(plot_), canvas_.width - 4, true);
  }
}

}  // namespace

bool has_interval(double value, double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low <= value && value <= high && low < high;
}

Notes draw(Markup& page, const LineChart& chart, const Canvas& canvas) {
  const LineDrawing drawing(chart, canvas);
  drawing.draw(page);
  return drawing.notes();
}

Table numbers_of(const LineChart& chart) {
  const bool bars = std::any_of(chart.series.begin(), chart.series.end(),
                                [](const Series& series) { return !series.low.empty(); });
  const bool names =
      chart.series.size() > 1 || (!chart.series.empty() && !chart.series[0].name.empty());
  Table table;
  table.header = {chart.x_label, chart.y_label};
  const std::string first = chart.x_names.empty() ? "r" : "l";
  table.alignment = (names ? "l" : "") + first + "rrr";
  if (names) table.header.insert(table.header.begin(), "series");
  if (bars) table.header.insert(table.header.end(), {"low", "high"});
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      std::vector<std::string>& row = table.rows.emplace_back();
      if (names) row.push_back(series.name);
      row.push_back(chart.x_names.empty() ? exact_number(series.x[i])
                                          : name_of_x(chart, series.x[i]));
      row.push_back(exact_number(series.y[i]));
      if (!bars) continue;
      row.push_back(exact_number(i < series.low.size() ? series.low[i] : kNan));
      row.push_back(exact_number(i < series.high.size() ? series.high[i] : kNan));
    }
  }
  return table;
}

}  // namespace knockout::report
