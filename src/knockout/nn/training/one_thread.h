// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// While it lives, LibTorch computes with one thread wherever this thread calls it, so that sums
/// are added up in one order and results do not depend on the number of cores. Several threads may
/// each have one: the number that counts belongs to the thread (OpenMP); what at::set_num_threads
/// also sets for the whole process is only what threads to come start with.
class OneThread {
 public:
  OneThread() : of_this_thread_(at::get_num_threads()) {
    of_process();  // remembered before anybody changes it
    at::set_num_threads(1);
  }
  /// A thread that met LibTorch while another had a OneThread was born with 1: not what it wants.
  ~OneThread() { at::set_num_threads(of_this_thread_ > 1 ? of_this_thread_ : of_process()); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  static int of_process() {
    static const int threads = at::get_num_threads();
    return threads;
  }
  int of_this_thread_;
};

}  // namespace knockout::nn
