// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/error.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

const std::vector<std::string> kNames = {"age", "bmi", "blood_pressure", "income"};

TEST(DidYouMean, SuggestsTheNameWithATypo) {
  EXPECT_EQ(did_you_mean("blod_pressure", kNames), " Did you mean \"blood_pressure\"?");
  EXPECT_EQ(did_you_mean("imcome", kNames), " Did you mean \"income\"?");
}

TEST(DidYouMean, IgnoresCase) {
  EXPECT_EQ(did_you_mean("AGE", kNames), " Did you mean \"age\"?");
  EXPECT_EQ(did_you_mean("Income", kNames), " Did you mean \"income\"?");
}

TEST(DidYouMean, TakesTheNearestOfSeveral) {
  EXPECT_EQ(did_you_mean("price_2", {"price_10", "price_3x", "price_22"}),
            " Did you mean \"price_22\"?");
}

TEST(DidYouMean, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("temperature", kNames), "");
  EXPECT_EQ(did_you_mean("x", kNames), "");
  EXPECT_EQ(did_you_mean("a", {"b"}), "");
  EXPECT_EQ(did_you_mean("a", {"b", "A"}), " Did you mean \"A\"?");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("age", {}), "");
}

TEST(DidYouMean, FindsTheNearestAmongManyNames) {
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back("measure_" + std::to_string(i));
  EXPECT_EQ(did_you_mean("measure_77777x", names), " Did you mean \"measure_77777\"?");
}

TEST(DidYouMean, PassesOverNamesThatTakeMinutesToCompare) {
  // 10^10 steps for each of them, were they compared letter by letter.
  const std::string unknown(100'000, 'x');
  const std::vector<std::string> names = {std::string(99'999, 'y'), std::string(100'001, 'z')};
  EXPECT_EQ(did_you_mean(unknown, names), "");
  EXPECT_EQ(did_you_mean("agee", {unknown, "age"}), " Did you mean \"age\"?");
}

TEST(Error, KindsAreDistinctAndShareABase) {
  const auto kind_of = [](auto thrower) {
    try {
      thrower();
    } catch (const ConfigError&) {
      return 2;
    } catch (const DataError&) {
      return 3;
    } catch (const ModelFileError&) {
      return 4;
    } catch (const FileError&) {
      return 5;
    } catch (const Error&) {
      return 1;
    }
    return 0;
  };
  EXPECT_EQ(kind_of([] { throw ConfigError("c"); }), 2);
  EXPECT_EQ(kind_of([] { throw DataError("d"); }), 3);
  EXPECT_EQ(kind_of([] { throw ModelFileError("m"); }), 4);
  EXPECT_EQ(kind_of([] { throw FileError("f"); }), 5);
}

}  // namespace
}  // namespace knockout
