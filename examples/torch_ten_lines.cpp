// SPDX-License-Identifier: Apache-2.0
//
// Knockout for a LibTorch network that exists already, in under ten lines (those with a +). The
// inputs a and b are Gaussian with correlation 0.6, and y = 2a + b + noise, so that the best answer
// with any of them missing is known: the slope for a alone is 2 + 0.6, for b alone 1 + 2 * 0.6.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/torch.h"

int main() {
  torch::manual_seed(1);
  constexpr double kCorrelation = 0.6;
  const auto draw_batch = [&] {
    const torch::Tensor a = torch::randn({256});
    const torch::Tensor b =
        kCorrelation * a + std::sqrt(1 - kCorrelation * kCorrelation) * torch::randn({256});
    const torch::Tensor y = 2 * a + b + 0.3 * torch::randn({256});
    return std::pair(torch::stack({a, b}, 1), y.unsqueeze(1));
  };

  using namespace knockout::nn;                     // +
  Modality inputs{.name = "x", .shape = {2}};       // +
  inputs.placeholder = Placeholder::z_score();      // + what stands for a missing number
  inputs.separate_features = true;                  // + a and b go missing each on its own
  inputs.knockout_rate = 0.4;                       // +
  KnockoutModuleOptions options;                    // +
  options.modalities = {inputs};                    // +
  torch::nn::Sequential network(Knockout(options),  // +
                                torch::nn::Linear(2, 64), torch::nn::ReLU(),
                                torch::nn::Linear(64, 64), torch::nn::ReLU(),
                                torch::nn::Linear(64, 1));

  constexpr int kSteps = 1500;
  torch::optim::Adam optimizer(network->parameters(), 3e-3);
  for (int step = 0; step < kSteps; ++step) {
    for (auto& group : optimizer.param_groups()) {
      group.options().set_lr(3e-3 * (1.0 - static_cast<double>(step) / kSteps));
    }
    const auto [x, y] = draw_batch();
    optimizer.zero_grad();
    torch::mse_loss(network->forward(x), y).backward();
    optimizer.step();
  }

  network->eval();
  const torch::NoGradGuard no_gradients;
  constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  double largest_error = 0.0;
  std::printf("    a     b   answer    best\n");
  for (const auto& [a, b, best] :
       {std::tuple(1.0f, -0.5f, 2 * 1.0 - 0.5), std::tuple(1.0f, kMissing, 2.6 * 1.0),
        std::tuple(-1.5f, kMissing, 2.6 * -1.5), std::tuple(kMissing, 1.0f, 2.2 * 1.0),
        std::tuple(kMissing, -1.0f, 2.2 * -1.0), std::tuple(kMissing, kMissing, 0.0)}) {
    const torch::Tensor x = torch::tensor({{a, b}});
    const auto answer = network->forward(x).item<double>();
    std::printf("%5.1f %5.1f %8.2f %7.2f\n", a, b, answer, best);
    largest_error = std::max(largest_error, std::abs(answer - best));
  }
  return largest_error < 0.25 ? 0 : 1;
}
