// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace knockout {

// Each loss reads network outputs, writes the gradient of the weighted sum with respect to them,
// and returns that sum. A row with weight 0 (a missing label, a row that does not count) adds
// nothing and gets a zero gradient, whatever its target holds. `outputs`, `gradient`: rows x width
// with the given stride. `targets` and `weights` have one number per row.

/// weight * (output - target)^2, width 1.
double squared_error(const float* outputs, std::size_t stride, const float* targets,
                     const float* weights, std::size_t rows, float* gradient);

/// weight * binary cross entropy of a logit, target 0 or 1, width 1.
double logistic_loss(const float* outputs, std::size_t stride, const float* targets,
                     const float* weights, std::size_t rows, float* gradient);

/// weight * cross entropy of a softmax over `width` logits; the target is the class index as a
/// number.
double softmax_loss(const float* outputs, std::size_t stride, std::size_t width,
                    const float* targets, const float* weights, std::size_t rows, float* gradient);

/// Logits to probabilities, in place. Never NaN for finite input, sums to 1.
void softmax(double* logits, std::size_t width);
double sigmoid(double logit);

}  // namespace knockout
