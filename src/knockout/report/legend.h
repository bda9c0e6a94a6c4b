// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knockout/report/markup.h"
#include "knockout/report/plot.h"
#include "knockout/report/series_style.h"

namespace knockout::report {

struct LegendEntry {
  std::string name;
  SeriesStyle style;
  bool emphasis = false;
  std::optional<double> line_end;  ///< y where its line leaves the box: it wants to stand there.
};

inline constexpr double kLegendLine = 19;

/// Room for a legend to the right of a box, at most `most`.
double legend_room(const std::vector<LegendEntry>& entries, double most);
/// To the right of the box: beside the ends of the lines, or one below the other from the top.
void draw_legend_beside(Markup& page, const std::vector<LegendEntry>& entries, const Box& box,
                        double room, bool with_lines);
/// Below, in as many columns as fit. Returns the height it takes.
double legend_height_below(const std::vector<LegendEntry>& entries, double width);
void draw_legend_below(Markup& page, const std::vector<LegendEntry>& entries, double left,
                       double top, double width, bool with_lines);

/// Moves positions apart until neighbours are `distance` apart, each as little as possible, and all
/// within [low, high] if they fit. The result is in the order given; REQUIRES: ascending.
std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low,
                                 double high);

}  // namespace knockout::report
