// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/series_style.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "knockout/report/legend.h"

namespace knockout::report {
namespace {

TEST(StyleOf, TellsFourteenSeriesApartByTheMarkerAlone) {
  std::set<std::tuple<std::string, bool>> seen;
  for (std::size_t i = 0; i < 14; ++i) {
    const SeriesStyle style = style_of(i);
    // The outline and not the name, so that two names cannot have one shape.
    EXPECT_TRUE(seen.insert({marker_path(style.marker, 0, 0, 4), style.hollow}).second) << i;
  }
}

TEST(StyleOf, TellsSeventySeriesApartWithoutColour) {
  std::set<std::tuple<Marker, bool, std::string_view>> seen;
  for (std::size_t i = 0; i < 70; ++i) {
    const SeriesStyle style = style_of(i);
    EXPECT_TRUE(seen.insert({style.marker, style.hollow, style.dash}).second) << i;
  }
}

TEST(StyleOf, NeverGivesNeighboursTheSameDashOrColour) {
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NE(style_of(i).dash, style_of(i + 1).dash);
    EXPECT_NE(style_of(i).colour_class, style_of(i + 1).colour_class);
  }
}

TEST(StylesOf, CountsReferencesApart) {
  const std::vector<SeriesStyle> styles = styles_of(
      {{.name = "a"}, {.name = "bound", .reference = true}, {.name = "b", .emphasis = true}});
  EXPECT_EQ(styles[0].marker, style_of(0).marker);
  EXPECT_TRUE(styles[1].is_reference());
  EXPECT_EQ(styles[2].marker, style_of(1).marker);
  EXPECT_GT(styles[2].line_width, styles[0].line_width);
  EXPECT_LT(styles[1].line_width, styles[0].line_width);
}

TEST(SpreadApart, LeavesAloneWhatDoesNotTouch) {
  EXPECT_EQ(spread_apart({10, 40, 90}, 20, 0, 100), (std::vector<double>{10, 40, 90}));
}

TEST(SpreadApart, MovesNeighboursApartAroundTheirMiddle) {
  EXPECT_EQ(spread_apart({50, 50}, 20, 0, 100), (std::vector<double>{40, 60}));
  EXPECT_EQ(spread_apart({50, 50, 50, 200}, 10, 0, 300), (std::vector<double>{40, 50, 60, 200}));
}

TEST(SpreadApart, StaysWithinItsEnds) {
  EXPECT_EQ(spread_apart({0, 0, 0}, 10, 0, 100), (std::vector<double>{0, 10, 20}));
  EXPECT_EQ(spread_apart({100, 100}, 10, 0, 100), (std::vector<double>{90, 100}));
}

TEST(SpreadApart, KeepsTheDistanceForAnyPositions) {
  std::vector<double> wanted;
  for (int i = 0; i < 14; ++i) wanted.push_back(100 + 3 * i + (i % 4));
  std::sort(wanted.begin(), wanted.end());
  const std::vector<double> found = spread_apart(wanted, 19, 0, 300);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i] - found[i - 1], 19 - 1e-9);
  EXPECT_GE(found.front(), 0);
  EXPECT_LE(found.back(), 300);
}

}  // namespace
}  // namespace knockout::report
