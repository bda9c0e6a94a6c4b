// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include "knockout/report/charts.h"
#include "knockout/report/document.h"
#include "knockout/report/test_values.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::string kHostile =
    "</title></style><script>alert(1)</script><b a=\"x' &\xE2\x80\xAE\x01\xFF]]>";

/// What is wrong with the tags of a page: "" when each one is closed, in order. Attributes must be
/// in double quotes, and a lone < or & is an error.
std::string tag_error(const std::string& page) {
  static const std::regex kTag(R"(^<(/?)([a-zA-Z][a-zA-Z0-9]*)((?: [a-zA-Z-]+="[^"<]*")*)(/?)>)");
  static const std::regex kEntity(R"(^&(amp|lt|gt|quot|#39);)");
  std::vector<std::string> open;
  for (std::size_t at = page.starts_with("<!DOCTYPE html>") ? 15 : 0; at < page.size(); ++at) {
    const std::string rest = page.substr(at, 4000);
    std::smatch match;
    if (page[at] == '&' && !std::regex_search(rest, match, kEntity))
      return "& in " + rest.substr(0, 40);
    if (page[at] != '<') continue;
    // Path data may be longer than the piece that is looked at.
    const std::size_t end = page.find('>', at);
    const std::string tag = page.substr(at, end - at + 1);
    if (!std::regex_search(tag, match, kTag)) return "no tag: " + tag.substr(0, 80);
    at = end;
    if (match[1] == "/") {
      if (open.empty() || open.back() != match[2]) return "unexpected " + tag;
      open.pop_back();
    } else if (match[4] != "/") {
      open.push_back(match[2]);
      if (match[2] == "style") at = page.find("</style>", at) - 1;
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

Document page_of(std::vector<Block> blocks) {
  Document document;
  document.title = "Title";
  document.sections = {{"Section", std::move(blocks)}};
  return document;
}

LineChart line_chart() {
  return {.title = "Lines",
          .x_label = "missing",
          .y_label = "loss",
          .series = {{.name = "ours",
                      .x = {0, 1, 2},
                      .y = {0.1234567890123, 0.2, 1.0 / 3},
                      .low = {0.1, 0.15, 0.3},
                      .high = {0.15, 0.25, 0.35},
                      .emphasis = true},
                     {.name = "theirs", .x = {0, 1, 2}, .y = {0.2, kNan, kInfinity}},
                     {.name = "bound", .x = {0, 2}, .y = {0.05, 0.07}, .reference = true}}};
}

/// One of each block, every text of it hostile.
Document hostile_document() {
  const std::string& h = kHostile;
  LineChart lines = line_chart();
  lines.title = lines.x_label = lines.y_label = lines.series[0].name = h;
  LineChart named = line_chart();
  named.x_names = {h, "b"};
  BarChart bars{h, h, {{h, 1, 0.5, 1.5}, {h, kNan, kNan, kNan}}};
  PatternGrid grid{h, h, {h, "b"}, {{{true, false}, h}, {{false, true}, "1"}, {{}, h}}};
  ScatterChart scatter{h, h, h, {{.name = h, .x = {1, 2, kNan}, .y = {1, 2, 3}}}};
  Table table{h, {h, h}, {{h, h}, {h}}, h, {{0, 1}, {9, 9}}, h};
  Document document;
  document.title = h;
  document.summary = h + "\n\n" + h;
  document.sections = {
      {h, {Text{h}, table, lines, named, bars, grid, scatter, Row{{lines, bars, grid}}}},
      {h, {Row{{scatter}}, Row{}}}};
  document.provenance = {h, h, h, {{h, h, h}, {h, h, ""}}, h, 3};
  return document;
}

TEST(ToHtml, NamesThePlacesOfAnAxisOfThingsAndJoinsNothing) {
  LineChart chart = line_chart();
  chart.series = {{.name = "ours", .x = {1, 2, 3}, .y = {0.5, 0.6, 0.7}}};
  const std::string joined = to_html(page_of({chart}));
  chart.x_names = {"T1", "T2", "FLAIR"};
  const std::string named = to_html(page_of({chart}));
  EXPECT_EQ(count(named, "class=\"line\"") + 1, count(joined, "class=\"line\""));
  for (const std::string& name : chart.x_names) {
    EXPECT_TRUE(contains(named, ">" + name + "</text>")) << name;  // on the axis
    EXPECT_TRUE(contains(named, ">" + name + "</td>")) << name;    // in the table of the numbers
  }
}

TEST(ToHtml, BalancesItsTagsWhateverTheTextsAre) {
  EXPECT_EQ(tag_error(to_html(hostile_document())), "");
  EXPECT_EQ(tag_error(to_html(Document{})), "");
  EXPECT_NE(tag_error("<p><b></p>"), "");  // the checker itself can fail
  EXPECT_NE(tag_error("<p>a & b</p>"), "");
}

TEST(ToHtml, LetsNoTextBecomeMarkup) {
  const std::string page = to_html(hostile_document());
  EXPECT_FALSE(contains(page, "<script"));
  EXPECT_FALSE(contains(page, "<b a"));
  EXPECT_FALSE(contains(page, "\xE2\x80\xAE"));
  EXPECT_FALSE(contains(page, "\x01"));
  EXPECT_FALSE(contains(page, "\xFF"));
  EXPECT_TRUE(contains(page, escape(kHostile)));
  EXPECT_EQ(count(page, "</style>"), 1U);
}

TEST(ToHtml, NeedsNothingFromTheNetworkAndRunsNothing) {
  const std::string page = to_html(hostile_document());
  for (const char* part :
       {"http:", "https:", "src=", "@import", "url(", "onload=\"", "javascript:"}) {
    EXPECT_FALSE(contains(page, part)) << part;
  }
  EXPECT_TRUE(contains(page, "default-src &#39;none&#39;"));
}

TEST(ToHtml, GivesEveryChartATitleADescriptionAndIdsOfItsOwn) {
  const std::string page = to_html(hostile_document());
  EXPECT_EQ(count(page, "<svg "), 9U);
  EXPECT_EQ(count(page, "role=\"img\""), 9U);
  EXPECT_EQ(count(page, "<desc "), 9U);
  EXPECT_EQ(count(page, "<details "), 9U);
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\"");
  for (auto it = std::sregex_iterator(page.begin(), page.end(), id); it != std::sregex_iterator();
       ++it) {
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  }
}

TEST(ToHtml, PutsEveryNumberOfAChartIntoItsTable) {
  const LineChart lines = line_chart();
  const std::string page = to_html(page_of({lines}));
  const std::string table = page.substr(page.find("<details"));
  for (const Series& series : lines.series) {
    for (const auto* values : {&series.x, &series.y, &series.low, &series.high}) {
      for (const double value : *values) {
        EXPECT_TRUE(contains(table, '>' + exact_number(value) + '<')) << value;
      }
    }
  }
  EXPECT_EQ(numbers_of(lines).rows.size(), 8U);

  BarChart bars{"Bars", "cost", {}};
  for (int i = 0; i < 100; ++i) bars.bars.push_back({"bar", 1.0 / (i + 3), 0.1 / (i + 3), 1});
  const std::string bar_page = to_html(page_of({bars}));
  const std::string bar_table = bar_page.substr(bar_page.find("<details"));
  for (const BarChart::Bar& bar : bars.bars) {
    EXPECT_TRUE(contains(bar_table, '>' + exact_number(bar.value) + '<'));
    EXPECT_TRUE(contains(bar_table, '>' + exact_number(bar.low) + '<'));
  }
}

TEST(ToHtml, SaysWhatAChartLeavesOut) {
  LineChart lines = line_chart();
  lines.log_y = true;
  lines.series[0].y[0] = 0;
  lines.series[0].y[1] = -2;
  EXPECT_TRUE(
      contains(to_html(page_of({lines})), "2 values cannot be shown on a logarithmic axis"));
  BarChart bars{"Bars", "cost", std::vector<BarChart::Bar>(kMostBars + 7, {"bar", 1, 0, 0})};
  EXPECT_TRUE(contains(to_html(page_of({bars})), "And 7 more, see the table."));
  EXPECT_EQ(count(to_html(page_of({bars})), "class=\"bar\""), kMostBars);
  PatternGrid grid{"Grid", "rows", {}, {}};
  for (std::size_t i = 0; i < kMostInputs + 5; ++i) grid.inputs.push_back("input");
  grid.patterns.resize(kMostPatterns + 3, {std::vector<bool>(grid.inputs.size(), true), "1"});
  const std::string page = to_html(page_of({grid}));
  EXPECT_TRUE(contains(page, "And 3 more patterns, see the table."));
  EXPECT_TRUE(contains(page, "And 5 more inputs, see the table."));
  EXPECT_EQ(count(page, "class=\"cell missing\""), kMostPatterns * kMostInputs);
}

TEST(ToHtml, BreaksALineWhereAValueIsMissing) {
  LineChart chart{.series = {{.x = {0, 1, 2, 3, 4}, .y = {1, 2, kNan, 3, 4}}}};
  const std::string page = to_html(page_of({chart}));
  std::smatch line;
  ASSERT_TRUE(std::regex_search(page, line, std::regex("class=\"line\"[^>]* d=\"([^\"]*)\"")));
  EXPECT_EQ(count(line[1], "M"), 2U);
  EXPECT_EQ(count(line[1], "L"), 2U);
}

TEST(ToHtml, DrawsNothingOutsideAndNoNumberThatIsNone) {
  for (const bool log : {false, true}) {
    LineChart lines = line_chart();
    lines.log_y = log;
    lines.series.push_back({.name = "none", .x = {kNan, 1}, .y = {1, kNan}});
    lines.series.push_back({.name = "huge",
                            .x = {0, 1},
                            .y = {1e300, 1e-300},
                            .low = {-1e300, 0},
                            .high = {1e305, 1}});
    LineChart empty{.title = "empty", .log_x = true, .log_y = log};
    LineChart point{.title = "point", .series = {{.x = {5}, .y = {5}}}, .log_y = log};
    BarChart bars{"bars", "v", {{"a", kNan, 0, 0}, {"b", kInfinity, 0, 1}, {"c", 0, 0, 0}}};
    ScatterChart scatter{"s", "x", "y", {{.x = {kNan, 1}, .y = {2, kInfinity}}}};
    const std::string page = to_html(
        page_of({lines, empty, point, bars, scatter, BarChart{}, PatternGrid{}, ScatterChart{}}));
    EXPECT_FALSE(contains(page, "nan")) << log;
    EXPECT_FALSE(contains(page, "inf")) << log;
    EXPECT_EQ(tag_error(page), "");
  }
}

TEST(ToHtml, ShortensLongNamesAndKeepsThemWhole) {
  const std::string name(60, 'x');
  BarChart bars{"Bars", "cost", {{name, 1, 0, 0}}};
  const std::string page = to_html(page_of({bars}));
  EXPECT_TRUE(contains(page, "x…<title>" + name + "</title>"));
}

TEST(ToHtml, StandsErrorBarsAtTheSameXSideBySide) {
  LineChart chart{
      .series = {{.name = "a", .x = {0, 1}, .y = {1, 2}, .low = {0, 1}, .high = {2, 3}},
                 {.name = "b", .x = {0, 1}, .y = {1, 2}, .low = {0, 1}, .high = {2, 3}}}};
  const std::string page = to_html(page_of({chart}));
  std::set<std::string> places;
  const std::regex bar("class=\"error\" d=\"M([0-9.]+) ");
  for (auto it = std::sregex_iterator(page.begin(), page.end(), bar); it != std::sregex_iterator();
       ++it) {
    EXPECT_TRUE(places.insert((*it)[1]).second);
  }
  EXPECT_EQ(places.size(), 4U);
}

TEST(ToHtml, AlignsAndStressesCells) {
  Table table{.header = {"method", "loss"}, .rows = {{"a", "1"}, {"b", "2"}}, .best = {{0, 1}}};
  const std::string page = to_html(page_of({table}));
  EXPECT_TRUE(contains(page, "<td class=\"l\">a</td><td class=\"r\"><strong>1</strong></td>"));
  EXPECT_TRUE(contains(page, "<td class=\"l\">b</td><td class=\"r\">2</td>"));
  table.alignment = "rl";
  EXPECT_TRUE(contains(to_html(page_of({table})), "<td class=\"r\">b</td><td class=\"l\">2</td>"));
}

TEST(ToHtml, TellsHowItWasMade) {
  Document document = page_of({});
  document.provenance = {"knockout evaluate t.csv",       "0.1.0",      "7",
                         {{"t.csv", "abc123", "3 rows"}}, "2025-03-01", 125};
  const std::string page = to_html(document);
  for (const char* part : {"knockout evaluate t.csv", "0.1.0", "t.csv (3 rows)", "abc123",
                           "2025-03-01", "2 min 05 s"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
}

}  // namespace
}  // namespace knockout::report
