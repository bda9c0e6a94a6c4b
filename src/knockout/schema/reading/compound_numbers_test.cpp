// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/compound_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace knockout {
namespace {

CompoundNumber compound_of(const std::vector<std::string>& words) {
  std::vector<WordCount> counts;
  for (const std::string& word : words) counts.push_back({word, 1});
  return find_compound(counts);
}

struct CompoundCase {
  const char* cell;
  double value;
};

TEST(CompoundNumbers, ReadFeetAndInchesAsInches) {
  for (const CompoundCase& known : std::vector<CompoundCase>{{"5'11\"", 71},
                                                             {"5' 11\"", 71},
                                                             {"6'", 72},
                                                             {"5’4”", 64},
                                                             {"5 ft 10 in", 70},
                                                             {"5′0.5″", 60.5},
                                                             {"5'11", 71}}) {
    EXPECT_EQ(read_compound(known.cell, CompoundNumber::kFeet), known.value) << known.cell;
  }
  for (const char* const cell : {"5'12\"", "five", "5'11\"x", "'11"}) {
    EXPECT_FALSE(read_compound(cell, CompoundNumber::kFeet)) << cell;
  }
}

TEST(CompoundNumbers, ReadDegreesMinutesAndSecondsWithTheirSide) {
  for (const CompoundCase& known : std::vector<CompoundCase>{{"52°30'N", 52.5},
                                                             {"52°30'36\"S", -52.51},
                                                             {"13° 24′ E", 13.4},
                                                             {"0°15'0\"W", -0.25},
                                                             {"52.52° N", 52.52},
                                                             {"-33°45'", -33.75},
                                                             {"7°06.6'E", 7.11}}) {
    const auto value = read_compound(known.cell, CompoundNumber::kDegrees);
    ASSERT_TRUE(value) << known.cell;
    EXPECT_NEAR(*value, known.value, 1e-12) << known.cell;
  }
  for (const char* const cell :
       {"52°61'N", "52°30'70\"N", "23°", "-5°10'S", "52°30'O", "400°10'N"}) {
    EXPECT_FALSE(read_compound(cell, CompoundNumber::kDegrees)) << cell;
  }
}

TEST(CompoundNumbers, ReadFractionsBesideWholeNumbers) {
  for (const CompoundCase& known : std::vector<CompoundCase>{
           {"1 1/2", 1.5}, {"3/8\"", 0.375}, {"2", 2}, {"1-3/4", 1.75}, {"2½", 2.5}, {"¼", 0.25}}) {
    EXPECT_EQ(read_compound(known.cell, CompoundNumber::kFractions), known.value) << known.cell;
  }
  for (const char* const cell : {"7/2", "1/7", "1/0", "1 5/4", "120/80"}) {
    EXPECT_FALSE(read_compound(cell, CompoundNumber::kFractions)) << cell;
  }
}

TEST(CompoundNumbers, AreFoundFromTheWholeColumn) {
  EXPECT_EQ(compound_of({"5'11\"", "6'2\"", "n/a"}), CompoundNumber::kFeet);
  EXPECT_EQ(compound_of({"52°30'N", "48°10'N", "?"}), CompoundNumber::kDegrees);
  EXPECT_EQ(compound_of({"1 1/2", "2", "2 1/4", "3"}), CompoundNumber::kFractions);
}

TEST(CompoundNumbers, LeaveAloneWhatMeansSomethingElse) {
  EXPECT_EQ(compound_of({"5 ft", "6 ft", "7 ft"}), CompoundNumber::kNone) << "a unit";
  EXPECT_EQ(compound_of({"1/2", "3/4", "5/8"}), CompoundNumber::kNone) << "days, odds or marks";
  EXPECT_EQ(compound_of({"23°", "25°"}), CompoundNumber::kNone);
  EXPECT_EQ(compound_of({"1", "2", "3"}), CompoundNumber::kNone);
  EXPECT_EQ(compound_of({"it's", "don't"}), CompoundNumber::kNone);
}

TEST(CompoundNumbers, HaveNamesForFiles) {
  for (const CompoundNumber form :
       {CompoundNumber::kFeet, CompoundNumber::kDegrees, CompoundNumber::kFractions}) {
    EXPECT_EQ(find_compound_name(name_of(form)), form);
  }
  EXPECT_FALSE(find_compound_name("none"));
}

}  // namespace
}  // namespace knockout
