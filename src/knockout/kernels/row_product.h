// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace knockout {

/// C = A B, single precision, row-major, on the calling thread: A is rows x inputs, B is inputs x
/// outputs, C is rows x outputs, and strides are the distances between rows.
///
/// A row of C is a function of its row of A and of B alone, bit for bit: not of the number of rows,
/// of its place among them, of the thread or of the CPU. Each element is one chain of fused
/// multiply-adds over the inputs in order, starting from 0, so that neither the width of vectors
/// nor the order of blocks can change a bit. A CPU without fused multiply-adds rounds twice a step:
/// its bits differ from other CPUs', but not from row to row. gemm() of BLAS promises none of this.
///
/// Allocates nothing for up to 3 rows, and otherwise only while a thread's scratch memory grows to
/// what it needs, at most 256 KiB.
/// REQUIRES: sizes >= 0; C overlaps neither A nor B.
void row_product(int rows, int outputs, int inputs, const float* a, int a_stride, const float* b,
                 int b_stride, float* c, int c_stride);

/// One way to compute row_product().
struct RowProductVersion {
  const char* name;
  bool fused;  ///< Multiplies and adds with one rounding: has the same bits as the other such ones.
  decltype(row_product)* function;
};

/// The versions that this CPU can run, fastest first; row_product() is the first. For tests.
std::span<const RowProductVersion> row_product_versions();

}  // namespace knockout
