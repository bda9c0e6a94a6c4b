// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/train_options.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

TEST(Resolve, ChoosesWhatNobodySaid) {
  const ResolvedTraining resolved = resolve({}, 2000);
  EXPECT_EQ(resolved.hidden, (std::vector{128, 128}));
  EXPECT_EQ(resolved.networks, 5);
  EXPECT_EQ(resolved.steps, 3400);
  EXPECT_EQ(resolve({}, 10).steps, 1000);
  EXPECT_EQ(resolve({}, 1'000'000).steps, 20000);
  EXPECT_EQ(resolve({.optimizer = Optimizer::kSgd}, 100).learning_rate, 0.05);
}

TEST(Resolve, KeepsEverythingThatWasSaid) {
  const TrainOptions said{.architecture = Architecture::kResidual,
                          .learned_placeholders = true,
                          .hidden = {{7}},
                          .networks = 3,
                          .batch_rows = 64,
                          .mask_per = MaskPer::kStep,
                          .steps = 12,
                          .learning_rate = 0.5,
                          .optimizer = Optimizer::kSgd,
                          .schedule = Schedule::kStep,
                          .step_decays_at = {0.5},
                          .step_decay = 0.3,
                          .momentum = 0.1,
                          .weight_decay = 0,
                          .dropout = 0.25,
                          .validation_share = 0,
                          .patience = 2,
                          .averaging = 0.5,
                          .embedding_dimension = 4,
                          .seed = 9,
                          .time_limit_seconds = 30,
                          .checkpoint_seconds = 5,
                          .threads = 2};
  const ResolvedTraining resolved = resolve(said, 1000);
  EXPECT_EQ(resolved.architecture, Architecture::kResidual);
  EXPECT_TRUE(resolved.learned_placeholders);
  EXPECT_EQ(resolved.hidden, std::vector{7});
  EXPECT_EQ(resolved.networks, 3);
  EXPECT_EQ(resolved.batch_rows, 64);
  EXPECT_FALSE(resolved.full_batch);
  EXPECT_EQ(resolved.mask_per, MaskPer::kStep);
  EXPECT_EQ(resolved.steps, 12);
  EXPECT_EQ(resolved.learning_rate, 0.5);
  EXPECT_EQ(resolved.optimizer, Optimizer::kSgd);
  EXPECT_EQ(resolved.schedule, Schedule::kStep);
  EXPECT_EQ(resolved.step_decays_at, std::vector{0.5});
  EXPECT_EQ(resolved.step_decay, 0.3);
  EXPECT_EQ(resolved.momentum, 0.1);
  EXPECT_EQ(resolved.weight_decay, 0);
  EXPECT_EQ(resolved.dropout, 0.25);
  EXPECT_EQ(resolved.validation_share, 0);
  EXPECT_EQ(resolved.patience, 2);
  EXPECT_EQ(resolved.averaging, 0.5);
  EXPECT_EQ(resolved.embedding_dimension, 4);
  EXPECT_EQ(resolved.seed, 9U);
  EXPECT_EQ(resolved.time_limit_seconds, 30);
  EXPECT_EQ(resolved.checkpoint_seconds, 5);
  EXPECT_EQ(resolved.threads, 2);
}

TEST(Resolve, TakesAllRowsAStepWhateverTheirNumber) {
  for (const std::size_t rows : {7U, 3000U, 15000U}) {
    EXPECT_EQ(resolve({.full_batch = true}, rows).batch_rows, static_cast<int>(rows));
  }
  EXPECT_THROW(resolve({.batch_rows = 64, .full_batch = true}, 100), ConfigError);
}

TEST(Resolve, RefusesNoLayersTooManyAndLimitsBesideCheckpoints) {
  EXPECT_THROW(resolve({.hidden = std::vector<int>{}}, 100), ConfigError);
  EXPECT_THROW(resolve({.hidden = std::vector<int>(101, 8)}, 100), ConfigError);
  EXPECT_THROW(resolve({.time_limit_seconds = 5, .checkpoint_folder = "d"}, 100), ConfigError);
}

}  // namespace
}  // namespace knockout
