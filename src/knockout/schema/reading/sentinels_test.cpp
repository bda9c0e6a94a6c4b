// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/sentinels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace knockout {
namespace {

struct SentinelCase {
  std::vector<double> numbers;
  std::string found;  ///< "value x cells", ...
};

std::string text_of(const std::vector<Sentinel>& sentinels) {
  std::vector<std::string> texts;
  for (const auto& [value, cells] : sentinels) texts.push_back(fmt::format("{}x{}", value, cells));
  return fmt::format("{}", fmt::join(texts, " "));
}

void expect_all(const std::vector<SentinelCase>& cases) {
  for (const SentinelCase& c : cases) {
    EXPECT_EQ(text_of(find_sentinels(c.numbers)), c.found) << fmt::format("{}", c.numbers);
  }
}

TEST(FindSentinels, FindsValuesFarOutsideTheRest) {
  const std::vector<SentinelCase> cases = {
      {{12.5, 30, -999, 44, 27.5, -999}, "-999x2"},
      {{12.5, 30, -999, 44, 27.5}, "-999x1"},  // of usual form: once is enough
      {{1, 2, 3, 4, 5, 99}, "99x1"},
      {{1, 2, 3, 9999, 4, -999, 5}, "-999x1 9999x1"},
      {{0, 3, 5, 2, -1, 8, -1}, "-1x2"},  // among counts
      {{0, 3, 5, 2, -8, 8, -9}, "-9x1 -8x1"},
      {{10, 20, 30, 40, 50, 55555, 55555}, "55555x2"},  // of no usual form, but twice
      {{10, 20, 30, 40, 50, 55555}, ""},                // an outlier
      {{120, 0, 95, 130, 101, 0, 110}, "0x2"},          // blood glucose of the dead
      {{120, 0, 95, 130, 101, 110}, ""},
      {{1, 2, 0, 0, 3, 4, 5, 8, 0}, ""},  // an ordinary zero
      {{0, 1, 0, 1, 1}, ""},
      {{-1, 0, 1, -1, 1}, ""},          // a sign
      {{-1, 0.5, 1.5, 2.5, -0.5}, ""},  // ordinary negative numbers
      {{20, 35, 50, 65, 80, 99}, ""},   // an age
      {{20, 35, 50, 65, 80, 95, 999, 999}, "999x2"},
      {{-20, -5, 0, 7, 12, -9}, ""},  // temperatures
      {{5, 5, 5, 5}, ""},
      {{}, ""},
  };
  expect_all(cases);
}

TEST(FindSentinels, AsksForMoreOtherValuesWhereTheValueHasNoUsualLook) {
  expect_all({
      {{1e2, 1e3, 1e4, 1e5, 1e5}, ""},  // dilutions
      {{0, 10, 11, 12, 13, 0}, ""},
      {{0, 10, 11, 12, 13, 14, 0}, "0x2"},
      {{0, 10, 11, 12, 13, 14, 0, 0, 0, 0, 0}, ""},  // most have none
      {{0, 1, 0, 1, 1, 0}, ""},
      {{0, 1, 2, 0, 1, 2, 2}, ""},
      {{-1, 0, 1, 0, -1, 1, 1, -1}, ""},  // disagrees, neutral, agrees
      {{-2, -1, 0, 1, 2, -2, 2}, ""},
  });
}

TEST(FindSentinels, FindsTheCodesBesideAShortScale) {
  expect_all({
      {{1, 2, 3, 4, 5, 9, 9}, "9x2"},
      {{1, 2, 3, 4, 5, 9}, ""},  // once may be a slip
      {{1, 2, 3, 4, 8, 8, 9, 9}, "8x2 9x2"},
      {{1, 2, 3, 4, 5, 7, 7}, ""},  // 6 was not chosen
      {{1, 2, 3, 4, 5, 7, 7, 8, 8, 9, 9}, ""},
      {{0, 1, 2, 3, 4, 9, 9}, ""},  // a count
      {{1, 2, 4, 9, 9}, ""},
      {{1, 2, 3, 4, 5, 9, 9, 99}, "9x2 99x1"},
  });
}

TEST(Sentinels, DoNotHideEachOther) {
  expect_all({
      {{1, 4, 2, 7, 12, 11, 3, 98, 99, 98}, "98x2 99x1"},
      {{1, 4, 2, 7, 12, 11, 3, 97, 98, 99}, "97x1 98x1 99x1"},
      {{851, 1071, 4748, 5200, 2000, 3000, 8888, 8888, 9999, 9999}, "8888x2 9999x2"},
      {{20, 35, 41, 70, 52, 99, 99, 99}, "99x3"},
      {{20, 35, 41, 70, 52, 99}, ""},  // somebody is old
      {{851, 5200, 2000, 3000, 9000, 8888}, ""},
      {{90, 91, 94, 96, 97, 98, 99, 99, 98}, ""},
  });
}

}  // namespace
}  // namespace knockout
