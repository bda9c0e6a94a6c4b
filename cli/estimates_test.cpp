// SPDX-License-Identifier: Apache-2.0
#include "cli/estimates.h"

#include <gtest/gtest.h>

namespace knockout::cli {
namespace {

TEST(EstimateText, HasAsManyDecimalsAsTheIntervalBearsOut) {
  EXPECT_EQ(estimate_text({.value = 0.41234, .standard_error = 0.0107}), "0.412 +- 0.021");
  EXPECT_EQ(estimate_text({.value = 0.41234, .standard_error = 0.0107}, true), "+0.412 +- 0.021");
  EXPECT_EQ(estimate_text(kNoEstimate), "-");
}

}  // namespace
}  // namespace knockout::cli
