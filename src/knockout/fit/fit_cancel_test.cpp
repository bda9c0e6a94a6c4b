// SPDX-License-Identifier: Apache-2.0
// A training that is asked to stop ends with Cancelled, whatever it is at. The trainings below
// would take days: that a test ends at all is what it shows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/stop.h"
#include "knockout/base/test_thread_group.h"
#include "knockout/fit/fit.h"
#include "knockout/networks/checkpoint.h"

namespace knockout {
namespace {

using namespace std::chrono_literals;

Table number_table(std::size_t rows, int columns) {
  const Random random(8, Stream::kSimulation);
  std::vector<double> sum(rows, 0.0);
  std::vector<Column> made;
  for (int c = 0; c < columns; ++c) {
    std::vector<double> numbers(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      numbers[r] = random.normal(0, static_cast<std::uint32_t>(r), c);
      sum[r] += numbers[r];
    }
    made.push_back(Column::numbers("x" + std::to_string(c), std::move(numbers)));
  }
  made.push_back(Column::numbers("y", std::move(sum)));
  return Table(std::move(made), "numbers");
}

FitOptions endless(std::stop_token stop, int threads = 2, int networks = 2) {
  FitOptions options;
  options.schema.targets = {"y"};
  options.train.networks = networks;
  options.train.steps = 1'000'000'000;
  options.train.threads = threads;
  options.train.stop = std::move(stop);
  return options;
}

/// Asks to stop after a while, from a thread of its own.
std::jthread ask_after(std::chrono::milliseconds time, std::stop_source& source) {
  return std::jthread([time, &source] {
    std::this_thread::sleep_for(time);
    source.request_stop();
  });
}

TEST(CancelFit, EndsATrainingFromAnotherThread) {
  const Table table = number_table(5000, 6);
  for (const auto& [threads, networks] : {std::pair(1, 2), std::pair(2, 2), std::pair(4, 1)}) {
    std::stop_source source;
    const std::jthread other = ask_after(300ms, source);
    EXPECT_THROW(fit(table, endless(source.get_token(), threads, networks)), Cancelled)
        << threads << " threads, " << networks << " networks";
  }
}

TEST(CancelFit, EndsOneThatHasHardlyBegun) {
  const Table table = number_table(200000, 10);
  for (const auto time : {0ms, 2ms, 10ms, 40ms}) {
    std::stop_source source;
    const std::jthread other = ask_after(time, source);
    EXPECT_THROW(fit(table, endless(source.get_token())), Cancelled);
  }
}

TEST(CancelFit, DoesNothingWhenItWasAskedBefore) {
  std::stop_source source;
  source.request_stop();
  FitOptions options = endless(source.get_token());
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      ("knockout_cancel_before_" + std::to_string(getpid()));
  options.train.checkpoint_folder = folder.string();
  EXPECT_THROW(fit(number_table(100, 2), options), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(CancelFit, IsLookedForByEveryPartOfThePreparation) {
  const Table table = number_table(100, 2);
  const InferredSchema inferred = infer_schema(table, {.targets = {"y"}});
  const Encoder encoder = Encoder::fit(table, inferred.schema);
  const std::vector<TargetCoding> targets = code_targets(table, inferred.schema);
  Examples examples;
  examples.inputs = encoder.encode(table);
  label_examples(table, inferred.schema, targets, {}, examples);
  const KnockoutPlan plan = make_plan({"x0", "x1"}, {false, false}, {});
  const ResolvedTraining train = resolve({}, table.rows());

  std::stop_source source;
  source.request_stop();
  const StopScope scope(source.get_token());
  EXPECT_THROW(infer_schema(table, {.targets = {"y"}}), Cancelled);
  EXPECT_THROW(Encoder::fit(table, inferred.schema), Cancelled);
  EXPECT_THROW(encoder.encode(table), Cancelled);
  EXPECT_THROW(code_targets(table, inferred.schema), Cancelled);
  EXPECT_THROW(label_examples(table, inferred.schema, targets, {}, examples), Cancelled);
  EXPECT_THROW(identity_of(examples, encoder, plan, train), Cancelled);
}

TEST(CancelFit, GoesOnLaterFromItsCheckpoints) {
  const Table table = number_table(300, 3);
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("knockout_cancel_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  FitOptions options;
  options.schema.targets = {"y"};
  options.train = {.hidden = {{16}},
                   .networks = 2,
                   .batch_rows = 64,
                   .steps = 300,
                   .checkpoint_seconds = 0,
                   .threads = 2};
  const std::string uninterrupted = fit(table, options).model.to_bytes();

  options.train.checkpoint_folder = folder.string();
  std::stop_source source;
  options.train.stop = source.get_token();
  int reports = 0;
  EXPECT_THROW(fit(table, options,
                   [&](const TrainProgress&) {
                     if (++reports == 30) source.request_stop();
                   }),
               Cancelled);
  options.train.stop = {};
  const FitResult resumed = fit(table, options);
  EXPECT_GT(resumed.report.resumed_steps, 0U);
  // The folder of checkpoints is no part of what is learned, and the model is the same.
  EXPECT_EQ(resumed.model.to_bytes(), uninterrupted);
  std::filesystem::remove_all(folder);
}

TEST(CancelFit, EndsAllProcessesWhenOneIsAskedWhileTheyTrain) {
  const Table table = number_table(2000, 4);
  for (const int networks : {1, 2}) {  // shared rows, shared networks
    ThreadGroup group(2);
    std::stop_source sources[2];
    std::exception_ptr errors[2];
    {
      std::vector<std::jthread> processes;
      for (int rank = 0; rank < 2; ++rank) {
        processes.emplace_back([&, rank] {
          ThreadGroup::Member member(group, rank);
          FitOptions options = endless(sources[rank].get_token(), 1, networks);
          options.train.steps = 50000;  // 50 reports
          options.train.processes = &member;
          try {
            fit(table, options, [&](const TrainProgress&) {
              if (rank == 1) sources[rank].request_stop();
            });
          } catch (...) {
            errors[rank] = std::current_exception();
          }
        });
      }
    }
    for (const std::exception_ptr& error : errors) {
      ASSERT_NE(error, nullptr);
      EXPECT_THROW(std::rethrow_exception(error), Cancelled) << networks << " networks";
    }
  }
}

}  // namespace
}  // namespace knockout
