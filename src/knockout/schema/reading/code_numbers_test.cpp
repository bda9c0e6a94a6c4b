// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/code_numbers.h"

#include <gtest/gtest.h>

#include <vector>

namespace knockout {
namespace {

using Numbers = std::vector<double>;

TEST(CodeNumbers, AreToldByTheName) {
  const Numbers zips = {73301, 98101, 60601, 98101};
  EXPECT_TRUE(are_code_numbers("zip", zips));
  EXPECT_TRUE(are_code_numbers("code_postal", zips));
  EXPECT_FALSE(are_code_numbers("income", zips));
  EXPECT_FALSE(are_code_numbers("zip", Numbers{73301, 98101, 60601.5}));
  EXPECT_FALSE(are_code_numbers("phone", Numbers{0, 1, 2, 3, 1}));  // how many there are
  EXPECT_FALSE(are_code_numbers("zip", Numbers{}));
}

TEST(CodeNumbers, AreKeysThatRepeat) {
  EXPECT_TRUE(are_code_numbers("customer_id", Numbers{230, 214, 211, 230}));
  EXPECT_TRUE(are_code_numbers("shopId", Numbers{1, 2, 3, 3}));
  EXPECT_FALSE(are_code_numbers("order_id", Numbers{10083, 10187, 10140}));  // names the row
  EXPECT_FALSE(are_code_numbers("patient_id", Numbers{1, 1, 2, 2, 3, 3}));   // a visit each
  EXPECT_FALSE(are_code_numbers("covid_id", Numbers{0, 1, 1, 0}));
}

TEST(CodeNumbers, AreLongAndOfOneLength) {
  EXPECT_TRUE(are_code_numbers("item", Numbers{8710398526045, 4006381333931, 3017620422003}));
  EXPECT_FALSE(are_code_numbers("id", Numbers{8710398526045, 4006381333931, 3017620422003}));
  EXPECT_FALSE(are_code_numbers("gdp", Numbers{8710398526045, 40063813339, 3017620422003}));
  EXPECT_FALSE(are_code_numbers("item", Numbers{87103985260, 40063813339, 30176204220}));
}

TEST(CodeNumbers, AreVersionsWithAPoint) {
  EXPECT_TRUE(are_code_numbers("app_version", Numbers{1.2, 1.1, 2, 1.2}));
  EXPECT_FALSE(are_code_numbers("version", Numbers{1, 2, 3, 1}));  // steps
  EXPECT_FALSE(are_code_numbers("conversion", Numbers{1.2, 1.1, 2, 1.2}));
}

}  // namespace
}  // namespace knockout
