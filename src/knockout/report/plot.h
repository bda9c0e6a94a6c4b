// SPDX-License-Identifier: Apache-2.0
// What the charts share: the drawing itself and its frame with axes.
#pragma once

#include <string>
#include <string_view>

#include "knockout/report/axis.h"
#include "knockout/report/markup.h"

namespace knockout::report {

inline constexpr double kWideCanvas = 880;    ///< Alone, as wide as the page.
inline constexpr double kNarrowCanvas = 424;  ///< Beside another.

/// Where a chart is drawn. Its units are CSS pixels at full size.
struct Canvas {
  double width = kWideCanvas;
  std::string id;  ///< Unique within the page.
};

/// Room that a text takes at the size of the charts' labels, in the widest of the usual fonts.
double text_room(std::string_view text);

/// Starts <svg> with the title and description that screen readers read.
Markup::Open open_svg(Markup& page, const Canvas& canvas, double height, std::string_view title,
                      std::string_view description);

/// A text, shortened to the room there is; the full one shows when the pointer rests on it.
void draw_text(Markup& page, double x, double y, std::string_view text, double room,
               std::string_view css_class, std::string_view anchor = "start");

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

/// Axes in a box. `inset` keeps the first and last value off the sides.
struct Plot {
  Box box;
  Axis x, y;
  double inset = 0;
  double slanted_room = 0;  ///< Above 0: labels on the x axis are slanted and take this much.

  double to_x(double value) const {
    return box.left + inset + x.share_of(value) * (box.width() - 2 * inset);
  }
  double to_y(double value) const { return box.bottom - y.share_of(value) * box.height(); }
};

inline constexpr double kRoomForYLabel = 30;  ///< Above the box: the label stands there, upright.

/// Room below the box: tick labels and the label of x.
double room_below(const Plot& plot);
/// Room that slanted labels need.
double slanted_room_of(const Axis& x);

/// Room that the labels of the y axis take left of the box.
double room_left_of(const Axis& y);
void draw_axes(Markup& page, const Plot& plot, std::string_view x_label, std::string_view y_label);

}  // namespace knockout::report
