// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knockout/report/document.h"
#include "knockout/report/markup.h"

namespace knockout::report {

enum class Marker { kCircle, kSquare, kTriangle, kDiamond, kDownTriangle, kPlus, kCross };

/// How one series looks. Marker, filling and dash together differ for the first 70 series, marker
/// and filling alone for the first 14: colour only helps.
struct SeriesStyle {
  Marker marker = Marker::kCircle;
  bool hollow = false;
  std::string_view dash;     ///< As stroke-dasharray; "" = solid.
  std::string colour_class;  ///< "s0" to "s7", or "reference".
  double line_width = 1.6;

  bool is_reference() const { return colour_class == "reference"; }
};

SeriesStyle style_of(std::size_t position);
/// One per series: references are thin and grey and count apart from the others.
std::vector<SeriesStyle> styles_of(const std::vector<Series>& series);

/// The outline of a marker around a point, as path data.
std::string marker_path(Marker marker, double x, double y, double radius);

/// A marker at a point. Its group has the class of the colour.
void draw_marker(Markup& page, const SeriesStyle& style, double x, double y, double radius = 4);
/// A piece of the line with its marker, centred at (x, y): what stands in a legend.
void draw_swatch(Markup& page, const SeriesStyle& style, double x, double y, bool with_line);

inline constexpr double kSwatchWidth = 34;

}  // namespace knockout::report
