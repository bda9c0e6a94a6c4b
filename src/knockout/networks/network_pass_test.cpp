// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network_pass.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/networks/activation.h"
#include "knockout/networks/architecture.h"
#include "knockout/networks/linear.h"
#include "knockout/networks/residual.h"

namespace knockout {
namespace {

struct PassCase {
  const char* name;
  Architecture architecture;
  double dropout;
  int outputs;
};

/// A batch of random rows; the "loss" of the tests is a fixed random weighting of the outputs,
/// whose gradient is that weighting.
class WholeNetwork : public testing::TestWithParam<PassCase> {
 protected:
  static constexpr int kRows = 300;  // more than one shard
  WholeNetwork()
      : network_(build_layers({.architecture = GetParam().architecture,
                               .dense_inputs = 3,
                               .embedded = {{"a", 4, 2}, {"b", 3, 1}},
                               .hidden = {7, 5},
                               .outputs = GetParam().outputs,
                               .dropout = GetParam().dropout})),
        pass_(network_.layers(), kRows, NetworkPass::Use::kTrain) {
    network_.initialize(random_);
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < 3; ++i)
        pass_.input_row(r)[i] = static_cast<float>(random_.normal(9, r, i));
      pass_.codes(r)[0] = r % 4;
      pass_.codes(r)[1] = r % 3;
    }
  }

  static double weighting(int row, int output) { return std::sin(1.0 + row + 7.0 * output); }

  double loss() {
    double sum = 0;
    for (int shard = 0; shard < pass_.shards(); ++shard)
      pass_.forward(network_, pass_.shard_rows(shard), context());
    for (int r = 0; r < kRows; ++r) {
      for (int o = 0; o < GetParam().outputs; ++o) sum += weighting(r, o) * pass_.outputs(r)[o];
    }
    return sum;
  }

  PassContext context() const { return {.dropout = &random_, .step = 5}; }

  Random random_{3, Stream::kWeights};
  Network network_;
  NetworkPass pass_;
};

TEST_P(WholeNetwork, GradientsMeetFiniteDifferences) {
  loss();
  for (int r = 0; r < kRows; ++r) {
    for (int o = 0; o < GetParam().outputs; ++o)
      pass_.output_gradient(r)[o] = static_cast<float>(weighting(r, o));
  }
  for (int shard = 0; shard < pass_.shards(); ++shard)
    pass_.backward(network_, pass_.shard_rows(shard), context());
  std::vector<float> gradient(network_.parameters().size(), NAN);
  for (const ParameterBlock& block : pass_.blocks())
    pass_.gradient_block(network_, block, gradient.data());

  // Compared block by block: a single number may sit on a kink of a ReLU, a block does not.
  constexpr float kStep = 2e-4f;
  for (const ParameterBlock& block : pass_.blocks()) {
    double error = 0, size = 0;
    for (std::size_t i = block.offset; i < block.offset + block.count; ++i) {
      const float kept = network_.parameters()[i];
      network_.parameters()[i] = kept + kStep;
      const double above = loss();
      network_.parameters()[i] = kept - kStep;
      const double below = loss();
      network_.parameters()[i] = kept;
      const double difference = (above - below) / (2 * kStep);
      error += (gradient[i] - difference) * (gradient[i] - difference);
      size += difference * difference;
    }
    EXPECT_LT(std::sqrt(error / size), 0.03) << "block at parameter " << block.offset;
  }
}

TEST_P(WholeNetwork, BlocksCoverEveryParameterOnce) {
  std::size_t next = 0;
  for (const ParameterBlock& block : pass_.blocks()) {
    EXPECT_EQ(block.offset, next);
    next += block.count;
  }
  EXPECT_EQ(next, network_.parameters().size());
}

INSTANTIATE_TEST_SUITE_P(Architectures, WholeNetwork,
                         testing::Values(PassCase{"mlp", Architecture::kMlp, 0.0, 2},
                                         PassCase{"mlp_dropout", Architecture::kMlp, 0.25, 2},
                                         PassCase{"mlp_one_output", Architecture::kMlp, 0.25, 1},
                                         PassCase{"residual", Architecture::kResidual, 0.0, 2},
                                         PassCase{"residual_dropout", Architecture::kResidual, 0.25,
                                                  1}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(NetworkPass, ComputesWhatTheFormulaOfAPerceptronSays) {
  Network network(build_layers({.dense_inputs = 2, .hidden = {2}}));
  // Hidden: h0 = relu(x0 - x1 + 0.5), h1 = relu(2 x1 - 1); output: 3 h0 - h1 + 0.25.
  network.parameters() = {1, 0, -1, 2, 0.5f, -1, 3, -1, 0.25f};
  NetworkPass pass(network.layers(), 1, NetworkPass::Use::kPredict);
  pass.input_row(0)[0] = 2;
  pass.input_row(0)[1] = 1;
  for (const bool row_by_row : {false, true}) {
    pass.forward(network, {0, 1}, {.row_by_row = row_by_row});
    EXPECT_FLOAT_EQ(pass.outputs(0)[0], 3 * 1.5f - 1 + 0.25f);
  }
}

TEST(NetworkPass, ComputesWhatTheFormulaOfAResidualNetworkSays) {
  Network network(build_layers(
      {.architecture = Architecture::kResidual, .dense_inputs = 1, .hidden = {1}, .outputs = 1}));
  // h = 2 x - 1; block: h + (-3) relu(0.5 h + 1) + 4; output: 10 relu(block) + 7.
  network.parameters() = {2, -1, 0.5f, 1, -3, 4, 10, 7};
  NetworkPass pass(network.layers(), 1, NetworkPass::Use::kPredict);
  for (const float x : {0.5f, 1.0f, -4.0f, 4.0f}) {
    pass.input_row(0)[0] = x;
    pass.forward(network, {0, 1});
    const float h = 2 * x - 1;
    const float block = h - 3 * std::max(0.0f, 0.5f * h + 1) + 4;
    EXPECT_FLOAT_EQ(pass.outputs(0)[0], 10 * std::max(0.0f, block) + 7) << x;
  }
}

TEST(NetworkPass, DropsAboutTheShareAskedFor) {
  Network network(build_layers({.dense_inputs = 1, .hidden = {300}, .dropout = 0.25}));
  for (int unit = 0; unit < 300; ++unit)
    network.parameters()[300 + unit] = 1.0f;  // biases: every unit gives 1
  for (int unit = 0; unit < 300; ++unit)
    network.parameters()[600 + unit] = 1.0f;  // output: their sum
  NetworkPass pass(network.layers(), 100, NetworkPass::Use::kTrain);
  const Random random(1, Stream::kDropout);
  pass.forward(network, {0, 100}, {.dropout = &random, .step = 0});
  double mean = 0;
  for (int r = 0; r < 100; ++r) mean += pass.outputs(r)[0] / 100;
  EXPECT_NEAR(mean, 300, 5);  // kept units are scaled up, so the sum stays; its deviation is 1 here
  EXPECT_NE(pass.outputs(0)[0], pass.outputs(1)[0]);
}

TEST(LayerStack, CountsTheFloatsThatItHoldsForARow) {
  // Each matrix has a column of ones beside its own: 2, 5 and 1; a ReLU works in place.
  const LayerStack plain({std::make_shared<Linear>(0, 2, 5), std::make_shared<Relu>(5),
                          std::make_shared<Linear>(1, 5, 1)});
  EXPECT_EQ(plain.row_memory(), 3U + 6 + 2);
  // A block of width 2 whose branch holds 2, 7 and 2.
  const LayerStack residual({std::make_shared<Residual>(0, 2, 7, 0.0)});
  EXPECT_EQ(residual.row_memory(), 3U + 3 + (3 + 8 + 3));
}

TEST(LayerStack, RefusesLayersThatDoNotFitOneAnother) {
  EXPECT_THROW(LayerStack({}), ModelFileError);
  EXPECT_THROW(LayerStack({std::make_shared<Linear>(0, 3, 4), std::make_shared<Relu>(5)}),
               ModelFileError);
}

}  // namespace
}  // namespace knockout
