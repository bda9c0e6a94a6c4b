// SPDX-License-Identifier: Apache-2.0
// A LibTorch network trained with Knockout answers with the marginal that belongs to whatever is
// missing: for Gaussian data a closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "knockout/nn/module/knockout.h"

namespace knockout::nn {
namespace {

/// y = x0 + x1 - x2 plus noise, inputs correlated. `subset[i]` says whether input i is there.
struct GaussianProblem {
  torch::Tensor covariance =
      torch::tensor({{1.0, 0.6, 0.3}, {0.6, 1.0, 0.5}, {0.3, 0.5, 1.0}}, torch::kFloat64);
  torch::Tensor slope = torch::tensor({1.0, 1.0, -1.0}, torch::kFloat64);

  torch::Tensor draw_inputs(std::int64_t rows) const {
    const torch::Tensor root = torch::linalg_cholesky(covariance);
    return torch::randn({rows, 3}, torch::kFloat64).matmul(root.t());
  }

  /// E[y | the inputs of `subset`] = slope . E[x | x_S], with E[x | x_S] = C_aS C_SS^-1 x_S.
  torch::Tensor best_prediction(const torch::Tensor& inputs, const torch::Tensor& subset) const {
    if (subset.numel() == 0) return torch::zeros({inputs.size(0)}, torch::kFloat64);
    const torch::Tensor given = covariance.index_select(0, subset).index_select(1, subset);
    const torch::Tensor cross = covariance.index_select(1, subset);
    const torch::Tensor regression = cross.matmul(torch::linalg_inv(given));
    return inputs.index_select(1, subset).matmul(regression.t()).matmul(slope);
  }
};

TEST(Knockout, LearnsEveryMarginalOfAGaussian) {
  torch::manual_seed(1);
  torch::set_num_threads(1);
  const GaussianProblem problem;
  const torch::Tensor inputs = problem.draw_inputs(4000);
  const torch::Tensor targets =
      inputs.matmul(problem.slope) + 0.1 * torch::randn({4000}, torch::kFloat64);
  torch::nn::Sequential network(
      Knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                     .shape = {3},
                                                     .placeholder = Placeholder::z_score(),
                                                     .knockout_rate = 0.35,
                                                     .separate_features = true}}}),
      torch::nn::Linear(3, 64), torch::nn::ReLU(), torch::nn::Linear(64, 64), torch::nn::ReLU(),
      torch::nn::Linear(64, 1));
  constexpr int kSteps = 2500;
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(3e-3));
  for (int step = 0; step < kSteps; ++step) {
    const double rate = 3e-3 * 0.5 * (1 + std::cos(M_PI * step / kSteps));
    static_cast<torch::optim::AdamOptions&>(optimizer.param_groups()[0].options()).lr(rate);
    const torch::Tensor rows = torch::randint(4000, {256}, torch::kInt64);
    const torch::Tensor batch = inputs.index_select(0, rows).to(torch::kFloat32);
    optimizer.zero_grad();
    torch::mse_loss(network->forward(batch).squeeze(1),
                    targets.index_select(0, rows).to(torch::kFloat32))
        .backward();
    optimizer.step();
  }

  network->eval();
  const torch::NoGradGuard no_gradients;
  const torch::Tensor test = problem.draw_inputs(2000);
  for (int pattern = 0; pattern < 8; ++pattern) {
    torch::Tensor given = test.clone();
    std::vector<std::int64_t> subset;
    for (int i = 0; i < 3; ++i) {
      if ((pattern >> i & 1) != 0) {
        given.select(1, i).fill_(NAN);
      } else {
        subset.push_back(i);
      }
    }
    const torch::Tensor predicted =
        network->forward(given.to(torch::kFloat32)).squeeze(1).to(torch::kFloat64);
    const torch::Tensor best = problem.best_prediction(test, torch::tensor(subset, torch::kInt64));
    // Without its noise the target has a variance of 2.6.
    EXPECT_LT((predicted - best).square().mean().item<double>(), 0.02) << "pattern " << pattern;
  }
}

}  // namespace
}  // namespace knockout::nn
