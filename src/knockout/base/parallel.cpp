// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "knockout/base/stop.h"

namespace knockout {

int resolve_threads(int threads) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return threads > 0 ? std::min(threads, std::max(16, 2 * cores)) : cores;
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  const std::size_t workers = std::min<std::size_t>(count, resolve_threads(threads));
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) {
      throw_if_stopped();
      body(i);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first_error;
  const std::stop_token stop = current_stop_token();
  const auto work = [&] {
    const StopScope scope(stop);
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        throw_if_stopped();
        body(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_error) first_error = std::current_exception();
      next = count;  // nobody starts another index
    }
  };
  std::vector<std::jthread> others;
  others.reserve(workers - 1);
  try {
    for (std::size_t w = 1; w < workers; ++w) others.emplace_back(work);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that run, this one included, do the work.
  }
  work();
  others.clear();  // joins
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace knockout
