// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr double kFontSize = 12.5;  ///< Of the charts' labels, as the style has it.
constexpr int kSlantDegrees = 40;
constexpr double kMostSlantedText = 170;

/// The beginning of a text that fits, whole if it can be.
std::string fitted(std::string_view text, double room) {
  std::size_t columns = std::max<std::size_t>(1, display_width(text));
  std::string shown = shorten(text, columns);
  while (columns > 1 && text_room(shown) > room) shown = shorten(text, --columns);
  return shown;
}

}  // namespace

double text_room(std::string_view text) {
  // As wide as in DejaVu Sans, which needs more room than the fonts of other systems.
  const auto narrow = [](char c) { return std::string_view(" .,:;'|!()[]ijlrtfI").find(c); };
  double ems = 0.64 * static_cast<double>(display_width(text));
  for (const char c : text) {
    if (narrow(c) != std::string_view::npos) ems -= 0.22;
    if (c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '@' || c == '%') ems += 0.34;
  }
  return kFontSize * ems;
}

Markup::Open open_svg(Markup& page, const Canvas& canvas, double height, std::string_view title,
                      std::string_view description) {
  const std::string title_id = canvas.id + "-title";
  const std::string description_id = canvas.id + "-desc";
  page.line_break();
  // Below 70 % nobody can read it: then it scrolls.
  const std::string smallest = fmt::format("min-width:{:.0f}px", 0.7 * canvas.width);
  const std::string view = fmt::format("0 0 {} {}", coordinate(canvas.width), coordinate(height));
  auto svg = page.open("svg", {{"viewBox", view},
                               {"width", canvas.width},
                               {"height", height},
                               {"style", smallest},
                               {"role", "img"},
                               {"aria-labelledby", title_id + " " + description_id}});
  page.element("title", {{"id", title_id}}, title.empty() ? "Chart" : title);
  page.element("desc", {{"id", description_id}}, description);
  return svg;
}

void draw_text(Markup& page, double x, double y, std::string_view text, double room,
               std::string_view css_class, std::string_view anchor) {
  const std::string shown = fitted(text, room);
  const auto element =
      page.open("text", {{"class", css_class}, {"x", x}, {"y", y}, {"text-anchor", anchor}});
  page.text(shown);
  if (shown != clean(text)) page.element("title", {}, text);
}

double slanted_room_of(const Axis& x) {
  double longest = 0;
  for (const Tick& tick : x.ticks) {
    longest = std::max(longest, std::min(kMostSlantedText, text_room(tick.label)));
  }
  return longest * std::sin(kSlantDegrees * std::numbers::pi / 180);
}

double room_below(const Plot& plot) {
  constexpr double kTicksAndLabel = 46;
  return kTicksAndLabel + plot.slanted_room;
}

double room_left_of(const Axis& y) {
  double widest = 0;
  for (const Tick& tick : y.ticks) widest = std::max(widest, text_room(tick.label));
  return widest + 14;
}

void draw_axes(Markup& page, const Plot& plot, std::string_view x_label, std::string_view y_label) {
  const Box& box = plot.box;
  page.line_break();
  const auto group = page.open("g", {{"class", "axes"}});
  for (const Tick& tick : plot.y.ticks) {
    const double y = plot.to_y(tick.value);
    page.empty("path", {{"class", "grid"},
                        {"d", fmt::format("M{} {}H{}", coordinate(box.left), coordinate(y),
                                          coordinate(box.right))}});
    draw_text(page, box.left - 8, y + 4, tick.label, 200, "tick", "end");
  }
  for (const Tick& tick : plot.x.ticks) {
    const double x = plot.to_x(tick.value);
    page.empty("path", {{"class", "axis"},
                        {"d", fmt::format("M{} {}v5", coordinate(x), coordinate(box.bottom))}});
    if (plot.slanted_room > 0) {
      const auto turn = page.open(
          "g", {{"transform", fmt::format("translate({} {}) rotate(-{})", coordinate(x + 4),
                                          coordinate(box.bottom + 17), kSlantDegrees)}});
      draw_text(page, 0, 0, tick.label, kMostSlantedText, "tick", "end");
    } else {
      draw_text(page, x, box.bottom + 19, tick.label, 200, "tick", "middle");
    }
  }
  page.empty("path", {{"class", "axis"},
                      {"d", fmt::format("M{} {}H{}", coordinate(box.left), coordinate(box.bottom),
                                        coordinate(box.right))}});
  const double middle = (box.left + box.right) / 2;
  draw_text(page, middle, box.bottom + room_below(plot) - 6, x_label, box.width(), "label",
            "middle");
  draw_text(page, 4, box.top - 14, y_label, box.right - 4, "label");
}

}  // namespace knockout::report
