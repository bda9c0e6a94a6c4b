// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/row_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "knockout/base/random.h"

namespace knockout {
namespace {

constexpr float kUntouched = 12345.0F;

/// A product with padding after each row, so that a step beyond an end is seen.
struct Product {
  Product(int row_count, int output_count, int input_count, int padding, std::uint32_t which)
      : rows(row_count),
        outputs(output_count),
        inputs(input_count),
        a_stride(input_count + padding),
        b_stride(output_count + padding),
        a(normals(static_cast<std::size_t>(rows) * a_stride, 2 * which)),
        b(normals(static_cast<std::size_t>(inputs) * b_stride, 2 * which + 1)) {}

  static std::vector<float> normals(std::size_t size, std::uint32_t which) {
    const Random random(11, Stream::kSimulation);
    std::vector<float> numbers(size);
    for (std::size_t i = 0; i < size; ++i) {
      numbers[i] = static_cast<float>(random.normal(which, static_cast<std::uint32_t>(i), 0));
    }
    return numbers;
  }

  /// `count` rows from `first` on, with nothing after the last number of either side.
  std::vector<float> of_rows(const RowProductVersion& version, int first, int count) const {
    const auto begin = a.begin() + static_cast<std::ptrdiff_t>(first) * a_stride;
    const std::vector<float> some(begin, begin + (count - 1) * a_stride + inputs);
    const std::vector<float> whole(b.begin(), b.end() - (inputs > 0 ? b_stride - outputs : 0));
    std::vector<float> c(static_cast<std::size_t>(count) * outputs, kUntouched);
    version.function(count, outputs, inputs, some.data(), a_stride, whole.data(), b_stride,
                     c.data(), outputs);
    return c;
  }

  int rows, outputs, inputs, a_stride, b_stride;
  std::vector<float> a, b;
};

class EveryRowProduct : public testing::TestWithParam<RowProductVersion> {};

TEST_P(EveryRowProduct, IsOneChainOfMultiplyAddsForEachElement) {
  const Random random(5, Stream::kSimulation);
  for (std::uint32_t trial = 0; trial < 100; ++trial) {
    const auto size = [&](std::uint32_t most, std::uint32_t unit) {
      return 1 + static_cast<int>(random.below(most, trial, 0, unit));
    };
    const int padding = static_cast<int>(trial % 3);
    // Every tenth is larger than a block in both directions.
    const Product product(size(70, 0), size(trial % 10 == 0 ? 600 : 80, 1),
                          size(trial % 10 == 1 ? 600 : 80, 2), padding, trial);
    const int c_stride = product.outputs + padding;
    std::vector<float> c(static_cast<std::size_t>(product.rows) * c_stride, kUntouched);
    GetParam().function(product.rows, product.outputs, product.inputs, product.a.data(),
                        product.a_stride, product.b.data(), product.b_stride, c.data(), c_stride);
    for (int row = 0; row < product.rows; ++row) {
      for (int column = 0; column < product.outputs; ++column) {
        float chain = 0;
        double truth = 0, size_of_terms = 0;
        for (int k = 0; k < product.inputs; ++k) {
          const float left = product.a[static_cast<std::size_t>(row * product.a_stride + k)];
          const float right = product.b[static_cast<std::size_t>(k * product.b_stride + column)];
          chain = std::fma(left, right, chain);
          truth += static_cast<double>(left) * right;
          size_of_terms += std::abs(static_cast<double>(left) * right);
        }
        const float found = c[static_cast<std::size_t>(row * c_stride + column)];
        if (GetParam().fused) {
          ASSERT_EQ(found, chain) << "trial " << trial << ": " << row << ", " << column;
        }
        // Rounding errors of a chain grow with its length at worst: Higham 2002, section 3.1.
        const double bound = (product.inputs + 1) * size_of_terms * 0x1p-23;
        ASSERT_NEAR(found, truth, bound) << "trial " << trial << ": " << row << ", " << column;
      }
      for (int column = product.outputs; column < c_stride; ++column) {
        ASSERT_EQ(c[static_cast<std::size_t>(row * c_stride + column)], kUntouched);
      }
    }
  }
}

TEST_P(EveryRowProduct, GivesARowTheSameBitsAloneAndAtEveryPlaceOfEveryBlock) {
  const Product product(70, 45, 37, 3, 1000);
  std::vector<float> alone;
  for (int row = 0; row < product.rows; ++row) {
    const std::vector<float> one = product.of_rows(GetParam(), row, 1);
    alone.insert(alone.end(), one.begin(), one.end());
  }
  for (int count = 2; count <= product.rows; ++count) {
    for (int first = 0; first + count <= product.rows; ++first) {
      const std::vector<float> block = product.of_rows(GetParam(), first, count);
      const auto begin = alone.begin() + static_cast<std::ptrdiff_t>(first) * product.outputs;
      ASSERT_EQ(block, std::vector<float>(begin, begin + count * product.outputs))
          << count << " rows from " << first;
    }
  }
}

TEST_P(EveryRowProduct, KeepsAnInfinityAndNaNInTheirRows) {
  Product product(40, 20, 10, 0, 1001);
  const std::vector<float> before = product.of_rows(GetParam(), 0, product.rows);
  product.a[7 * 10 + 3] = std::numeric_limits<float>::quiet_NaN();
  product.a[8 * 10 + 3] = std::numeric_limits<float>::infinity();
  const std::vector<float> after = product.of_rows(GetParam(), 0, product.rows);
  for (int row = 0; row < product.rows; ++row) {
    for (int column = 0; column < product.outputs; ++column) {
      const std::size_t at = static_cast<std::size_t>(row * product.outputs + column);
      if (row == 7 || row == 8) {
        EXPECT_FALSE(std::isfinite(after[at]));
      } else {
        EXPECT_EQ(after[at], before[at]);
      }
    }
  }
}

TEST_P(EveryRowProduct, IsZeroWithoutInputsAndNothingWithoutRowsOrOutputs) {
  for (const int rows : {1, 5, 40}) {
    const Product empty(rows, 9, 0, 0, 0);
    EXPECT_EQ(empty.of_rows(GetParam(), 0, rows), std::vector<float>(rows * 9, 0.0F));
  }
  float c = kUntouched;
  GetParam().function(0, 1, 1, &c, 1, &c, 1, &c, 1);
  GetParam().function(1, 0, 1, &c, 1, &c, 1, &c, 1);
  GetParam().function(30, 0, 1, &c, 0, &c, 1, &c, 1);
  EXPECT_EQ(c, kUntouched);
}

TEST_P(EveryRowProduct, GivesTheSameBitsOnEveryThread) {
  const Product product(64, 300, 300, 0, 1002);
  const std::vector<float> here = product.of_rows(GetParam(), 0, product.rows);
  std::vector<std::vector<float>> results(3);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] { result = product.of_rows(GetParam(), 0, product.rows); });
    }
  }
  for (const auto& result : results) EXPECT_EQ(result, here);
}

INSTANTIATE_TEST_SUITE_P(Versions, EveryRowProduct,
                         testing::ValuesIn(row_product_versions().begin(),
                                           row_product_versions().end()),
                         [](const auto& version) {
                           std::string name = version.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(RowProduct, IsTheFastestVersion) {
  const Product product(5, 6, 7, 0, 1003);
  std::vector<float> c(5 * 6);
  row_product(5, 6, 7, product.a.data(), 7, product.b.data(), 6, c.data(), 6);
  EXPECT_EQ(c, product.of_rows(row_product_versions().front(), 0, 5));
}

}  // namespace
}  // namespace knockout
