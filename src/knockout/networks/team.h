// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>

namespace knockout {

/// A few threads that work on the same steps together and meet at barriers. A training step lasts
/// tens of microseconds, so they wait for each other by spinning and give the core away only when
/// the wait is long (more threads than cores).
class Team {
 public:
  explicit Team(int size) : size_(size) {}

  /// Runs `work(rank)` on every rank at once; the caller is rank 0. When a rank throws, the others
  /// leave at their next meeting, and the exception is rethrown here.
  ///
  void run(const std::function<void(int rank)>& work);

  /// Returns when every rank has called it. What was written before is visible after.
  void wait_for_all();

  int size() const { return size_; }

 private:
  int size_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> round_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace knockout
