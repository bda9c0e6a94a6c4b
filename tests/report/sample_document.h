// SPDX-License-Identifier: Apache-2.0
// A report with every kind of block, and more in each than a tidy study would have.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "knockout/report/document.h"

namespace knockout::report::test {

inline constexpr const char* kLongName =
    "systolic_blood_pressure_at_admission_mean_of_three_readings_mmHg";
inline const std::vector<std::string> kInputs = {
    "age",  "sex",    "body mass index", kLongName,   "cholesterol <LDL> & \"HDL\"",
    "血圧", "smoker", "glucose",         "heart rate"};

/// Numbers between 0 and 1 that look random and are the same everywhere.
inline double wobble(std::size_t a, std::size_t b) {
  const double x = std::sin(static_cast<double>(12 * a + 78 * b + 1)) * 43758.5453;
  return x - std::floor(x);
}

/// Fourteen methods at 0 to 3 missing inputs.
inline LineChart busy_chart(const std::string& title, bool log_y) {
  LineChart chart{.title = title,
                  .x_label = "number of missing inputs",
                  .y_label = log_y ? "mean squared error, logarithmic" : "mean squared error",
                  .log_y = log_y,
                  .whole_x = true};
  const std::vector<std::string> names = {"Knockout",
                                          "Knockout*",
                                          "Knockout-",
                                          "common baseline",
                                          "baseline with placeholder",
                                          "input dropout",
                                          "mean imputation",
                                          "zero with indicator",
                                          "k-nearest neighbours",
                                          "linear regression",
                                          "MICE",
                                          "missForest",
                                          "gradient boosting",
                                          "fitted marginals"};
  for (std::size_t m = 0; m < names.size(); ++m) {
    Series series{.name = names[m], .emphasis = m == 0};
    for (std::size_t x = 0; x <= 3; ++x) {
      const double y = (0.8 + 0.35 * static_cast<double>(m)) *
                       (1 + 0.6 * static_cast<double>(x) + 0.5 * wobble(m, x));
      series.x.push_back(static_cast<double>(x));
      series.y.push_back(y);
      series.low.push_back(y * (0.9 - 0.1 * wobble(x, m)));
      series.high.push_back(y * (1.1 + 0.1 * wobble(x, m)));
    }
    chart.series.push_back(series);
  }
  chart.series.push_back(
      {.name = "best possible", .x = {0, 1, 2, 3}, .y = {0.7, 1.1, 1.5, 1.9}, .reference = true});
  return chart;
}

/// Three methods; one has a gap and one value that a logarithm does not know.
inline LineChart small_chart(const std::string& title, bool log_y) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {.title = title,
          .x_label = "cells removed (%)",
          .y_label = "log loss",
          .series = {{.name = "Knockout",
                      .x = {0, 10, 30, 50},
                      .y = {0.31, 0.35, 0.42, 0.5},
                      .low = {0.29, 0.33, 0.4, 0.47},
                      .high = {0.33, 0.37, 0.44, 0.53},
                      .emphasis = true},
                     {.name = "mean imputation",
                      .x = {0, 10, 30, 50},
                      .y = {0.3, nan, 0.52, 0.66},
                      .low = {0.28, nan, 0.48, 0.6},
                      .high = {0.32, nan, 0.56, 0.72}},
                     {.name = kLongName,
                      .x = {0, 10, 30, 50},
                      .y = {0.33, 0.4, log_y ? -0.1 : 0.5, 0.61}}},
          .log_y = log_y};
}

inline LineChart calibration_chart(const std::string& title) {
  LineChart chart{.title = title,
                  .x_label = "predicted probability",
                  .y_label = "how often it came true",
                  .diagonal = true};
  for (std::size_t level = 0; level < 4; ++level) {
    Series series{.name = level == 0 ? "nothing missing" : std::to_string(level) + " missing"};
    for (std::size_t bin = 0; bin < 12; ++bin) {
      const double x = (static_cast<double>(bin) + 0.5) / 12;
      series.x.push_back(x);
      series.y.push_back(x + 0.08 * (x - x * x) * static_cast<double>(level) +
                         0.05 * (wobble(level, bin) - 0.5) * 4 * (x - x * x));
    }
    chart.series.push_back(series);
  }
  return chart;
}

inline BarChart bar_chart(const std::string& title, std::size_t bars) {
  BarChart chart{.title = title, .value_label = "MSE with the input missing, minus MSE without"};
  for (std::size_t i = 0; i < bars; ++i) {
    const double value = 3 * std::exp(-0.5 * static_cast<double>(i)) - 0.05;
    const double half = 0.08 + 0.1 * value * wobble(i, 3);
    const std::string label = i < kInputs.size() ? kInputs[i] : "input " + std::to_string(i);
    chart.bars.push_back({label, value, value - half, value + half});
  }
  return chart;
}

inline PatternGrid pattern_grid(const std::string& title, std::size_t inputs,
                                std::size_t patterns) {
  PatternGrid grid{.title = title, .value_label = "MSE"};
  for (std::size_t i = 0; i < inputs; ++i) {
    grid.inputs.push_back(i < kInputs.size() ? kInputs[i] : "input " + std::to_string(i));
  }
  for (std::size_t p = 0; p < patterns; ++p) {
    PatternGrid::Pattern pattern;
    for (std::size_t i = 0; i < inputs; ++i) {
      pattern.missing.push_back(p > 0 && wobble(p, i) < 0.25);
    }
    pattern.exact = 1 + 2 * wobble(p, 99);
    pattern.value = std::to_string(*pattern.exact).substr(0, 4);
    grid.patterns.push_back(pattern);
  }
  return grid;
}

inline ScatterChart scatter_chart(const std::string& title) {
  ScatterChart chart{.title = title, .x_label = "first input", .y_label = "second input"};
  for (std::size_t g = 0; g < 3; ++g) {
    Series group{.name = "class " + std::to_string(g + 1)};
    for (std::size_t i = 0; i < 150; ++i) {
      const double angle = 6.28 * wobble(g, i);
      const double radius = 1.5 * std::sqrt(wobble(i, g + 7));
      group.x.push_back(2.0 * static_cast<double>(g) + radius * std::cos(angle));
      group.y.push_back(std::pow(static_cast<double>(g) - 1, 2) + radius * std::sin(angle));
    }
    chart.groups.push_back(group);
  }
  return chart;
}

inline Table method_table() {
  return {.caption = "Mean loss and rank of each method",
          .header = {"method", "nothing missing", "1 missing", "2 missing", "rank", "seconds"},
          .rows = {{"Knockout", "0.812", "1.240", "1.702", "1.25", "14.2"},
                   {"MICE", "0.801", "1.311", "1.944", "2.00", "103.9"},
                   {"gradient boosting", "0.797", "1.522", "2.398", "2.75", "3.1"},
                   {"mean imputation", "0.812", "1.899", "3.001", "4.00", "14.0"}},
          .best = {{2, 1}, {0, 2}, {0, 3}, {0, 4}, {2, 5}},
          .note = "Means over 10 repetitions; the best of each column is bold."};
}

inline Document sample_document() {
  Document document;
  document.title = "Predicting <risk> & \"outcome\" with inputs missing";
  document.summary =
      "Knockout loses least when inputs are missing: its MSE rises from 0.81 to 1.70 with two of "
      "nine inputs gone, where mean imputation reaches 3.00.\n\n"
      "With nothing missing, gradient boosting is ahead (0.797 against 0.812).";
  document.sections = {
      {"Error against the number of missing inputs",
       {Text{"Each point is the mean over all patterns with so many missing inputs; bars are 95 % "
             "intervals."},
        busy_chart("All methods on one logarithmic axis", true), method_table(),
        Row{{small_chart("On a linear axis", false), small_chart("On a logarithmic axis", true)}}}},
      {"What each input is worth",
       {bar_chart("Cost of losing one input", 9), bar_chart("Many inputs", 120)}},
      {"Patterns",
       {pattern_grid("The most harmful patterns", 9, 16), pattern_grid("Thirty patterns", 7, 30),
        pattern_grid("More than fits", 100, 300)}},
      {"Calibration",
       {calibration_chart("By number missing"),
        Row{{calibration_chart("Side by side"), scatter_chart("The data")}},
        scatter_chart("The data, wide")}}};
  document.provenance = {
      .command = "knockout compare patients.csv --target risk --folds 5 --report out.html",
      .version = "0.1.0",
      .seed = "7",
      .data = {{"patients.csv", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "891 rows, 10 columns"}},
      .date = "2025-03-01 14:02 UTC",
      .seconds = 125};
  return document;
}

}  // namespace knockout::report::test
