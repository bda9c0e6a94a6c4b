// SPDX-License-Identifier: Apache-2.0
#include "made_up_data.h"

namespace knockout::test {
namespace {

// An AUC over the two dozen patients with cancer of a test part is noisy.
INSTANTIATE_TEST_SUITE_P(Studies, MadeUpData,
                         testing::Values(StudyCase{.study = "tumor",
                                                   .scores = "/scores",
                                                   .complete = "/scores",
                                                   .chance = 0.2,  // where tumors tend to lie
                                                   .more_for_control = {"--repetitions", "2"}},
                                         StudyCase{.study = "prostate",
                                                   .scores = "/scores/auc",
                                                   .complete = "/scores/auc",
                                                   .control_tie = 0.1,
                                                   .chance = 0.5,
                                                   .more_for_control = {"--repetitions", "2"}}),
                         name_of);

}  // namespace
}  // namespace knockout::test
