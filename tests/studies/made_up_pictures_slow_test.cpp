// SPDX-License-Identifier: Apache-2.0
#include "made_up_data.h"

namespace knockout::test {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Studies, MadeUpData,
    testing::Values(StudyCase{.study = "privileged",  // where everything is always missing
                              .scores = "/scores",
                              .complete = "",
                              .chance = 0.1,
                              .more_for_control = {"--repetitions", "2", "--training-images",
                                                   "500"}},
                    // With three seeds the interval says little: +0.06 (-0.02 to +0.14).
                    StudyCase{.study = "food101",
                              .scores = "/scores",
                              .complete = "/scores",
                              .chance = 0.2,
                              .more = {"--repetitions", "6"}}),
    name_of);

}  // namespace
}  // namespace knockout::test
