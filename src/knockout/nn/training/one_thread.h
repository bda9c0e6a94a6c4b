// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// While it lives, LibTorch computes with one thread wherever this thread calls it, so that sums
/// are added up in one order and results do not depend on the number of cores. Several threads may
/// each have one. No other thread notices, and the host's number of threads comes back: the number
/// belongs to the thread (OpenMP), while at::set_num_threads() would also change what threads to
/// come start with.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace knockout::nn
