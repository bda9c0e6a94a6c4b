// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

#include "knockout/base/error.h"

namespace knockout {
namespace {

// The C interface of BLAS, spelled out because its header is only needed here and its library may
// be any of several.
enum CblasOrder { kRowMajor = 101 };
enum CblasTranspose { kNoTranspose = 111, kTranspose = 112 };
using SgemmFunction = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                               float alpha, const float* a, int lda, const float* b, int ldb,
                               float beta, float* c, int ldc);

struct Blas {
  SgemmFunction sgemm = nullptr;
  void (*set_threads)(int) =
      nullptr;  ///< For the calling thread; null where there is nothing to set.
  std::string name;
  bool fast = false;
};

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

Blas open_openblas(void* library) {
  Blas blas{.sgemm = symbol<SgemmFunction>(library, "cblas_sgemm"),
            .set_threads = nullptr,
            .name = "OpenBLAS",
            .fast = true};
  // The OpenMP variant asks OpenMP, which keeps a number for each thread; the others have one
  // number for all.
  blas.set_threads = symbol<void (*)(int)>(library, "omp_set_num_threads");
  if (blas.set_threads == nullptr)
    blas.set_threads = symbol<void (*)(int)>(library, "openblas_set_num_threads");
  if (const auto config = symbol<char* (*)()>(library, "openblas_get_config")) {
    std::istringstream words(config());  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    std::string product, version;
    words >> product >> version;
    blas.name = product + " " + version;
  }
  if (const auto core = symbol<char* (*)()>(library, "openblas_get_corename"))
    blas.name += std::string(" ") + core();
  return blas;
}

Blas open_blas() {
  if (const char* core_type = suitable_core_type())
    setenv("OPENBLAS_CORETYPE", core_type, /*overwrite=*/0);
  if (void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)) {
    const Blas blas = open_openblas(library);
    if (blas.sgemm != nullptr) return blas;
  }
  for (const char* file : {"libblas.so.3", "libcblas.so.3"}) {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (const auto sgemm = symbol<SgemmFunction>(library, "cblas_sgemm")) {
      return {.sgemm = sgemm,
              .set_threads = nullptr,
              .name = std::string(file) + " (reference BLAS)",
              .fast = false};
    }
  }
  throw ConfigError(
      "No BLAS library found: training and prediction need one for matrix products.\n"
      "  On Debian and Ubuntu:  apt-get install libopenblas0-openmp");
}

const Blas& blas() {
  static const Blas instance = open_blas();
  return instance;
}

/// Our own threads each call BLAS; its threads on top of ours would fight over the cores.
bool keep_to_one_thread() {
  if (blas().set_threads != nullptr) blas().set_threads(1);
  return true;
}

int cblas(Transpose transpose) { return transpose == Transpose::kNo ? kNoTranspose : kTranspose; }

}  // namespace

const char* suitable_core_type() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  if (avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

void gemm(Transpose transpose_a, Transpose transpose_b, int m, int n, int k, const float* a,
          int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  thread_local const bool on_one_thread = keep_to_one_thread();
  static_cast<void>(on_one_thread);
  blas().sgemm(kRowMajor, cblas(transpose_a), cblas(transpose_b), m, n, k, 1.0f, a, lda, b, ldb,
               beta, c, ldc);
}

std::string blas_name() { return blas().name; }

bool blas_is_fast() { return blas().fast; }

}  // namespace knockout
