// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/latent_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace knockout::nn {
namespace {

double student_t_in_double(double x, double location, double scale, double freedom) {
  const double distance = (x - location) / scale;
  return std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2) -
         std::log(std::numbers::pi * freedom) / 2 - std::log(scale) -
         (freedom + 1) / 2 * std::log1p(distance * distance / freedom);
}

double normal_log_density(double x, double mean, double variance) {
  return -(x - mean) * (x - mean) / (2 * variance) - std::log(2 * std::numbers::pi * variance) / 2;
}

TEST(StudentT, AgreesWithTheFormulaInDouble) {
  for (const double freedom : {3.0, 3.5, 10.0, 1000.0, 1e6}) {
    for (const double x : {-30.0, -1.0, 0.5, 4.0}) {
      const auto scalar = [](double value) { return torch::full({1}, value); };
      const double found =
          student_t_log_density(scalar(x), scalar(0.3), scalar(0.7), scalar(freedom)).item<float>();
      const double expected = student_t_in_double(x, 0.3, 0.7, freedom);
      EXPECT_NEAR(found, expected, 1e-5 * (1 + std::abs(expected))) << x << ", " << freedom;
    }
  }
}

/// Two numbers, a category of three values, and a category of two.
const InputLayout kMixed{.numbers = 2, .categories = {{2, 3}, {5, 2}}};

/// A dense network on plain numbers.
std::vector<double> run(const DenseNetwork& network, std::vector<double> x, bool relu_at_the_end) {
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const torch::Tensor& weight = network.layers[l].weight;
    std::vector<double> y(static_cast<std::size_t>(weight.size(1)));
    for (std::size_t j = 0; j < y.size(); ++j) {
      y[j] = network.layers[l].bias[j].item<float>();
      for (std::size_t i = 0; i < x.size(); ++i) y[j] += x[i] * weight[i][j].item<float>();
      if (l + 1 < network.layers.size() || relu_at_the_end) y[j] = std::max(y[j], 0.0);
    }
    x = y;
  }
  return x;
}

std::vector<double> run(const DenseLayer& layer, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(layer.weight.size(1)));
  for (std::size_t j = 0; j < y.size(); ++j) {
    y[j] = layer.bias[j].item<float>();
    for (std::size_t i = 0; i < x.size(); ++i) y[j] += x[i] * layer.weight[i][j].item<float>();
  }
  return y;
}

double softplus(double x) { return std::log1p(std::exp(x)); }

/// ln p(x observed | z) + ln p(z) - ln q(z | x) of one row and one sample, one cell at a time.
double naive_log_weight(const LatentModel& model, const std::vector<double>& x,
                        const std::vector<double>& observed, const std::vector<double>& noise) {
  const std::vector<double> proposal = run(model.encoder, x, false);
  std::vector<double> z;
  double sum = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double stddev = softplus(proposal[noise.size() + i]) + 1e-3;
    z.push_back(proposal[i] + stddev * noise[i]);
    sum += normal_log_density(z[i], 0, 1) - normal_log_density(z[i], proposal[i], stddev * stddev);
  }
  const std::vector<double> hidden = run(model.decoder, z, true);
  const std::vector<double> location = run(model.location, hidden);
  const std::vector<double> scale = run(model.raw_scale, hidden);
  const std::vector<double> freedom = run(model.raw_freedom, hidden);
  for (std::size_t i = 0; i < static_cast<std::size_t>(model.layout.numbers); ++i) {
    if (observed[i] == 0) continue;
    sum +=
        student_t_in_double(x[i], location[i], softplus(scale[i]) + 1e-3, softplus(freedom[i]) + 3);
  }
  for (const InputLayout::Block& block : model.layout.categories) {
    const auto begin = static_cast<std::size_t>(block.begin);
    double total = 0, chosen = 0;
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(block.width); ++i) {
      total += std::exp(location[i]);
      if (x[i] == 1) chosen = std::exp(location[i]);
    }
    if (observed[begin] == 1) sum += std::log(chosen / total);
  }
  return sum;
}

TEST(LatentModel, WeighsSamplesAsABruteForceComputation) {
  torch::Generator generator = generator_from(1, 0);
  const LatentModel model(kMixed, 2, 4, generator);
  const std::vector<std::vector<double>> rows = {{0.5, -1, 0, 1, 0, 1, 0},
                                                 {0, 2, 0, 0, 0, 0, 1},
                                                 {1, 0, 1, 0, 0, 0, 0},
                                                 {0, 0, 0, 0, 0, 0, 0}};
  const std::vector<std::vector<double>> observed = {
      {1, 1, 1, 1, 1, 1, 1}, {0, 1, 0, 0, 0, 1, 1}, {1, 0, 1, 1, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 0}};
  torch::Tensor values = torch::zeros({4, 7}), mask = torch::zeros({4, 7});
  for (int r = 0; r < 4; ++r) {
    for (int i = 0; i < 7; ++i) {
      values[r][i] = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
      mask[r][i] = observed[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
    }
  }
  const torch::NoGradGuard no_gradients;
  const SampleNoise noise = model.draw_noise(4, 3, generator);
  const LatentSamples samples = model.sample(values, mask, noise);
  ASSERT_EQ(samples.expected.sizes(), (std::vector<std::int64_t>{4, 3, 7}));
  for (int r = 0; r < 4; ++r) {
    for (int s = 0; s < 3; ++s) {
      const std::vector<double> eps = {noise.latent[r][s][0].item<float>(),
                                       noise.latent[r][s][1].item<float>()};
      const auto row = static_cast<std::size_t>(r);
      EXPECT_NEAR(samples.log_weights[r][s].item<float>(),
                  naive_log_weight(model, rows[row], observed[row], eps), 1e-4);
    }
  }
}

TEST(LatentModel, MeansOverSamplesAreSelfNormalised) {
  const torch::Tensor log_weights = torch::tensor({{std::log(1.0F), std::log(3.0F)}}) + 500.0;
  const torch::Tensor of_samples = torch::tensor({{{2.0F, 0.0F}, {6.0F, 4.0F}}});
  const torch::Tensor mean = importance_mean(log_weights, of_samples);
  EXPECT_NEAR(mean[0][0].item<float>(), 0.25 * 2 + 0.75 * 6, 1e-4);
  EXPECT_NEAR(mean[0][1].item<float>(), 0.75 * 4, 1e-4);
}

/// With U and V uniform the draws are Student's t: the shares of draws below some points are those
/// of its distribution function (with 3 degrees of freedom, a closed form).
TEST(LatentModel, DrawsOfNumbersAreStudentT) {
  torch::Generator generator = generator_from(5, 0);
  const LatentModel model({.numbers = 1}, 1, 2, generator);
  const torch::NoGradGuard no_gradients;
  constexpr std::int64_t kDraws = 100000;
  const SampleNoise noise = model.draw_noise(1, kDraws, generator);
  const LatentSamples samples{.expected = torch::full({1, kDraws, 1}, 2.0),
                              .scale = torch::full({1, kDraws, 1}, 0.5),
                              .freedom = torch::full({1, kDraws, 1}, 3.0)};
  const torch::Tensor draws = model.draw_inputs(samples, noise);
  for (const double t : {-3.0, -1.0, 0.0, 0.5, 2.0}) {
    const double root = std::sqrt(3.0);
    const double below =
        0.5 + (t / (root * (1 + t * t / 3)) + std::atan(t / root)) / std::numbers::pi;
    EXPECT_NEAR((draws < 2.0 + 0.5 * t).to(torch::kDouble).mean().item<double>(), below, 0.006)
        << t;
  }
}

/// A model whose likelihood is known: x = (z, 2 z - 1) + noise, all but Gaussian (10^6 degrees of
/// freedom), so that x is normal with covariance w w' + 0.25 I. ReLU units of z and -z make the
/// decoder linear; the proposal is the same for all rows, and wide.
LatentModel linear_model() {
  torch::Generator generator = generator_from(0, 0);
  LatentModel model({.numbers = 2}, 1, 2, generator);
  const torch::NoGradGuard no_gradients;
  for (const torch::Tensor& parameter : model.parameters()) parameter.zero_();
  const torch::Tensor both = torch::tensor({{1.0F, -1.0F}});
  model.encoder.layers.back().bias[1] = 1.0;  // stddev of 1.31
  model.decoder.layers[0].weight.copy_(both);
  model.decoder.layers[1].weight.copy_(torch::eye(2));
  model.location.weight.copy_(torch::tensor({{1.0F, 2.0F}, {-1.0F, -2.0F}}));
  model.location.bias.copy_(torch::tensor({0.0F, -1.0F}));
  model.raw_scale.bias.fill_(std::log(std::expm1(0.499)));
  model.raw_freedom.bias.fill_(1e6);
  return model;
}

/// ln N(x; (0, -1), [[1.25, 2], [2, 4.25]])
double exact_log_density(double a, double b) {
  const double determinant = 1.25 * 4.25 - 4, c = b + 1;
  const double distance = (4.25 * a * a - 4 * a * c + 1.25 * c * c) / determinant;
  return -distance / 2 - std::log(2 * std::numbers::pi) - std::log(determinant) / 2;
}

TEST(LatentModel, TheBoundRisesTowardsTheExactLikelihood) {
  const LatentModel model = linear_model();
  const torch::NoGradGuard no_gradients;
  torch::Generator generator = generator_from(3, 0);
  constexpr std::int64_t kRows = 4000;
  const torch::Tensor values = torch::tensor({{0.7F, 0.9F}}).expand({kRows, 2}).contiguous();
  const torch::Tensor both = torch::ones({kRows, 2});
  torch::Tensor first_only = both.clone();
  first_only.select(1, 1).zero_();

  struct Case {
    torch::Tensor values, observed;
    double exact;
  };
  for (const Case& one :
       {Case{values, both, exact_log_density(0.7, 0.9)},
        Case{values * first_only, first_only, normal_log_density(0.7, 0, 1.25)}}) {
    double last = -1e9;
    for (const std::int64_t samples : {1, 5, 50}) {
      const SampleNoise noise = model.draw_noise(kRows, samples, generator);
      const double bound =
          importance_bound(model.sample(one.values, one.observed, noise).log_weights)
              .mean()
              .item<float>();
      EXPECT_GT(bound, last);
      EXPECT_LT(bound, one.exact);
      last = bound;
    }
    EXPECT_NEAR(last, one.exact, 0.05);
  }
}

/// E[b | a] = -1 + 2 / 1.25 * a.
TEST(LatentModel, ImportanceMeansApproachTheConditionalExpectation) {
  const LatentModel model = linear_model();
  const torch::NoGradGuard no_gradients;
  torch::Generator generator = generator_from(4, 0);
  const SampleNoise noise = model.draw_noise(1, 20000, generator);
  const LatentSamples samples = model.sample(torch::tensor({{0.7F, 0.0F}, {-1.5F, 0.0F}}),
                                             torch::tensor({{1.0F, 0.0F}, {1.0F, 0.0F}}), noise);
  const torch::Tensor mean = importance_mean(samples.log_weights, samples.expected);
  EXPECT_NEAR(mean[0][1].item<float>(), -1 + 1.6 * 0.7, 0.03);
  EXPECT_NEAR(mean[1][1].item<float>(), -1 - 1.6 * 1.5, 0.03);
}

TEST(LatentModel, GradientsMeetFiniteDifferences) {
  torch::Generator generator = generator_from(2, 0);
  const LatentModel model(kMixed, 2, 3, generator);
  const SampleNoise noise = model.draw_noise(2, 3, generator);
  const torch::Tensor values = torch::tensor(
      {{0.5F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F}, {1.0F, -1.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F}});
  const torch::Tensor observed = torch::tensor(
      {{1.0F, 0.0F, 1.0F, 1.0F, 1.0F, 0.0F, 0.0F}, {1.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 1.0F}});
  // The bound and the draws, which supMIWAE's predictor sees.
  const auto value = [&] {
    const LatentSamples samples = model.sample(values, observed, noise);
    return importance_bound(samples.log_weights).sum() +
           0.1 * model.draw_inputs(samples, noise).sum();
  };
  const std::vector<torch::Tensor> parameters = model.parameters();
  value().backward();
  for (const torch::Tensor& parameter : parameters) {
    const torch::Tensor flat = parameter.detach().view({-1});  // shares its memory
    const torch::Tensor gradient = parameter.grad().view({-1});
    const torch::NoGradGuard no_gradients;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(flat.size(0), 3); ++i) {
      constexpr double kStep = 1e-2;
      const float before = flat[i].item<float>();
      flat[i] = before + kStep;
      const double above = value().item<float>();
      flat[i] = before - kStep;
      const double below = value().item<float>();
      flat[i] = before;
      const double slope = (above - below) / (2 * kStep);
      EXPECT_NEAR(gradient[i].item<float>(), slope, 5e-3 * (1 + std::abs(slope)));
    }
  }
}

}  // namespace
}  // namespace knockout::nn
