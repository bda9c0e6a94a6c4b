// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/team.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace knockout {

namespace {

/// How a rank leaves a meeting to which another rank will never come.
struct Abandoned {};

}  // namespace

void Team::run(const std::function<void(int rank)>& work) {
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto fail = [&](std::exception_ptr error) {
    const std::lock_guard lock(mutex);
    if (!first_error) first_error = std::move(error);
    failed_ = true;
  };
  const auto guarded = [&](int rank) {
    try {
      work(rank);
    } catch (const Abandoned&) {
    } catch (...) {
      fail(std::current_exception());
    }
  };
  arrived_ = 0;
  failed_ = false;
  {
    std::vector<std::jthread> others;
    try {
      for (int rank = 1; rank < size_; ++rank) others.emplace_back(guarded, rank);
    } catch (...) {
      fail(std::current_exception());  // no more threads to be had: those that started must go
    }
    if (!failed_) guarded(0);
  }
  if (first_error) std::rethrow_exception(first_error);
}

void Team::wait_for_all() {
  if (size_ == 1) return;
  const unsigned round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  constexpr int kSpins = 2000;
  for (int spin = 0; round_.load(std::memory_order_acquire) == round; ++spin) {
    if (failed_.load(std::memory_order_relaxed)) throw Abandoned();
    if (spin < kSpins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace knockout
