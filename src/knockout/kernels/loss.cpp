// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/loss.h"

#include <algorithm>
#include <cmath>

namespace knockout {

double squared_error(const float* outputs, std::size_t stride, const float* targets,
                     const float* weights, std::size_t rows, float* gradient) {
  double sum = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float weight = weights[r];
    const float error = weight == 0.0f ? 0.0f : outputs[r * stride] - targets[r];
    gradient[r * stride] = 2.0f * weight * error;
    sum += static_cast<double>(weight) * error * error;
  }
  return sum;
}

double logistic_loss(const float* outputs, std::size_t stride, const float* targets,
                     const float* weights, std::size_t rows, float* gradient) {
  double sum = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float weight = weights[r];
    if (weight == 0.0f) {
      gradient[r * stride] = 0.0f;
      continue;
    }
    const float logit = outputs[r * stride];
    const float target = targets[r];
    // One exponential of a negative number serves loss and gradient and never overflows.
    const float small = std::exp(-std::abs(logit));
    const float probability = (logit >= 0.0f ? 1.0f : small) / (1.0f + small);
    gradient[r * stride] = weight * (probability - target);
    sum +=
        static_cast<double>(weight) * (std::max(logit, 0.0f) - logit * target + std::log1p(small));
  }
  return sum;
}

double softmax_loss(const float* outputs, std::size_t stride, std::size_t width,
                    const float* targets, const float* weights, std::size_t rows, float* gradient) {
  double sum = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float weight = weights[r];
    const float* logits = outputs + r * stride;
    float* g = gradient + r * stride;
    if (weight == 0.0f) {
      std::fill_n(g, width, 0.0f);
      continue;
    }
    const float largest = *std::max_element(logits, logits + width);
    float total = 0.0f;
    for (std::size_t c = 0; c < width; ++c) {
      g[c] = std::exp(logits[c] - largest);
      total += g[c];
    }
    const auto label = static_cast<std::size_t>(targets[r]);
    sum += static_cast<double>(weight) * (std::log(total) - (logits[label] - largest));
    for (std::size_t c = 0; c < width; ++c) g[c] *= weight / total;
    g[label] -= weight;
  }
  return sum;
}

void softmax(double* logits, std::size_t width) {
  const double largest = *std::max_element(logits, logits + width);
  double total = 0.0;
  for (std::size_t c = 0; c < width; ++c) {
    logits[c] = std::exp(logits[c] - largest);
    total += logits[c];
  }
  for (std::size_t c = 0; c < width; ++c) logits[c] /= total;
}

double sigmoid(double logit) {
  const double small = std::exp(-std::abs(logit));
  return (logit >= 0.0 ? 1.0 : small) / (1.0 + small);
}

}  // namespace knockout
