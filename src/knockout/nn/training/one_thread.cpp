// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/one_thread.h"

#include <dlfcn.h>

namespace knockout::nn {
namespace {

/// Sets the number of threads of the calling thread alone, in the OpenMP that LibTorch has loaded.
/// Linking one of our own could bring in another.
void set_threads_of_this_thread(int threads) {
  static const auto set =
      reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) {
    set(threads);
  } else {
    at::set_num_threads(threads);  // a LibTorch without OpenMP knows only the whole process
  }
}

}  // namespace

OneThread::OneThread() : before_(at::get_num_threads()) { set_threads_of_this_thread(1); }

OneThread::~OneThread() { set_threads_of_this_thread(before_); }

}  // namespace knockout::nn
