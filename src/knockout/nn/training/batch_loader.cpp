// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/batch_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <system_error>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/data/split.h"

namespace knockout::nn {
namespace {

constexpr std::int64_t kBatchesAheadPerThread = 2;

const Dataset& with_rows(const Dataset& data) {
  if (data.size() == 0) throw DataError("The training data have no rows.");
  if (data.size() > 0xffffffffULL) throw DataError("The training data have 2^32 rows or more.");
  return data;
}

}  // namespace

BatchSlice slice_of_batch(std::int64_t batch_rows, int rank, int processes) {
  return {batch_rows * rank / processes, batch_rows * (rank + 1) / processes};
}

RowOrder::RowOrder(std::size_t rows, std::int64_t batch_rows, std::uint64_t seed)
    : rows_(rows), batch_rows_(batch_rows), random_(seed, Stream::kShuffle) {}

const std::vector<std::size_t>& RowOrder::permutation(std::uint64_t pass) {
  auto [found, is_new] = permutations_.try_emplace(pass);
  if (is_new) found->second = shuffled_rows(rows_, random_, pass);
  // Steps are asked for in order, so that older passes will not be needed again.
  permutations_.erase(permutations_.begin(), found);
  return found->second;
}

std::vector<std::size_t> RowOrder::rows_of_step(std::int64_t step, BatchSlice slice) {
  std::vector<std::size_t> rows;
  rows.reserve(slice.size());
  for (std::int64_t i = slice.begin; i < slice.end; ++i) {
    const auto position = static_cast<std::uint64_t>(step * batch_rows_ + i);
    rows.push_back(permutation(position / rows_)[position % rows_]);
  }
  return rows;
}

BatchLoader::BatchLoader(const Dataset& data, const Options& options)
    : data_(with_rows(data)),
      options_(options),
      augmentation_(options.seed, Stream::kAugment),
      order_(data.size(), options.batch_rows, options.seed),
      next_to_read_(options.first_step),
      next_to_give_(options.first_step) {
  const std::int64_t threads =
      std::clamp<std::int64_t>(options.steps - options.first_step, 0, options.threads);
  threads_.reserve(threads);
  try {
    for (std::int64_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& failure) {
    stop();  // those that have started, which nobody would join
    throw ConfigError(
        fmt::format("Thread {} of {} that read batches ahead cannot be started: {}.\n"
                    "  Set loader_threads to fewer, or raise the limits of the machine "
                    "(`ulimit -a` shows them).",
                    threads_.size() + 1, threads, failure.code().message()));
  }
}

BatchLoader::~BatchLoader() { stop(); }

void BatchLoader::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Batch BatchLoader::read(const std::vector<std::size_t>& rows, std::int64_t step) const {
  return data_.get(rows, augmentation_, static_cast<std::uint64_t>(step));
}

void BatchLoader::work() {
  const std::int64_t most_ahead = kBatchesAheadPerThread * options_.threads;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || next_to_read_ < next_to_give_ + most_ahead; });
    if (stopping_ || next_to_read_ >= options_.steps) return;
    const std::int64_t step = next_to_read_++;
    const std::vector<std::size_t> rows = order_.rows_of_step(step, options_.slice);
    lock.unlock();
    std::variant<Batch, std::exception_ptr> result;
    try {
      result = read(rows, step);
    } catch (...) {
      result = std::current_exception();
    }
    lock.lock();
    ready_.emplace(step, std::move(result));
    changed_.notify_all();
  }
}

Batch BatchLoader::next() {
  assert(next_to_give_ < options_.steps);
  std::unique_lock lock(mutex_);
  const std::int64_t step = next_to_give_++;
  if (threads_.empty()) return read(order_.rows_of_step(step, options_.slice), step);
  changed_.notify_all();
  changed_.wait(lock, [&] { return ready_.contains(step); });
  auto result = std::move(ready_.extract(step).mapped());
  if (auto* failure = std::get_if<std::exception_ptr>(&result)) std::rethrow_exception(*failure);
  return std::get<Batch>(std::move(result));
}

}  // namespace knockout::nn
