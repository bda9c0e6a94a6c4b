// SPDX-License-Identifier: Apache-2.0
// Each kind of chart as SVG, and the table of the numbers behind it.
#pragma once

#include <string>
#include <vector>

#include "knockout/report/document.h"
#include "knockout/report/markup.h"
#include "knockout/report/plot.h"

namespace knockout::report {

/// What could not be drawn, in sentences that stand below the chart. Most often nothing.
using Notes = std::vector<std::string>;

Notes draw(Markup& page, const LineChart& chart, const Canvas& canvas);
Notes draw(Markup& page, const BarChart& chart, const Canvas& canvas);
Notes draw(Markup& page, const PatternGrid& chart, const Canvas& canvas);
Notes draw(Markup& page, const ScatterChart& chart, const Canvas& canvas);

/// Every number of the chart, at full precision.
Table numbers_of(const LineChart& chart);
Table numbers_of(const BarChart& chart);
Table numbers_of(const PatternGrid& chart);
Table numbers_of(const ScatterChart& chart);

/// Whether there is an interval around the value that can be drawn.
bool has_interval(double value, double low, double high);

/// More of these than fit are left to the table.
inline constexpr std::size_t kMostBars = 40;
inline constexpr std::size_t kMostPatterns = 40;
inline constexpr std::size_t kMostInputs = 40;

}  // namespace knockout::report
