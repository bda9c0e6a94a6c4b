// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/pass.h"

#include <gtest/gtest.h>

#include <cmath>

namespace knockout {
namespace {

const NetworkShape kShape = {
    .dense_inputs = 3,
    .embeddings = {{.rows = 4, .dimension = 2}, {.rows = 3, .dimension = 1}},
    .hidden = {7, 5},
    .outputs = 2};

/// A batch of random rows; the "loss" of the tests is a fixed random weighting of the outputs,
/// whose gradient is that weighting.
class PassTest : public testing::TestWithParam<double> {
 protected:
  static constexpr int kRows = 300;  // more than one shard
  PassTest() : network_(kShape), pass_(kShape, kRows) {
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
      pass_.forward(network_, pass_.shard_rows(shard), dropout());
    for (int r = 0; r < kRows; ++r) {
      for (int o = 0; o < 2; ++o) sum += weighting(r, o) * pass_.outputs(r)[o];
    }
    return sum;
  }

  Pass::Dropout dropout() const { return {.rate = GetParam(), .random = &random_, .step = 5}; }

  Random random_{3, Stream::kWeights};
  Network network_;
  Pass pass_;
};

TEST_P(PassTest, GradientsMeetFiniteDifferences) {
  loss();
  for (int r = 0; r < kRows; ++r) {
    for (int o = 0; o < 2; ++o) pass_.output_gradient(r)[o] = static_cast<float>(weighting(r, o));
  }
  for (int shard = 0; shard < pass_.shards(); ++shard)
    pass_.backward(network_, pass_.shard_rows(shard), dropout());
  std::vector<float> gradient(network_.parameters().size(), NAN);
  for (const Pass::Block& block : pass_.blocks()) pass_.gradient_block(block, gradient.data());

  // Compared block by block: a single number may sit on a kink of a ReLU, a block does not.
  constexpr float kStep = 2e-4f;
  for (const Pass::Block& block : pass_.blocks()) {
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

TEST(Pass, GradientsOfASingleOutputMeetFiniteDifferences) {
  const NetworkShape shape = {.dense_inputs = 2, .embeddings = {}, .hidden = {6}, .outputs = 1};
  Network network(shape);
  network.initialize(Random(8, Stream::kWeights));
  Pass pass(shape, 1);
  pass.input_row(0)[0] = 0.7f;
  pass.input_row(0)[1] = -0.4f;
  pass.forward(network, {0, 1});
  pass.output_gradient(0)[0] = 1.0f;
  pass.backward(network, {0, 1});
  std::vector<float> gradient(network.parameters().size());
  for (const Pass::Block& block : pass.blocks()) pass.gradient_block(block, gradient.data());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    constexpr float kStep = 1e-2f;
    const float kept = network.parameters()[i];
    network.parameters()[i] = kept + kStep;
    pass.forward(network, {0, 1});
    const float above = pass.outputs(0)[0];
    network.parameters()[i] = kept - kStep;
    pass.forward(network, {0, 1});
    network.parameters()[i] = kept;
    EXPECT_NEAR(gradient[i], (above - pass.outputs(0)[0]) / (2 * kStep), 1e-3) << "parameter " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutDropout, PassTest, testing::Values(0.0, 0.25));

TEST(Pass, ComputesWhatTheFormulaSays) {
  const NetworkShape shape = {.dense_inputs = 2, .embeddings = {}, .hidden = {2}, .outputs = 1};
  Network network(shape);
  // Hidden: h0 = relu(x0 - x1 + 0.5), h1 = relu(2 x1 - 1); output: 3 h0 - h1 + 0.25.
  network.parameters() = {1, 0, -1, 2, 0.5f, -1, 3, -1, 0.25f};
  Pass pass(shape, 1);
  pass.input_row(0)[0] = 2;
  pass.input_row(0)[1] = 1;
  pass.forward(network, {0, 1});
  EXPECT_FLOAT_EQ(pass.outputs(0)[0], 3 * 1.5f - 1 + 0.25f);
}

TEST(Pass, BlocksCoverEveryParameterOnce) {
  const NetworkShape shape = {.dense_inputs = 200,
                              .embeddings = {{.rows = 9, .dimension = 4}},
                              .hidden = {70},
                              .outputs = 3};
  const Pass pass(shape, 8);
  std::size_t next = 0;
  for (const Pass::Block& block : pass.blocks()) {
    EXPECT_EQ(block.offset, next);
    next += block.count;
  }
  EXPECT_EQ(next, Network(shape).parameters().size());
}

TEST(Pass, DropsAboutTheShareAskedFor) {
  const NetworkShape shape = {.dense_inputs = 1, .embeddings = {}, .hidden = {300}, .outputs = 1};
  Network network(shape);
  for (int unit = 0; unit < 300; ++unit)
    network.parameters()[300 + unit] = 1.0f;  // biases: every unit gives 1
  for (int unit = 0; unit < 300; ++unit)
    network.parameters()[600 + unit] = 1.0f;  // output: their sum
  Pass pass(shape, 100);
  const Random random(1, Stream::kDropout);
  pass.forward(network, {0, 100}, {.rate = 0.25, .random = &random, .step = 0});
  double mean = 0;
  for (int r = 0; r < 100; ++r) mean += pass.outputs(r)[0] / 100;
  EXPECT_NEAR(mean, 300, 5);  // kept units are scaled up, so the sum stays; its deviation is 1 here
  EXPECT_NE(pass.outputs(0)[0], pass.outputs(1)[0]);
}

}  // namespace
}  // namespace knockout
