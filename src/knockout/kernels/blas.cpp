// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/blas.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <sstream>
#include <vector>

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
  /// How many threads BLAS uses; null where there is nothing to choose.
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  bool threads_are_shared = false;  ///< One number for the process, not one for each thread.
  std::string name;
  bool fast = false;
};

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

Blas open_openblas(void* library) {
  Blas blas{
      .sgemm = symbol<SgemmFunction>(library, "cblas_sgemm"), .name = "OpenBLAS", .fast = true};
  // The OpenMP variant asks OpenMP, which keeps a number for each thread; the others have one
  // number for all.
  blas.get_threads = symbol<int (*)()>(library, "omp_get_max_threads");
  blas.set_threads = symbol<void (*)(int)>(library, "omp_set_num_threads");
  if (blas.get_threads == nullptr || blas.set_threads == nullptr) {
    blas.threads_are_shared = true;
    blas.get_threads = symbol<int (*)()>(library, "openblas_get_num_threads");
    blas.set_threads = symbol<void (*)(int)>(library, "openblas_set_num_threads");
  }
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

/// Opens OpenBLAS, which chooses its kernels while it loads and takes advice from nothing but the
/// environment. setenv() could move the environment away from under another thread of the host
/// program that reads it. So an extended copy stands in for it meanwhile: whoever reads then finds
/// one or the other, both of which stay whole, and afterwards everything is as it was.
void* load_openblas() {
  const char* const core_type = suitable_core_type();
  const bool advise = core_type != nullptr && std::getenv("OPENBLAS_CORETYPE") == nullptr;
  if (!advise) return dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  // Both live as long as the program, for a thread that still reads the copy when it has served.
  static std::string advice;
  static std::vector<char*> copy;
  advice = std::string("OPENBLAS_CORETYPE=") + core_type;
  char** const original = environ;
  for (char** entry = original; entry != nullptr && *entry != nullptr; ++entry) {
    copy.push_back(*entry);
  }
  copy.push_back(advice.data());
  copy.push_back(nullptr);
  environ = copy.data();
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (environ == copy.data()) environ = original;  // unless somebody has replaced it since
  return library;
}

Blas open_blas() {
  if (void* library = load_openblas()) {
    Blas blas = open_openblas(library);
    if (blas.sgemm != nullptr) return blas;
  }
  for (const char* file : {"libblas.so.3", "libcblas.so.3"}) {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (const auto sgemm = symbol<SgemmFunction>(library, "cblas_sgemm")) {
      return {.sgemm = sgemm, .name = std::string(file) + " (reference BLAS)", .fast = false};
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

/// While it lives, BLAS works on the calling thread alone: our own threads each call it, and its
/// threads on top of them would fight over the cores. Afterwards the number is what it was, since a
/// host program shares OpenMP, and maybe BLAS, with us. Costs a few nanoseconds.
class OneBlasThread {
 public:
  OneBlasThread() {
    if (blas().set_threads == nullptr || blas().get_threads == nullptr) return;
    if (blas().threads_are_shared) {
      const std::lock_guard lock(shared_mutex);
      if (shared_users++ == 0) shared_before = set_to_one();
    } else {
      before_ = set_to_one();
    }
  }
  ~OneBlasThread() {
    if (blas().set_threads == nullptr || blas().get_threads == nullptr) return;
    if (blas().threads_are_shared) {
      const std::lock_guard lock(shared_mutex);
      if (--shared_users == 0) restore(shared_before);
    } else {
      restore(before_);
    }
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  /// Returns the number before.
  static int set_to_one() {
    const int before = blas().get_threads();
    if (before != 1) blas().set_threads(1);
    return before;
  }
  static void restore(int before) {
    if (before != 1) blas().set_threads(before);
  }

  int before_ = 1;
  static inline std::mutex shared_mutex;
  static inline int shared_users = 0, shared_before = 1;
};

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
  const OneBlasThread one_thread;
  blas().sgemm(kRowMajor, cblas(transpose_a), cblas(transpose_b), m, n, k, 1.0f, a, lda, b, ldb,
               beta, c, ldc);
}

std::string blas_name() { return blas().name; }

bool blas_is_fast() { return blas().fast; }

}  // namespace knockout
