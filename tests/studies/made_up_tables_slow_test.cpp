// SPDX-License-Identifier: Apache-2.0
#include "made_up_data.h"

namespace knockout::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Studies, MadeUpData,
                         testing::Values(StudyCase{.study = "alzheimers",
                                                   .scores = "/scores",
                                                   .complete = "/groups/complete/scores",
                                                   .tie = 0.03,
                                                   .control_tie = 0.03,
                                                   .chance = 0.5,
                                                   .more = {"--repetitions", "10"},
                                                   .more_for_control = {"--repetitions", "10"}},
                                         StudyCase{.study = "trees",
                                                   .scores = "/scores/resnet50",
                                                   .complete = "/scores/resnet50",
                                                   .chance = 0.1,
                                                   .method = "knockout-structured"}),
                         name_of);

}  // namespace
}  // namespace knockout::test
