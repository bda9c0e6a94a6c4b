// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/batch_loader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

/// Rows whose label is their number; counts its calls and fails for one row if told.
class NumberedRows : public Dataset {
 public:
  explicit NumberedRows(std::size_t rows) : rows_(rows) {}
  std::size_t size() const override { return rows_; }
  Batch get(std::span<const std::size_t> rows, const Random& random,
            std::uint64_t draw) const override {
    ++calls;
    // Later batches are ready first, so that a loader that gives them as they come is found out.
    if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(draw % 3 == 0 ? 4 : 0));
    std::vector<std::int64_t> labels(rows.begin(), rows.end());
    for (const std::size_t row : rows) {
      if (row == bad_row) throw DataError("row " + std::to_string(row) + " cannot be read");
    }
    return {{torch::tensor(random.uniform(draw, static_cast<std::uint32_t>(rows[0]), 0))},
            {},
            torch::tensor(labels),
            {rows.begin(), rows.end()}};
  }

  mutable std::atomic<int> calls = 0;
  bool slow = false;
  std::size_t bad_row = ~std::size_t{0};

 private:
  std::size_t rows_;
};

TEST(SliceOfBatch, CoversTheBatchWithSlicesThatDifferByOneRowAtMost) {
  for (const std::int64_t rows : {4, 10, 64, 67}) {
    for (const int processes : {1, 2, 3, 4}) {
      std::int64_t covered = 0;
      for (int rank = 0; rank < processes; ++rank) {
        const BatchSlice slice = slice_of_batch(rows, rank, processes);
        EXPECT_EQ(slice.begin, covered);
        EXPECT_GE(slice.size(), rows / processes);
        EXPECT_LE(slice.size(), (rows + processes - 1) / processes);
        covered = slice.end;
      }
      EXPECT_EQ(covered, rows);
    }
  }
}

TEST(RowOrder, ShowsEveryRowOncePerPassThoughBatchesRunAcrossItsEnd) {
  RowOrder order(7, 3, 5);
  std::vector<std::size_t> seen;
  for (std::int64_t step = 0; step < 14; ++step) {
    const auto rows = order.rows_of_step(step, {0, 3});
    ASSERT_EQ(rows.size(), 3U);
    seen.insert(seen.end(), rows.begin(), rows.end());
  }
  std::set<std::vector<std::size_t>> passes;
  for (auto pass = seen.begin(); pass != seen.end(); pass += 7) {
    EXPECT_EQ(std::set<std::size_t>(pass, pass + 7).size(), 7U);
    passes.emplace(pass, pass + 7);
  }
  EXPECT_EQ(passes.size(), 6U) << "passes repeat each other";
}

TEST(RowOrder, ShufflesEvenly) {
  // Over many passes of 4 rows, each row stands first about equally often.
  RowOrder order(4, 4, 1);
  std::vector<int> first(4);
  for (int step = 0; step < 4000; ++step) ++first[order.rows_of_step(step, {0, 1})[0]];
  for (const int count : first) EXPECT_NEAR(count, 1000, 5 * std::sqrt(4000 * 0.25 * 0.75));
}

TEST(RowOrder, IsAFunctionOfSeedAndStepAlone) {
  RowOrder all(10, 4, 3), late(10, 4, 3), other(10, 4, 4);
  std::vector<std::size_t> rows;
  for (int step = 0; step <= 9; ++step) rows = all.rows_of_step(step, {0, 4});
  EXPECT_EQ(late.rows_of_step(9, {0, 4}), rows);
  EXPECT_NE(other.rows_of_step(9, {0, 4}), rows);
}

TEST(RowOrder, GivesProcessesSlicesWhoseUnionIsTheBatch) {
  RowOrder whole(11, 10, 0);
  for (int step = 0; step < 5; ++step) {
    std::vector<std::size_t> joined;
    for (int rank = 0; rank < 4; ++rank) {
      RowOrder mine(11, 10, 0);
      const auto rows = mine.rows_of_step(step, slice_of_batch(10, rank, 4));
      joined.insert(joined.end(), rows.begin(), rows.end());
    }
    EXPECT_EQ(joined, whole.rows_of_step(step, {0, 10}));
  }
}

TEST(RowOrder, FillsABatchThatIsLargerThanTheData) {
  RowOrder order(2, 5, 0);
  const auto rows = order.rows_of_step(0, {0, 5});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_NE(rows[0], rows[1]);
  EXPECT_NE(rows[2], rows[3]);
}

TEST(BatchLoader, GivesTheSameBatchesWithAnyNumberOfThreads) {
  NumberedRows data(17);
  data.slow = true;
  const auto read_all = [&](int threads) {
    BatchLoader loader(data, {.batch_rows = 4,
                              .slice = {1, 4},
                              .first_step = 3,
                              .steps = 20,
                              .seed = 8,
                              .threads = threads});
    std::vector<std::pair<std::vector<std::size_t>, double>> batches;
    for (int step = 3; step < 20; ++step) {
      const Batch batch = loader.next();
      batches.emplace_back(batch.rows, batch.inputs[0].item<double>());
    }
    return batches;
  };
  const auto expected = read_all(0);
  EXPECT_EQ(expected[0].first, RowOrder(17, 4, 8).rows_of_step(3, {1, 4}));
  EXPECT_EQ(read_all(1), expected);
  EXPECT_EQ(read_all(4), expected);
}

TEST(BatchLoader, ReadsAheadButNotWithoutBound) {
  const NumberedRows data(10);
  BatchLoader loader(data, {.batch_rows = 2, .slice = {0, 2}, .steps = 1000, .threads = 2});
  const auto wait_for = [&](int calls) {
    for (int i = 0; i < 2000 && data.calls < calls; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  wait_for(4);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(data.calls, 4);
  loader.next();
  wait_for(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(data.calls, 5);
}

TEST(BatchLoader, PassesOnWhatTheDataSetThrewAtTheStepOfTheBadRow) {
  for (const int threads : {0, 2}) {
    NumberedRows data(8);
    RowOrder order(8, 2, 0);
    data.bad_row = order.rows_of_step(2, {0, 2})[1];
    BatchLoader loader(data, {.batch_rows = 2, .slice = {0, 2}, .steps = 4, .threads = threads});
    loader.next();
    loader.next();
    try {
      loader.next();
      FAIL() << "expected an error";
    } catch (const DataError& error) {
      EXPECT_EQ(error.what(), "row " + std::to_string(data.bad_row) + " cannot be read");
    }
  }
}

TEST(BatchLoader, RefusesDataWithoutRows) {
  EXPECT_THROW(BatchLoader(NumberedRows(0), {.steps = 1}), DataError);
}

/// From now on this process can have no more than the memory it has and a few threads' stacks.
void allow_only_a_few_more_threads() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE)) + (32 << 20);
  const rlimit limit = {bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST(BatchLoaderDeathTest, ThrowsWhenOnlySomeOfItsThreadsCanBeStarted) {
  const auto load = [] {
    const NumberedRows data(10);
    allow_only_a_few_more_threads();
    try {
      BatchLoader loader(data, {.batch_rows = 2, .slice = {0, 2}, .steps = 5000, .threads = 5000});
    } catch (const ConfigError& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(std::string(error.what()).starts_with("Thread 1 ") ? 2 : 0);  // some must start
    }
    std::_Exit(1);
  };
  EXPECT_EXIT(load(), testing::ExitedWithCode(0), "of 5000 that read.*");
}

TEST(TensorDataset, SelectsRowsOfInputsLabelsAndPresence) {
  const torch::Tensor x = torch::arange(12.0).view({4, 3});
  const torch::Tensor presence = torch::eye(4).to(torch::kBool).narrow(1, 0, 2);
  const TensorDataset data({x, {}}, torch::arange(4), presence);
  const std::vector<std::size_t> rows = {3, 0};
  const Batch batch = data.get(rows, Random(0, Stream::kShuffle), 0);
  EXPECT_EQ(batch.size(), 2);
  EXPECT_TRUE(torch::equal(batch.inputs[0],
                           torch::tensor({{9.0, 10.0, 11.0}, {0.0, 1.0, 2.0}}).to(x.dtype())));
  EXPECT_FALSE(batch.inputs[1].defined());
  EXPECT_TRUE(torch::equal(batch.labels, torch::tensor({3, 0}).to(batch.labels.dtype())));
  EXPECT_TRUE(torch::equal(batch.presence, torch::tensor({{false, false}, {true, false}})));
  EXPECT_TRUE(torch::equal(batch.to(torch::kCPU).labels, batch.labels));
}

TEST(TensorDataset, RefusesTensorsWithDifferentNumbersOfRows) {
  EXPECT_THROW(TensorDataset({torch::zeros({3, 2})}, torch::zeros({4})), DataError);
  EXPECT_THROW(TensorDataset({torch::zeros({4, 2})}, torch::zeros({4}), torch::ones({3, 1})),
               DataError);
  EXPECT_THROW(TensorDataset({torch::zeros({4, 2})}, torch::Tensor()), DataError);
}

}  // namespace
}  // namespace knockout::nn
