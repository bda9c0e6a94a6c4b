// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/series_style.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace knockout::report {
namespace {

constexpr std::size_t kMarkers = 7;
constexpr std::size_t kColours = 8;
// Their number has no factor in common with that of the markers, so that combinations last long.
constexpr std::array<std::string_view, 5> kDashes = {"", "7 4", "2 3", "9 3 2 3", "15 4"};
constexpr std::array<std::string_view, 4> kReferenceDashes = {"", "5 3", "2 2", "8 2 2 2"};

/// Corners relative to the centre, for a radius of 1.
using Corners = std::vector<std::pair<double, double>>;

const Corners& corners_of(Marker marker) {
  static const Corners square = {{-.88, -.88}, {.88, -.88}, {.88, .88}, {-.88, .88}};
  static const Corners triangle = {{0, -1.2}, {1.1, .8}, {-1.1, .8}};
  static const Corners diamond = {{0, -1.3}, {1.1, 0}, {0, 1.3}, {-1.1, 0}};
  static const Corners down_triangle = {{0, 1.2}, {1.1, -.8}, {-1.1, -.8}};
  static const Corners plus = {{-.4, -1.2}, {.4, -1.2}, {.4, -.4},   {1.2, -.4},
                               {1.2, .4},   {.4, .4},   {.4, 1.2},   {-.4, 1.2},
                               {-.4, .4},   {-1.2, .4}, {-1.2, -.4}, {-.4, -.4}};
  static const Corners cross = {{0, -.57},    {.57, -1.13}, {1.13, -.57},  {.57, 0},
                                {1.13, .57},  {.57, 1.13},  {0, .57},      {-.57, 1.13},
                                {-1.13, .57}, {-.57, 0},    {-1.13, -.57}, {-.57, -1.13}};
  switch (marker) {
    case Marker::kTriangle:
      return triangle;
    case Marker::kDiamond:
      return diamond;
    case Marker::kDownTriangle:
      return down_triangle;
    case Marker::kPlus:
      return plus;
    case Marker::kCross:
      return cross;
    default:
      return square;
  }
}

}  // namespace

SeriesStyle style_of(std::size_t position) {
  return {static_cast<Marker>(position % kMarkers), position / kMarkers % 2 == 1,
          kDashes[position % kDashes.size()], fmt::format("s{}", position % kColours)};
}

std::vector<SeriesStyle> styles_of(const std::vector<Series>& series) {
  std::vector<SeriesStyle> styles;
  std::size_t ordinary = 0;
  std::size_t references = 0;
  for (const Series& one : series) {
    if (one.reference) {
      const std::string_view dash = kReferenceDashes[references++ % kReferenceDashes.size()];
      styles.push_back({Marker::kCircle, true, dash, "reference", 1.3});
      continue;
    }
    styles.push_back(style_of(ordinary++));
    if (one.emphasis) styles.back().line_width = 3;
  }
  return styles;
}

std::string marker_path(Marker marker, double x, double y, double radius) {
  if (marker == Marker::kCircle) {
    const std::string r = coordinate(radius);
    const std::string d = coordinate(2 * radius);
    return fmt::format("M{} {}a{} {} 0 1 0 {} 0a{} {} 0 1 0 -{} 0z", coordinate(x - radius),
                       coordinate(y), r, r, d, r, r, d);
  }
  std::string path;
  for (const auto& [dx, dy] : corners_of(marker)) {
    path += path.empty() ? 'M' : 'L';
    path += coordinate(x + radius * dx) + ' ' + coordinate(y + radius * dy);
  }
  return path + 'z';
}

void draw_marker(Markup& page, const SeriesStyle& style, double x, double y, double radius) {
  const double r = style.line_width > 2 ? radius * 1.2 : radius;
  page.empty("path", {{"class", style.hollow ? "hollow" : "solid"},
                      {"d", marker_path(style.marker, x, y, r)}});
}

void draw_swatch(Markup& page, const SeriesStyle& style, double x, double y, bool with_line) {
  const auto group = page.open("g", {{"class", style.colour_class}});
  if (with_line) {
    page.empty("path", {{"class", "line"},
                        {"stroke-width", style.line_width},
                        {"stroke-dasharray", style.dash.empty() ? "none" : style.dash},
                        {"d", fmt::format("M{} {}h{}", coordinate(x - kSwatchWidth / 2),
                                          coordinate(y), kSwatchWidth)}});
  }
  if (!style.is_reference()) draw_marker(page, style, x, y);
}

}  // namespace knockout::report
