// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_sentinels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace knockout {
namespace {

std::string date_sentinels_in(const std::vector<WordCount>& words) {
  std::string text;
  for (const auto& [word, cells] : find_date_sentinels(words, {.order = DateOrder::kDayFirst})) {
    text += std::string(text.empty() ? "" : " ") + std::string(word) + "x" + std::to_string(cells);
  }
  return text;
}

TEST(FindDateSentinels, FindsUsualDatesFarFromTheRest) {
  const auto with = [](std::vector<WordCount> words) {
    for (const char* const date : {"2019-02-03", "2020-05-06", "2021-11-30"}) {
      words.push_back({date, 3});
    }
    return words;
  };
  EXPECT_EQ(date_sentinels_in(with({{"9999-12-31", 2}})), "9999-12-31x2");
  EXPECT_EQ(date_sentinels_in(with({{"9999-12-31 23:59:59", 2}})), "9999-12-31 23:59:59x2");
  EXPECT_EQ(date_sentinels_in(with({{"1900-01-01", 4}, {"9999-12-31", 2}})),
            "1900-01-01x4 9999-12-31x2");
  EXPECT_EQ(date_sentinels_in(with({{"01.01.1900", 2}})), "01.01.1900x2");
  EXPECT_EQ(date_sentinels_in(with({{"9999-12-31", 1}})), "");  // once may be a slip
  EXPECT_EQ(date_sentinels_in(with({{"1950-03-04", 5}})), "");  // somebody is old
}

TEST(FindDateSentinels, LeavesDatesAmongOthersAlone) {
  EXPECT_EQ(date_sentinels_in(
                {{"1900-01-01", 2}, {"1899-05-06", 1}, {"1901-02-03", 1}, {"1950-01-01", 1}}),
            "");
  EXPECT_EQ(date_sentinels_in({{"9999-12-31", 2}, {"2020-01-02", 5}}),
            "");  // too little to compare with
}

}  // namespace
}  // namespace knockout
