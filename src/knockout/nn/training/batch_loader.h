// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/nn/training/dataset.h"

namespace knockout::nn {

/// The part of a batch that one process works on: rows [begin, end) of it.
struct BatchSlice {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// The slices of all processes lie side by side, cover the batch, and differ by a row at most.
BatchSlice slice_of_batch(std::int64_t batch_rows, int rank, int processes);

/// The order in which a training sees its rows: a new permutation for each pass over the data, one
/// after the other, cut into batches of equal size, so a batch may run across the end of a pass. A
/// pure function of (seed, step); keeps the last permutations only to save time. One thread.
class RowOrder {
 public:
  /// REQUIRES: 0 < rows < 2^32.
  RowOrder(std::size_t rows, std::int64_t batch_rows, std::uint64_t seed);
  /// Rows [slice.begin, slice.end) of the batch of a step.
  std::vector<std::size_t> rows_of_step(std::int64_t step, BatchSlice slice);

 private:
  const std::vector<std::size_t>& permutation(std::uint64_t pass);

  std::size_t rows_;
  std::int64_t batch_rows_;
  Random random_;
  std::map<std::uint64_t, std::vector<std::size_t>> permutations_;  ///< By pass.
};

/// Reads the batches of steps first_step, first_step + 1, ... ahead, on threads of its own. What it
/// gives depends on neither the number of threads nor their speed.
///   BatchLoader loader(data, {.batch_rows = 64, .slice = {0, 64}, .steps = 1000});
///   Batch batch = loader.next();
class BatchLoader {
 public:
  struct Options {
    std::int64_t batch_rows = 64;            ///< Over all processes.
    BatchSlice slice = {0, 64};              ///< This process's part.
    std::int64_t first_step = 0, steps = 0;  ///< Batches of [first_step, steps) are read.
    std::uint64_t seed = 0;
    int threads = 1;  ///< 0 = next() reads by itself.
  };
  /// Throws DataError for a data set without rows and ConfigError when the machine refuses to start
  /// the threads. `data` must outlive the loader.
  BatchLoader(const Dataset& data, const Options& options);
  /// Waits for the calls of Dataset::get that are under way.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The batch of the next step. Rethrows what Dataset::get threw for it.
  /// REQUIRES: fewer than steps - first_step calls before.
  Batch next();

 private:
  Batch read(const std::vector<std::size_t>& rows, std::int64_t step) const;
  void work();
  void stop();

  const Dataset& data_;
  Options options_;
  Random augmentation_;

  std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable changed_;
  RowOrder order_;
  std::int64_t next_to_read_, next_to_give_;
  std::map<std::int64_t, std::variant<Batch, std::exception_ptr>> ready_;  ///< By step.
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace knockout::nn
