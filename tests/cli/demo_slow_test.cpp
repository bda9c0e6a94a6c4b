// SPDX-License-Identifier: Apache-2.0
// The demo shows what the paper claims.
#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

using Demo = CommandTest;

TEST_F(Demo, KnockoutStaysNearTheOptimumWhereMeanImputationDoesNot) {
  const Outcome outcome = run({"demo", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  const auto& levels = result["mean_squared_error"];
  ASSERT_EQ(levels.size(), 7U);
  for (const auto& level : levels) {
    const double knockout = level["knockout"], bayes = level["bayes"];
    EXPECT_GT(knockout, 0.9 * bayes) << level;
    EXPECT_LT(knockout, 2.0 * bayes) << level;
    if (level["missing"] == 0) continue;
    EXPECT_LT(knockout, 0.6 * level["mean_imputation"].get<double>()) << level;
  }
}

TEST_F(Demo, PrintsATableForPeople) {
  const Outcome outcome = run({"demo", "--steps", "30"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "missing inputs  Knockout  mean imputation  best possible"))
      << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace knockout::test
