// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <span>
#include <vector>

#include "knockout/base/all_reduce.h"

namespace knockout {

/// For tests: threads that play processes and add up in the order of their ranks.
class ThreadGroup {
 public:
  explicit ThreadGroup(int size) : barrier_(size), parts_(size) {}

  class Member : public AllReduce {
   public:
    Member(ThreadGroup& group, int rank) : group_(group), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(group_.parts_.size()); }
    void sum(std::span<float> values) override { add_up(values); }
    void sum(std::span<double> values) override { add_up(values); }

   private:
    void add_up(auto values) {
      group_.parts_[rank_].assign(values.begin(), values.end());
      group_.barrier_.arrive_and_wait();
      for (std::size_t i = 0; i < values.size(); ++i) {
        double total = 0;
        for (const std::vector<double>& part : group_.parts_) total += part[i];
        values[i] = static_cast<typename decltype(values)::value_type>(total);
      }
      group_.barrier_.arrive_and_wait();
    }
    ThreadGroup& group_;
    int rank_;
  };

 private:
  std::barrier<> barrier_;
  std::vector<std::vector<double>> parts_;
};

}  // namespace knockout
