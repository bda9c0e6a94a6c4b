// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace knockout::report {

/// A document is a value: headings, sentences, tables and charts, all of them plain text that the
/// writer escapes. It knows nothing of HTML.

/// Sentences. Blank lines separate paragraphs.
struct Text {
  std::string text;
};

struct Table {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string alignment;  ///< One letter per column, 'l' or 'r'; "" = first left, others right.
  std::vector<std::pair<std::size_t, std::size_t>> best;  ///< (row, column) of cells set in bold.
  std::string note;
};

/// One line of a chart. Lines differ in dash, marker and colour, so that paper and colour-blind
/// readers can tell them apart.
struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< Error bars; empty = none.
  bool emphasis = false;          ///< Drawn thicker: the method the report is about.
  bool reference = false;         ///< Thin and grey: a bound, the empirical truth.
};

struct LineChart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool log_x = false;
  bool log_y = false;     ///< Values that are not above 0 are left to the table, with a note.
  bool whole_x = false;   ///< Ticks at whole numbers only.
  bool diagonal = false;  ///< y = x, for calibration; both axes from 0 to 1.
  /// What x = 1, 2, ... are called, when they are things and not amounts: then points are not
  /// joined.
  std::vector<std::string> x_names = {};
};

/// Horizontal bars with error bars, largest first as given.
struct BarChart {
  struct Bar {
    std::string label;
    double value = 0, low = 0, high = 0;
  };
  std::string title, value_label;
  std::vector<Bar> bars;
};

/// Inputs down, patterns across: a filled square where the input is missing, a number below each.
struct PatternGrid {
  struct Pattern {
    std::vector<bool> missing;         ///< One per input.
    std::string value;                 ///< Printed under the column: rows, or a score.
    std::optional<double> exact = {};  ///< The number behind `value`, for the table.
  };
  std::string title, value_label;
  std::vector<std::string> inputs;
  std::vector<Pattern> patterns;
};

/// Points in the plane, a marker per group: the data of the classification simulations.
struct ScatterChart {
  std::string title, x_label, y_label;
  std::vector<Series> groups;
};

/// Charts that stand side by side where the page is wide enough.
struct Row {
  std::vector<std::variant<LineChart, BarChart, PatternGrid, ScatterChart>> charts;
};

using Block = std::variant<Text, Table, LineChart, BarChart, PatternGrid, ScatterChart, Row>;

struct Section {
  std::string heading;
  std::vector<Block> blocks;
};

/// How the numbers came about.
struct Provenance {
  std::string command;  ///< As typed.
  std::string version;
  std::string seed;
  struct Data {
    std::string path;
    std::string sha256;
    std::string description;  ///< "891 rows, 9 columns".
  };
  std::vector<Data> data;
  std::string date;  ///< "2025-03-01 14:02 UTC"
  double seconds = 0;
};

struct Document {
  std::string title;
  std::string summary;  ///< What a reader in a hurry should know, honest about losses.
  std::vector<Section> sections;
  Provenance provenance;
};

/// One self-contained HTML file: no scripts, no fonts, nothing from the network. Charts are SVG,
/// each followed by the table of its numbers; light, dark and print are styled.
std::string to_html(const Document& document);

/// Writes `path` and, beside it, `data` with the ending .json in place of .html: every number of
/// the report can be recomputed from it. Both are replaced whole or not at all. Throws FileError.
void write_report(const Document& document, const nlohmann::ordered_json& data,
                  const std::string& path);

/// Where the JSON of a report goes: "out.html" -> "out.json".
std::string json_path_of(const std::string& report_path);

}  // namespace knockout::report
