// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace knockout {

// Matrices are row-major; `stride` is the distance between rows.

/// x = max(x, 0) on a rows x columns block.
void relu(float* x, std::size_t rows, std::size_t columns, std::size_t stride);

/// Backward of relu: the gradient is 0 where the activation is.
void relu_backward(const float* activation, std::size_t activation_stride, float* gradient,
                   std::size_t gradient_stride, std::size_t rows, std::size_t columns);

/// out = delta x weights, where `delta` has one number per row and `weights` one per column.
void outer_product(const float* delta, std::size_t delta_stride, const float* weights, float* out,
                   std::size_t out_stride, std::size_t rows, std::size_t columns);

/// Each element is set to 0 where its random byte is below `drop_below`, and multiplied by
/// `keep_scale` where it is not.
void drop(float* x, std::size_t rows, std::size_t columns, std::size_t stride,
          const std::uint8_t* bytes, std::size_t bytes_stride, std::uint8_t drop_below,
          float keep_scale);

/// to = to + from.
void add_rows(const float* from, std::size_t from_stride, float* to, std::size_t to_stride,
              std::size_t rows, std::size_t columns);

/// Copies the given rows of `table` (row length `columns`) into consecutive rows of `out`.
void gather_rows(const float* table, std::span<const std::uint32_t> rows, std::size_t columns,
                 float* out, std::size_t out_stride);

/// What one step of Adam needs besides the numbers themselves.
struct AdamStep {
  float learning_rate = 0;  ///< Bias corrections included: see adam_step().
  float beta1 = 0.9f, beta2 = 0.999f;
  float epsilon = 1e-8f;  ///< Scaled like the second moment: see adam_step().
  float decay = 0;  ///< Decoupled weight decay of this step: weights are multiplied by 1 - decay.
};

/// The constants of step `step` (from 1): Kingma and Ba 2015 in the efficient form of their section
/// 2, decay as in Loshchilov and Hutter 2019.
AdamStep adam_step(std::uint64_t step, double learning_rate, double beta1, double beta2,
                   double epsilon, double weight_decay);

/// One Adam update of `weights` from `gradient`; `first` and `second` are its moments.
void adam_update(const AdamStep& step, std::size_t count, const float* gradient, float* weights,
                 float* first, float* second);

/// average = keep * average + (1 - keep) * weights.
void move_average(float keep, std::size_t count, const float* weights, float* average);

/// One step of SGD with Nesterov momentum (Sutskever et al. 2013, in the form that LibTorch uses):
/// velocity = momentum * velocity + g, w -= rate * (g + momentum * velocity), with g = gradient +
/// weight_decay * w.
void nesterov_update(float learning_rate, float momentum, float weight_decay, std::size_t count,
                     const float* gradient, float* weights, float* velocity);

}  // namespace knockout
