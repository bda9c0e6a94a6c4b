// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "knockout/report/charts.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

using Pattern = PatternGrid::Pattern;

bool is_missing(const Pattern& pattern, std::size_t input) {
  return input < pattern.missing.size() && pattern.missing[input];
}

/// The inputs that are most often missing in the patterns shown, in their own order.
std::vector<std::size_t> inputs_to_show(const PatternGrid& grid, std::size_t patterns) {
  std::vector<std::size_t> order(grid.inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMostInputs) return order;
  std::vector<std::size_t> times(grid.inputs.size(), 0);
  for (std::size_t p = 0; p < patterns; ++p) {
    for (const std::size_t input : order) times[input] += is_missing(grid.patterns[p], input);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  order.resize(kMostInputs);
  std::sort(order.begin(), order.end());
  return order;
}

std::string missing_names(const PatternGrid& grid, const Pattern& pattern) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < grid.inputs.size(); ++i) {
    if (is_missing(pattern, i)) names.push_back(grid.inputs[i]);
  }
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

Notes notes_of(const PatternGrid& grid, std::size_t patterns, std::size_t inputs) {
  Notes notes;
  const auto add = [&](std::size_t left_out, const char* noun) {
    if (left_out == 0) return;
    notes.push_back(fmt::format("And {} more {}{}, see the table.", with_thousands(left_out), noun,
                                left_out == 1 ? "" : "s"));
  };
  add(grid.patterns.size() - patterns, "pattern");
  add(grid.inputs.size() - inputs, "input");
  return notes;
}

}  // namespace

Notes draw(Markup& page, const PatternGrid& grid, const Canvas& page_canvas) {
  Canvas canvas = page_canvas;
  const bool wide = canvas.width > kNarrowCanvas;
  const std::size_t patterns =
      std::min(grid.patterns.size(), wide ? kMostPatterns : kMostPatterns / 2);
  const std::vector<std::size_t> inputs = inputs_to_show(grid, patterns);
  double labels = text_room(grid.value_label);
  for (const std::size_t input : inputs) labels = std::max(labels, text_room(grid.inputs[input]));
  labels = std::min(labels, 0.3 * canvas.width);
  double longest_value = 0;
  for (std::size_t p = 0; p < patterns; ++p) {
    longest_value = std::max(longest_value, text_room(grid.patterns[p].value));
  }

  const double left = labels + 12;
  const double columns = static_cast<double>(std::max<std::size_t>(patterns, 1));
  const double room = (canvas.width - left - 4) / columns;
  // Values stand upright where there is room for them, and are turned where there is not.
  const bool turned = longest_value + 6 > std::min(room, 48.0);
  const double step = turned ? std::clamp(room, 15.0, 24.0) : std::clamp(room, 24.0, 48.0);
  constexpr double kRowStep = 20;
  constexpr double kTop = 6;
  const double bottom = kTop + kRowStep * static_cast<double>(inputs.size());
  const double height = bottom + (turned ? longest_value + 18 : 30);
  canvas.width = std::max(left + step * columns + 4, 200.0);

  const auto svg = open_svg(
      page, canvas, height, grid.title,
      fmt::format("Grid of {} by {}; a filled square means missing. The table below it has the "
                  "numbers.",
                  plural(grid.inputs.size(), "input"), plural(grid.patterns.size(), "pattern")));
  for (std::size_t r = 0; r < inputs.size(); ++r) {
    draw_text(page, labels + 4, kTop + kRowStep * (static_cast<double>(r) + 0.5) + 4,
              grid.inputs[inputs[r]], labels, "name", "end");
  }
  for (std::size_t p = 0; p < patterns; ++p) {
    const Pattern& pattern = grid.patterns[p];
    const double x = left + step * static_cast<double>(p);
    const double cell = std::min(step, 26.0) - 4;
    page.line_break();
    const auto column = page.open("g");
    page.element("title", {},
                 fmt::format("missing: {}; {} {}", missing_names(grid, pattern), grid.value_label,
                             pattern.value));
    for (std::size_t r = 0; r < inputs.size(); ++r) {
      page.empty("rect", {{"class", is_missing(pattern, inputs[r]) ? "cell missing" : "cell"},
                          {"x", x + (step - cell) / 2},
                          {"y", kTop + kRowStep * static_cast<double>(r) + 2},
                          {"width", cell},
                          {"height", kRowStep - 4},
                          {"rx", 2.0}});
    }
    if (turned) {
      const std::string at = fmt::format("translate({} {}) rotate(-90)",
                                         coordinate(x + step / 2 + 4), coordinate(bottom + 8));
      const auto turn = page.open("g", {{"transform", at}});
      draw_text(page, 0, 0, pattern.value, 200, "value", "end");
    } else {
      draw_text(page, x + step / 2, bottom + 19, pattern.value, 200, "value", "middle");
    }
  }
  draw_text(page, labels + 4, bottom + 19, grid.value_label, labels, "label", "end");
  return notes_of(grid, patterns, inputs.size());
}

Table numbers_of(const PatternGrid& grid) {
  Table table;
  table.header = {"missing", grid.value_label};
  for (const Pattern& pattern : grid.patterns) {
    table.rows.push_back({missing_names(grid, pattern),
                          pattern.exact ? exact_number(*pattern.exact) : pattern.value});
  }
  return table;
}

}  // namespace knockout::report
