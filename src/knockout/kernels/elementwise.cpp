// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/elementwise.h"

#include <algorithm>
#include <cmath>

#include "knockout/kernels/multiversion.h"

namespace knockout {

KNOCKOUT_MULTIVERSION
void relu(float* x, std::size_t rows, std::size_t columns, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = x + r * stride;
    for (std::size_t c = 0; c < columns; ++c) row[c] = row[c] > 0.0f ? row[c] : 0.0f;
  }
}

KNOCKOUT_MULTIVERSION
void relu_backward(const float* activation, std::size_t activation_stride, float* gradient,
                   std::size_t gradient_stride, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* active = activation + r * activation_stride;
    float* g = gradient + r * gradient_stride;
    for (std::size_t c = 0; c < columns; ++c) g[c] = active[c] > 0.0f ? g[c] : 0.0f;
  }
}

KNOCKOUT_MULTIVERSION
void outer_product(const float* delta, std::size_t delta_stride, const float* weights, float* out,
                   std::size_t out_stride, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float factor = delta[r * delta_stride];
    float* to = out + r * out_stride;
    for (std::size_t c = 0; c < columns; ++c) to[c] = factor * weights[c];
  }
}

KNOCKOUT_MULTIVERSION
void drop(float* x, std::size_t rows, std::size_t columns, std::size_t stride,
          const std::uint8_t* bytes, std::size_t bytes_stride, std::uint8_t drop_below,
          float keep_scale) {
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = x + r * stride;
    const std::uint8_t* random = bytes + r * bytes_stride;
    for (std::size_t c = 0; c < columns; ++c) {
      row[c] *= random[c] >= drop_below ? keep_scale : 0.0f;
    }
  }
}

KNOCKOUT_MULTIVERSION
void add_rows(const float* from, std::size_t from_stride, float* to, std::size_t to_stride,
              std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* source = from + r * from_stride;
    float* sum = to + r * to_stride;
    for (std::size_t c = 0; c < columns; ++c) sum[c] += source[c];
  }
}

void gather_rows(const float* table, std::span<const std::uint32_t> rows, std::size_t columns,
                 float* out, std::size_t out_stride) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::copy_n(table + rows[r] * columns, columns, out + r * out_stride);
  }
}

AdamStep adam_step(std::uint64_t step, double learning_rate, double beta1, double beta2,
                   double epsilon, double weight_decay) {
  const double correction1 = 1.0 - std::pow(beta1, static_cast<double>(step));
  const double correction2 = std::sqrt(1.0 - std::pow(beta2, static_cast<double>(step)));
  return {.learning_rate = static_cast<float>(learning_rate * correction2 / correction1),
          .beta1 = static_cast<float>(beta1),
          .beta2 = static_cast<float>(beta2),
          .epsilon = static_cast<float>(epsilon * correction2),
          .decay = static_cast<float>(learning_rate * weight_decay)};
}

KNOCKOUT_MULTIVERSION
void adam_update(const AdamStep& step, std::size_t count, const float* gradient,
                 float* __restrict weights, float* __restrict first, float* __restrict second) {
  const float keep = 1.0f - step.decay;
  const float fresh1 = 1.0f - step.beta1;
  const float fresh2 = 1.0f - step.beta2;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i];
    first[i] = step.beta1 * first[i] + fresh1 * g;
    second[i] = step.beta2 * second[i] + fresh2 * g * g;
    weights[i] =
        keep * weights[i] - step.learning_rate * first[i] / (std::sqrt(second[i]) + step.epsilon);
  }
}

KNOCKOUT_MULTIVERSION
void move_average(float keep, std::size_t count, const float* weights, float* __restrict average) {
  for (std::size_t i = 0; i < count; ++i)
    average[i] = keep * average[i] + (1.0f - keep) * weights[i];
}

KNOCKOUT_MULTIVERSION
void nesterov_update(float learning_rate, float momentum, float weight_decay, std::size_t count,
                     const float* gradient, float* __restrict weights, float* __restrict velocity) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] + weight_decay * weights[i];
    velocity[i] = momentum * velocity[i] + g;
    weights[i] -= learning_rate * (g + momentum * velocity[i]);
  }
}

}  // namespace knockout
