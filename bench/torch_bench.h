// SPDX-License-Identifier: Apache-2.0
// What the benchmarks that use LibTorch share.
#pragma once

#include <unistd.h>

#include <cstdlib>

#include "knockout/kernels/blas.h"

namespace knockout::bench {

/// LibTorch loads OpenBLAS before main, so the kernels that suit the CPU can only be asked for by
/// starting again: LibTorch is to run at its best.
inline void choose_blas_kernels(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr || suitable_core_type() == nullptr) return;
  setenv("OPENBLAS_CORETYPE", suitable_core_type(), 1);
  execv("/proc/self/exe", argv);
}

}  // namespace knockout::bench
