// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/gram.h"

#include <algorithm>

#include "knockout/base/parallel.h"
#include "knockout/kernels/blas.h"

namespace knockout {

std::vector<double> gram(const float* values, std::size_t width, std::size_t rows, int threads) {
  constexpr std::size_t kStepRows = 256;    // few enough for single precision
  constexpr std::size_t kPartRows = 16384;  // what one thread sums
  const std::size_t size = width * width;
  const int columns = static_cast<int>(width);
  const std::size_t parts = (rows + kPartRows - 1) / kPartRows;
  std::vector<std::vector<double>> sums(parts, std::vector<double>(size, 0.0));
  parallel_for(parts, threads, [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * kPartRows, rows);
    std::vector<float> product(size);
    for (std::size_t begin = part * kPartRows; begin < end; begin += kStepRows) {
      const int count = static_cast<int>(std::min(kStepRows, end - begin));
      const float* const step = values + begin * width;
      gemm(Transpose::kYes, Transpose::kNo, columns, columns, count, step, columns, step, columns,
           0.0F, product.data(), columns);
      for (std::size_t i = 0; i < size; ++i) sums[part][i] += product[i];
    }
  });
  std::vector<double> total(size, 0.0);
  for (const std::vector<double>& sum : sums) {
    for (std::size_t i = 0; i < size; ++i) total[i] += sum[i];
  }
  return total;
}

}  // namespace knockout
