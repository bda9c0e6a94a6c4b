// SPDX-License-Identifier: Apache-2.0
// Finite differences for tests of networks and losses.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// Compares the gradients of `loss` with central differences, along random directions in which all
/// parameters move at once. REQUIRES: double precision; `loss` says the same each time it is
/// called.
inline void expect_right_gradients(const std::vector<torch::Tensor>& parameters,
                                   const std::function<torch::Tensor()>& loss, int directions = 2) {
  constexpr double kStep = 1e-6;
  for (const torch::Tensor& parameter : parameters) {
    ASSERT_EQ(parameter.scalar_type(), torch::kFloat64);
    parameter.mutable_grad() = torch::Tensor();
  }
  loss().backward();
  for (int d = 0; d < directions; ++d) {
    const torch::NoGradGuard no_gradients;
    std::vector<torch::Tensor> direction;
    double slope = 0.0;
    for (const torch::Tensor& parameter : parameters) {
      direction.push_back(torch::randn_like(parameter));
      if (parameter.grad().defined()) {
        slope += (parameter.grad() * direction.back()).sum().item<double>();
      }
    }
    const auto loss_at = [&](double steps) {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        torch::Tensor(parameters[i]).add_(direction[i], steps * kStep);
      }
      return loss().item<double>();
    };
    const double above = loss_at(1.0), below = loss_at(-2.0);
    loss_at(1.0);  // back where they were
    EXPECT_NEAR(slope, (above - below) / (2 * kStep), 1e-5 * (1.0 + std::abs(slope)));
    EXPECT_NE(slope, 0.0);
  }
}

}  // namespace knockout::nn
