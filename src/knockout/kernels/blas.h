// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace knockout {

enum class Transpose { kNo, kYes };

/// C = op(A) op(B) + beta C, single precision, row-major, on the calling thread alone. op(A) is m x
/// k, op(B) is k x n, C is m x n; `lda`, `ldb` and `ldc` are the row strides of the matrices as
/// stored. beta = 0 never reads C. Same shapes, same bits: nothing depends on the number of threads
/// of the caller.
///
/// OpenBLAS is opened at first use rather than linked, for two reasons measured on Debian 12: its
/// version 0.3.21 does not know CPUs newer than itself and falls back to SSE kernels (32 instead of
/// 157 GFLOP/s a core), which only an environment variable set before it loads can cure; and
/// commands that multiply nothing start without it. Throws ConfigError, naming the package, when
/// there is no BLAS at all.
///
/// Leaves no trace in the program that calls: the environment and the number of OpenMP's threads
/// are afterwards what they were.
void gemm(Transpose transpose_a, Transpose transpose_b, int m, int n, int k, const float* a,
          int lda, const float* b, int ldb, float beta, float* c, int ldc);

/// The OpenBLAS kernel family (OPENBLAS_CORETYPE) that suits this CPU, by what the CPU can do
/// rather than by its model number; nullptr where OpenBLAS's own choice is as good.
const char* suitable_core_type();

/// The BLAS in use, for benchmarks and provenance: "OpenBLAS 0.3.21 SkylakeX".
std::string blas_name();

/// Whether the BLAS in use is tuned for this machine. False for the reference BLAS: a fit would
/// take many times longer, and the command says so.
bool blas_is_fast();

}  // namespace knockout
