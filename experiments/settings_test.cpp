// SPDX-License-Identifier: Apache-2.0
#include "experiments/settings.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

struct Options {
  int depth = 28;
  double rate = 0.1;
  std::vector<int> decays = {36, 72};
  std::string dataset = "a";
  bool augment = true;
};

Settings settings_of(Options& options) {
  Settings settings;
  settings.add({.name = "depth", .field = &options.depth, .help = "", .quick = 10, .least = 10});
  settings.add({.name = "rate", .field = &options.rate, .help = "", .least = 0, .most = 1});
  settings.add({.name = "decays",
                .field = &options.decays,
                .help = "",
                .quick = std::vector<int>{2, 4},
                .least = 0});
  settings.add({.name = "dataset", .field = &options.dataset, .help = "", .choices = {"a", "bee"}});
  settings.add({.name = "augment", .field = &options.augment, .help = "", .quick = false});
  return settings;
}

std::string refusal(const Settings& settings) {
  try {
    settings.check();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Settings, TakesQuickValuesExceptWhereAPersonSaidOtherwise) {
  Options options;
  Settings settings = settings_of(options);
  options.depth = 16;
  settings.make_quick({"depth"});
  EXPECT_EQ(options.depth, 16);
  EXPECT_EQ(options.decays, (std::vector<int>{2, 4}));
  EXPECT_FALSE(options.augment);
  EXPECT_EQ(options.rate, 0.1) << "has no quick value";
}

TEST(Settings, NamesTheFlagOfAValueOutOfRange) {
  Options options;
  const Settings settings = settings_of(options);
  EXPECT_EQ(refusal(settings), "");
  options.rate = 1.5;
  EXPECT_EQ(refusal(settings), "--rate 1.5: expected 0 to 1.");
  options.rate = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(settings), "");
  options.rate = 0;
  options.depth = 9;
  EXPECT_EQ(refusal(settings), "--depth 9: expected 10 or more.");
  options.depth = 10;
  options.decays = {3, -1};
  EXPECT_EQ(refusal(settings), "--decays -1: expected 0 or more.");
  options.decays = {};
  options.dataset = "beee";
  EXPECT_EQ(refusal(settings), "--dataset beee: expected a or bee. Did you mean \"bee\"?");
}

TEST(Settings, WritesDownTheValuesOfNowInTheOrderAdded) {
  Options options;
  const Settings settings = settings_of(options);
  options.depth = 40;
  EXPECT_EQ(settings.values().dump(),
            R"({"depth":40,"rate":0.1,"decays":[36,72],"dataset":"a","augment":true})");
}

}  // namespace
}  // namespace knockout::experiments
