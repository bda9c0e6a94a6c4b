// SPDX-License-Identifier: Apache-2.0
// Training shared by several processes, here threads with an all-reduce of their own: what goes
// over a real network is tested in tests/distributed.
#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <functional>
#include <optional>
#include <sstream>
#include <thread>

#include "knockout/base/all_reduce.h"
#include "knockout/base/error.h"
#include "knockout/base/test_thread_group.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"

namespace knockout {
namespace {

/// What each of `size` processes gets; the first exception of any, as it was thrown.
std::vector<FitResult> fit_together(int size, const Table& table,
                                    const std::function<FitOptions(int rank)>& options) {
  ThreadGroup group(size);
  std::vector<std::optional<FitResult>> results(size);
  std::vector<std::exception_ptr> errors(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadGroup::Member member(group, rank);
      FitOptions mine = options(rank);
      mine.train.processes = &member;
      mine.train.threads = 1;
      try {
        results[rank] = fit(table, mine);
      } catch (...) {
        errors[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  std::vector<FitResult> fitted;
  for (auto& result : results) fitted.push_back(std::move(*result));
  return fitted;
}

Table shop_table() {
  const Random random(2, Stream::kSimulation);
  std::ostringstream csv;
  csv << "size,colour,price,sold\n";
  for (int r = 0; r < 500; ++r) {
    const double size = random.normal(0, r, 0);
    const bool red = random.uniform(0, r, 1) < 0.5;
    if (random.uniform(0, r, 2) < 0.1) {
      csv << ',';
    } else {
      csv << size << ',';
    }
    csv << (red ? "red" : "blue") << ',' << size + red << ',' << (size + red > 0.5 ? "yes" : "no")
        << '\n';
  }
  return read_csv_text(csv.str(), "shop.csv");
}

FitOptions options_with(int networks, int steps) {
  FitOptions options;
  options.schema.targets = {"price", "sold"};
  options.train.hidden = {24, 16};
  options.train.networks = networks;
  options.train.steps = steps;
  options.train.batch_rows = 301;  // does not divide evenly, and is more than one shard
  options.train.dropout = 0.1;
  options.train.seed = 5;
  return options;
}

std::vector<double> predictions(const FitResult& fitted, const Table& table) {
  std::vector<double> all;
  for (const TargetPrediction& target : fitted.model.predict(table)) {
    all.insert(all.end(), target.values.begin(), target.values.end());
  }
  return all;
}

TEST(FitWithProcesses, SharesNetworksAndGivesTheSameModelBitForBit) {
  const Table table = shop_table();
  const FitResult alone = fit(table, options_with(4, 60));
  const std::vector<double> expected = predictions(alone, table);
  for (const int size : {2, 3, 4}) {
    const auto fitted = fit_together(size, table, [](int) { return options_with(4, 60); });
    for (const FitResult& result : fitted) {
      EXPECT_EQ(predictions(result, table), expected) << size << " processes";
      for (int n = 0; n < 4; ++n) {
        EXPECT_EQ(result.report.members[n].best_step, alone.report.members[n].best_step);
        EXPECT_EQ(result.report.members[n].validation_loss,
                  alone.report.members[n].validation_loss);
      }
    }
  }
}

TEST(FitWithProcesses, SharesTheRowsOfAStepAndGivesTheSameModelUpToRounding) {
  const Table table = shop_table();
  const FitResult alone = fit(table, options_with(1, 60));
  const std::vector<double> expected = predictions(alone, table);
  for (const int size : {2, 3}) {
    const auto fitted = fit_together(size, table, [](int) { return options_with(1, 60); });
    const std::vector<double> first = predictions(fitted[0], table);
    for (const FitResult& result : fitted) EXPECT_EQ(predictions(result, table), first);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(first[i], expected[i], 1e-4) << i;
    EXPECT_EQ(fitted[0].report.members[0].steps, alone.report.members[0].steps);
    EXPECT_NEAR(fitted[0].report.members[0].training_loss, alone.report.members[0].training_loss,
                1e-5);
    EXPECT_NEAR(fitted[0].report.members[0].validation_loss,
                alone.report.members[0].validation_loss, 1e-5);
  }
}

TEST(FitWithProcesses, KeepsInStepUnderATimeLimit) {
  const auto fitted = fit_together(2, shop_table(), [](int) {
    FitOptions options = options_with(1, 1 << 30);
    options.train.time_limit_seconds = 0.2;
    options.train.patience = 1000;  // so that only the clock can end it
    return options;
  });
  EXPECT_TRUE(fitted[0].report.members[0].out_of_time);
  EXPECT_EQ(fitted[0].report.members[0].steps, fitted[1].report.members[0].steps);
}

TEST(FitWithProcesses, RefusesProcessesThatDoDifferentWork) {
  const Table table = shop_table();
  EXPECT_THROW(fit_together(2, table,
                            [](int rank) {
                              FitOptions options = options_with(1, 60);
                              options.train.seed = rank;
                              return options;
                            }),
               PeerError);
}

TEST(FitWithProcesses, RefusesMoreProcessesThanRows) {
  EXPECT_THROW(fit_together(3, shop_table(),
                            [](int) {
                              FitOptions options = options_with(1, 10);
                              options.train.batch_rows = 2;
                              return options;
                            }),
               ConfigError);
}

TEST(RequireSame, TellsEveryProcessOfADifference) {
  ThreadGroup group(3);
  std::vector<int> refused(3);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadGroup::Member member(group, rank);
      EXPECT_NO_THROW(require_same(member, "the text", "same"));
      try {
        require_same(member, "the text", rank == 2 ? "other" : "same");
      } catch (const PeerError& error) {
        refused[rank] = std::string(error.what()).find("the text") != std::string::npos;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, (std::vector<int>{1, 1, 1}));
}

}  // namespace
}  // namespace knockout
