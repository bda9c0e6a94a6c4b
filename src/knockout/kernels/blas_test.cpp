// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/blas.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "knockout/base/random.h"

namespace knockout {
namespace {

std::vector<float> random_matrix(std::size_t size, std::uint32_t which) {
  const Random random(7, Stream::kSimulation);
  std::vector<float> matrix(size);
  for (std::size_t i = 0; i < size; ++i) {
    matrix[i] = static_cast<float>(random.normal(which, static_cast<std::uint32_t>(i), 0));
  }
  return matrix;
}

/// op(A)(i, l) for a matrix stored row-major with stride `ld`.
double element(const std::vector<float>& matrix, Transpose transpose, int ld, int row, int column) {
  return transpose == Transpose::kNo ? matrix[row * ld + column] : matrix[column * ld + row];
}

class GemmShapes : public testing::TestWithParam<std::tuple<Transpose, Transpose, float>> {};

TEST_P(GemmShapes, AgreesWithTheTripleLoop) {
  const auto [transpose_a, transpose_b, beta] = GetParam();
  const int m = 37, n = 19, k = 53, padding = 3;
  const int lda = (transpose_a == Transpose::kNo ? k : m) + padding;
  const int ldb = (transpose_b == Transpose::kNo ? n : k) + padding;
  const int ldc = n + padding;
  const auto a = random_matrix(static_cast<std::size_t>(lda) * (m + k), 0);
  const auto b = random_matrix(static_cast<std::size_t>(ldb) * (n + k), 1);
  const auto before = random_matrix(static_cast<std::size_t>(ldc) * m, 2);
  auto c = before;
  gemm(transpose_a, transpose_b, m, n, k, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double expected = beta * before[i * ldc + j];
      for (int l = 0; l < k; ++l) {
        expected += element(a, transpose_a, lda, i, l) * element(b, transpose_b, ldb, l, j);
      }
      ASSERT_NEAR(c[i * ldc + j], expected, 1e-4) << i << ", " << j;
    }
    for (int j = n; j < ldc; ++j)
      ASSERT_EQ(c[i * ldc + j], before[i * ldc + j]) << "padding touched";
  }
}

INSTANTIATE_TEST_SUITE_P(AllForms, GemmShapes,
                         testing::Combine(testing::Values(Transpose::kNo, Transpose::kYes),
                                          testing::Values(Transpose::kNo, Transpose::kYes),
                                          testing::Values(0.0f, 1.0f)));

TEST(Gemm, GivesTheSameBitsOnEveryThread) {
  const int size = 64;
  const auto a = random_matrix(size * size, 3), b = random_matrix(size * size, 4);
  std::vector<std::vector<float>> results(4, std::vector<float>(size * size));
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] {
        gemm(Transpose::kNo, Transpose::kNo, size, size, size, a.data(), size, b.data(), size, 0.0f,
             result.data(), size);
      });
    }
  }
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

/// The threads that OpenMP would start from this thread, and how to say that; null without OpenMP.
struct OpenMp {
  OpenMp() {
    void* const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    set = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    get = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
  }
  void (*set)(int) = nullptr;
  int (*get)() = nullptr;
};

void multiply_something() {
  const std::vector<float> a(100 * 100, 1.0F);
  std::vector<float> c(100 * 100);
  gemm(Transpose::kNo, Transpose::kNo, 100, 100, 100, a.data(), 100, a.data(), 100, 0.0F, c.data(),
       100);
  ASSERT_EQ(c[0], 100.0F);
}

TEST(Blas, LeavesTheThreadsOfTheHostAsTheyWere) {
  const OpenMp openmp;
  if (openmp.set == nullptr || openmp.get == nullptr) GTEST_SKIP() << "there is no OpenMP";
  for (const int threads : {7, 1, 3}) {
    openmp.set(threads);
    multiply_something();
    EXPECT_EQ(openmp.get(), threads);
  }
}

// In a process of its own, since BLAS is opened once.
TEST(BlasDeathTest, LeavesTheEnvironmentAsItWas) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto check = [] {
    ::unsetenv("OPENBLAS_CORETYPE");
    char** const before = environ;
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
    multiply_something();
    std::vector<std::string> after;
    for (char** entry = environ; *entry != nullptr; ++entry) after.emplace_back(*entry);
    const bool advised = suitable_core_type() == nullptr || !blas_name().starts_with("OpenBLAS") ||
                         blas_name().ends_with(suitable_core_type());
    std::_Exit(environ == before && entries == after && advised ? 0 : 1);
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
}

// What scripts/test_kernels relies on.
TEST(Blas, TakesTheKernelsThatTheEnvironmentAsksFor) {
  const char* const wanted = std::getenv("OPENBLAS_CORETYPE");
  if (wanted == nullptr || !blas_name().starts_with("OpenBLAS")) GTEST_SKIP() << "nobody asks";
  const std::string name = blas_name();
  EXPECT_STRCASEEQ(name.substr(name.rfind(' ') + 1).c_str(), wanted);
}

TEST(Blas, SaysWhichLibraryIsInUse) { EXPECT_FALSE(blas_name().empty()); }

}  // namespace
}  // namespace knockout
