// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/blas.h"

#include <gtest/gtest.h>

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

TEST(Blas, SaysWhichLibraryIsInUse) { EXPECT_FALSE(blas_name().empty()); }

}  // namespace
}  // namespace knockout
