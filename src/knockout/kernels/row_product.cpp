// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/row_product.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace knockout {
namespace {

// Blocks of B stay in the second-level cache, and a strip of one in the first. All vectors have at
// most 16 numbers, so a packed block fits its buffer.
constexpr int kSmallTileRows = 4;
constexpr int kBlockInputs = 256;
constexpr int kBlockColumns = 256;
constexpr int kRowsThatPayForPacking = 48;

/// Few outputs, and rows enough to fill vectors with them instead.
constexpr int kMostNarrowOutputs = 4, kLeastNarrowRows = 4;
bool is_narrow(int rows, int outputs) {
  return rows >= kLeastNarrowRows && outputs >= 1 && outputs <= kMostNarrowOutputs;
}

/// Where a tile reads and writes.
struct Operands {
  const float* a;
  std::ptrdiff_t a_stride;
  const float* b;
  std::ptrdiff_t b_stride;
  float* c;
  std::ptrdiff_t c_stride;
  int inputs;
  bool resume;  ///< The sums go on from what C holds.
};

/// Room for a packed block of B, one for each thread, aligned to cache lines.
float* packing_buffer() {
  struct alignas(64) Line {
    float numbers[16];
  };
  thread_local std::vector<Line> lines;
  lines.resize(kBlockInputs * kBlockColumns / 16);
  return lines.front().numbers;
}

/// Four numbers: on x86-64 without anything newer than SSE2, and on every other CPU.
namespace plain_version {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr bool kFused = true;
#else
constexpr bool kFused = false;
#endif

struct Lanes {
  typedef float Vector __attribute__((vector_size(16)));
  static constexpr int kWidth = 4, kTileRows = 6, kTileVectors = 2;
  static Vector zero() { return Vector{}; }
  static Vector broadcast(float x) { return Vector{x, x, x, x}; }
  static Vector load(const float* from) { return load_part(from, kWidth); }
  static void store(float* to, Vector x) { store_part(to, x, kWidth); }
  static Vector load_part(const float* from, int part) {
    Vector x{};
    std::memcpy(&x, from, static_cast<std::size_t>(part) * sizeof(float));
    return x;
  }
  static void store_part(float* to, Vector x, int part) {
    std::memcpy(to, &x, static_cast<std::size_t>(part) * sizeof(float));
  }
  static Vector multiply_add(Vector a, Vector b, Vector c) {
    if constexpr (!kFused) return a * b + c;
    for (int i = 0; i < kWidth; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
  }
};

#include "knockout/kernels/row_product_version.inc"

void product(int rows, int outputs, int inputs, const float* a, int a_stride, const float* b,
             int b_stride, float* c, int c_stride) {
  wide_product(rows, outputs, inputs, a, a_stride, b, b_stride, c, c_stride);
}

}  // namespace plain_version

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace avx2_version {

struct Lanes {
  using Vector = __m256;
  static constexpr int kWidth = 8, kTileRows = 6, kTileVectors = 2;  // 12 sums, 16 registers
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector broadcast(float x) { return _mm256_set1_ps(x); }
  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Vector x) { _mm256_storeu_ps(to, x); }
  static Vector load_part(const float* from, int part) {
    return _mm256_maskload_ps(from, first(part));
  }
  static void store_part(float* to, Vector x, int part) { _mm256_maskstore_ps(to, first(part), x); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }

 private:
  static __m256i first(int part) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(part), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

#include "knockout/kernels/row_product_version.inc"

/// Rows become columns and columns rows.
inline void transpose(__m256 (&x)[8]) {
  __m256 pairs[8], quads[8];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm256_unpacklo_ps(x[2 * i], x[2 * i + 1]);
    pairs[2 * i + 1] = _mm256_unpackhi_ps(x[2 * i], x[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (std::size_t i = 0; i < 2; ++i) {
    const __m256* const from = pairs + 4 * i;
    quads[4 * i] = _mm256_shuffle_ps(from[0], from[2], _MM_SHUFFLE(1, 0, 1, 0));
    quads[4 * i + 1] = _mm256_shuffle_ps(from[0], from[2], _MM_SHUFFLE(3, 2, 3, 2));
    quads[4 * i + 2] = _mm256_shuffle_ps(from[1], from[3], _MM_SHUFFLE(1, 0, 1, 0));
    quads[4 * i + 3] = _mm256_shuffle_ps(from[1], from[3], _MM_SHUFFLE(3, 2, 3, 2));
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    x[i] = _mm256_permute2f128_ps(quads[i], quads[4 + i], 0x20);
    x[4 + i] = _mm256_permute2f128_ps(quads[i], quads[4 + i], 0x31);
  }
}

/// Few outputs would leave most of a vector empty, so each lane is a row instead: eight rows at a
/// time, the last one again where there are fewer. Every sum is the same chain over the inputs.
template <int kOutputs>
void narrow_product(int rows, int inputs, const float* a, std::ptrdiff_t a_stride, const float* b,
                    std::ptrdiff_t b_stride, float* c, std::ptrdiff_t c_stride) {
  constexpr int kWidth = Lanes::kWidth;
  for (int row = 0; row < rows; row += kWidth) {
    const int lanes = std::min(kWidth, rows - row);
    __m256 sums[kOutputs];
    for (__m256& sum : sums) sum = Lanes::zero();
    for (int input = 0; input < inputs; input += kWidth) {
      const int count = std::min(kWidth, inputs - input);
      __m256 x[kWidth];
#pragma GCC unroll 8
      for (int i = 0; i < kWidth; ++i) {
        const float* const from = a + (row + std::min(i, lanes - 1)) * a_stride + input;
        x[i] = count == kWidth ? Lanes::load(from) : Lanes::load_part(from, count);
      }
      transpose(x);
      for (int i = 0; i < count; ++i) {
        const float* const weights = b + (input + i) * b_stride;
#pragma GCC unroll 4
        for (int o = 0; o < kOutputs; ++o) {
          sums[o] = Lanes::multiply_add(x[i], Lanes::broadcast(weights[o]), sums[o]);
        }
      }
    }
    float answers[kOutputs][kWidth];
    for (int o = 0; o < kOutputs; ++o) Lanes::store(answers[o], sums[o]);
    for (int i = 0; i < lanes; ++i) {
      for (int o = 0; o < kOutputs; ++o) c[(row + i) * c_stride + o] = answers[o][i];
    }
  }
}

void product(int rows, int outputs, int inputs, const float* a, int a_stride, const float* b,
             int b_stride, float* c, int c_stride) {
  if (is_narrow(rows, outputs)) {
    using Narrow = decltype(narrow_product<1>);
    constexpr Narrow* kNarrow[] = {narrow_product<1>, narrow_product<2>, narrow_product<3>,
                                   narrow_product<4>};
    static_assert(std::size(kNarrow) == kMostNarrowOutputs);
    kNarrow[outputs - 1](rows, inputs, a, a_stride, b, b_stride, c, c_stride);
  } else {
    wide_product(rows, outputs, inputs, a, a_stride, b, b_stride, c, c_stride);
  }
}

}  // namespace avx2_version

#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

namespace avx512_version {

struct Lanes {
  using Vector = __m512;
  static constexpr int kWidth = 16, kTileRows = 6, kTileVectors = 4;  // 24 sums, 32 registers
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector broadcast(float x) { return _mm512_set1_ps(x); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Vector x) { _mm512_storeu_ps(to, x); }
  static Vector load_part(const float* from, int part) {
    return _mm512_maskz_loadu_ps(first(part), from);
  }
  static void store_part(float* to, Vector x, int part) {
    _mm512_mask_storeu_ps(to, first(part), x);
  }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }

 private:
  static __mmask16 first(int part) { return static_cast<__mmask16>((1U << part) - 1U); }
};

#include "knockout/kernels/row_product_version.inc"

void product(int rows, int outputs, int inputs, const float* a, int a_stride, const float* b,
             int b_stride, float* c, int c_stride) {
  const auto version = is_narrow(rows, outputs) ? avx2_version::product : wide_product;
  version(rows, outputs, inputs, a, a_stride, b, b_stride, c, c_stride);
}

}  // namespace avx512_version

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__

std::vector<RowProductVersion> versions_for_this_cpu() {
  std::vector<RowProductVersion> versions;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) {
    versions.push_back({"AVX-512", true, avx512_version::product});
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    versions.push_back({"AVX2", true, avx2_version::product});
  }
#endif
  versions.push_back({"plain", plain_version::kFused, plain_version::product});
  return versions;
}

}  // namespace

std::span<const RowProductVersion> row_product_versions() {
  static const std::vector<RowProductVersion> versions = versions_for_this_cpu();
  return versions;
}

void row_product(int rows, int outputs, int inputs, const float* a, int a_stride, const float* b,
                 int b_stride, float* c, int c_stride) {
  static decltype(row_product)* const best = row_product_versions().front().function;
  best(rows, outputs, inputs, a, a_stride, b, b_stride, c, c_stride);
}

}  // namespace knockout
