// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_noise_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace knockout::experiments {
namespace {

TEST(Heteroscedastic, IsTheMeanSoftmaxOfItsSamplesWrittenOut) {
  torch::manual_seed(3);
  constexpr int kRows = 2, kFeatures = 5, kClasses = 3, kFactors = 2, kSamples = 4;
  constexpr double kTemperature = 1.7;
  Heteroscedastic noise(HeteroscedasticOptions{.features = kFeatures,
                                               .classes = kClasses,
                                               .factors = kFactors,
                                               .samples = kSamples,
                                               .temperature = kTemperature});
  noise->to(torch::kFloat64);
  const auto normal = [](std::vector<std::int64_t> sizes) {
    return torch::randn(sizes, torch::kFloat64);
  };
  const torch::Tensor features = normal({kRows, kFeatures}), mean = normal({kRows, kClasses});
  const torch::Tensor factor_noise = normal({kRows, kSamples, kFactors});
  const torch::Tensor own_noise = normal({kRows, kSamples, kClasses});
  const torch::Tensor found = noise->with_noise(features, mean, factor_noise, own_noise);

  const auto weights = noise->named_parameters();
  const auto number = [](const torch::Tensor& tensor) { return tensor.item<double>(); };
  const auto linear = [&](const std::string& layer, int row, int output) {
    double sum = number(weights[layer + ".bias"][output]);
    for (int f = 0; f < kFeatures; ++f) {
      sum += number(weights[layer + ".weight"][output][f]) * number(features[row][f]);
    }
    return sum;
  };
  for (int row = 0; row < kRows; ++row) {
    std::vector<double> probability(kClasses, 0.0);
    for (int sample = 0; sample < kSamples; ++sample) {
      std::vector<double> odds(kClasses);
      double sum = 0;
      for (int c = 0; c < kClasses; ++c) {
        double score = number(mean[row][c]);
        for (int k = 0; k < kFactors; ++k) {
          score += linear("factors", row, k * kClasses + c) * number(factor_noise[row][sample][k]);
        }
        const double deviation = std::log1p(std::exp(linear("deviations", row, c))) + 1e-3;
        score += deviation * number(own_noise[row][sample][c]);
        sum += odds[c] = std::exp(score / kTemperature);
      }
      for (int c = 0; c < kClasses; ++c) probability[c] += odds[c] / sum / kSamples;
    }
    for (int c = 0; c < kClasses; ++c) {
      EXPECT_NEAR(number(found[row][c].exp()), probability[c], 1e-12) << row << ", " << c;
    }
  }
}

TEST(Heteroscedastic, AnswersForARowWithoutRegardToTheRowsBesideIt) {
  torch::manual_seed(3);
  Heteroscedastic noise(HeteroscedasticOptions{.features = 5, .classes = 3, .factors = 2});
  const torch::Tensor features = torch::randn({4, 5}), mean = torch::randn({4, 3});
  EXPECT_FALSE(noise->forward(features, mean).equal(noise->forward(features, mean)));
  noise->eval();
  const torch::Tensor all = noise->forward(features, mean);
  EXPECT_TRUE(torch::allclose(noise->forward(features.narrow(0, 2, 1), mean.narrow(0, 2, 1)),
                              all.narrow(0, 2, 1), 1e-5, 1e-6));
}

/// Two classes, three images, of which the batch has number 2 (label 0, predicted 1) and number 0
/// (label 1, predicted 1).
class TwoClasses : public testing::Test {
 protected:
  TwoClasses() {
    torch::NoGradGuard no_gradients;
    u().copy_(torch::tensor({{0.2}, {0.9}, {0.5}}));
    v().copy_(torch::tensor({{0.3, 0.7}, {0.8, 0.6}, {0.1, 0.4}}));
    loss_ = -1;
  }
  torch::Tensor u() { return corrections_->named_parameters()["u"]; }
  torch::Tensor v() { return corrections_->named_parameters()["v"]; }
  void backward() {
    const torch::Tensor loss =
        corrections_->loss(scores_, torch::tensor({0, 1}, torch::kInt64), rows_);
    loss.backward();
    loss_ = loss.item<double>();
  }

  LabelCorrections corrections_{3, 2};
  torch::Tensor scores_ =  // probabilities 0.2, 0.8 and 0.4, 0.6
      torch::tensor({{std::log(0.2), std::log(0.8)}, {std::log(0.4), std::log(0.6)}},
                    torch::requires_grad().dtype(torch::kFloat32));
  std::vector<std::size_t> rows_ = {2, 0};
  double loss_;
};

// Image 2: u^2 = 0.25 is added at class 0, v^2 = 0.16 taken at class 1: 0.45, 0.64 -> 0.45 / 1.09.
// Image 0: u^2 = 0.04 at class 1, v^2 = 0.09 at class 0: 0.31, 0.64 -> 0.64 / 0.95. Distances:
// (0 + 0.25 - 1)^2 + (1 - 0.16)^2 and (-0.09)^2 + (1 + 0.04 - 1)^2.
TEST_F(TwoClasses, LoseAsWorkedOutByHand) {
  backward();
  const double cross_entropy = -(std::log(0.45 / 1.09) + std::log(0.64 / 0.95)) / 2;
  const double distance = (0.75 * 0.75 + 0.84 * 0.84 + 0.09 * 0.09 + 0.04 * 0.04) / 2;
  EXPECT_NEAR(loss_, cross_entropy + distance, 1e-6);
}

// d/du -log(p / sum) = -2u / p + 2u / sum; d/dv (1 - v^2)^2 = -4v (1 - v^2), both halved by the
// mean over two rows. The cross entropy does not reach v, the distance does not reach u.
TEST_F(TwoClasses, MoveAsWorkedOutByHandAndOnlyForImagesOfTheBatch) {
  backward();
  const auto at = [](const torch::Tensor& tensor, int row, int column) {
    return tensor[row][column].item<double>();
  };
  EXPECT_NEAR(at(u().grad(), 2, 0), (-2 * 0.5 / 0.45 + 2 * 0.5 / 1.09) / 2, 1e-6);
  EXPECT_NEAR(at(u().grad(), 0, 0), (-2 * 0.2 / 0.64 + 2 * 0.2 / 0.95) / 2, 1e-6);
  EXPECT_NEAR(at(v().grad(), 2, 1), -4 * 0.4 * 0.84 / 2, 1e-6);
  EXPECT_NEAR(at(v().grad(), 0, 0), 4 * 0.3 * 0.09 / 2, 1e-6);
  for (const torch::Tensor& gradient : {u().grad()[1], v().grad()[1]}) {
    EXPECT_TRUE(gradient.equal(torch::zeros_like(gradient)));
  }
  EXPECT_EQ(at(v().grad(), 2, 0), 0) << "v at the label itself has no part";
  EXPECT_EQ(at(v().grad(), 0, 1), 0);
}

// Softmax: dp0/dscore0 = 0.16, so that d/dscore0 -log((p0 + 0.25) / (p0 + p1 + 0.09)) is
// -0.16 / 0.45; p0 + p1 stays 1.
TEST_F(TwoClasses, MoveTheNetworkByTheCorrectedCrossEntropyAlone) {
  backward();
  EXPECT_NEAR(scores_.grad()[0][0].item<double>(), -0.16 / 0.45 / 2, 1e-6);
  EXPECT_NEAR(scores_.grad()[0][1].item<double>(), 0.16 / 0.45 / 2, 1e-6);
}

}  // namespace
}  // namespace knockout::experiments
