// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/f1.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace knockout {
namespace {

/// The harmonic mean of precision and recall.
double by_hand(double hits, double named, double there) {
  const double precision = hits / named, recall = hits / there;
  return 2 / (1 / precision + 1 / recall);
}

TEST(F1Of, IsTheHarmonicMeanOfPrecisionAndRecall) {
  EXPECT_DOUBLE_EQ(f1_of({.hits = 2, .named = 3, .there = 5}), by_hand(2, 3, 5));
  EXPECT_EQ(f1_of({.named = 3, .there = 5}), 0);
  EXPECT_EQ(f1_of({.there = 5}), 0) << "never named";
  EXPECT_TRUE(std::isnan(f1_of(ClassCounts{})));
}

TEST(F1Of, AveragesOverClassesThatAreNamedOrThere) {
  const std::vector<ClassCounts> classes = {{.hits = 2, .named = 3, .there = 4},
                                            {.hits = 1, .named = 2, .there = 1},
                                            {},
                                            {.hits = 0, .named = 1, .there = 1}};
  const double first = by_hand(2, 3, 4), second = by_hand(1, 2, 1);
  EXPECT_DOUBLE_EQ(f1_of(classes, F1Average::kBinary), second);
  EXPECT_DOUBLE_EQ(f1_of(classes, F1Average::kMacro), (first + second) / 3);
  EXPECT_DOUBLE_EQ(f1_of(classes, F1Average::kWeighted), (4 * first + second) / 6);
  EXPECT_DOUBLE_EQ(f1_of(classes, F1Average::kMicro), 3.0 / 6) << "three rows of six are right";
  const std::vector<ClassCounts> nothing(3);
  for (const F1Average average : {F1Average::kBinary, F1Average::kMacro, F1Average::kMicro}) {
    EXPECT_TRUE(std::isnan(f1_of(nothing, average)));
  }
}

}  // namespace
}  // namespace knockout
