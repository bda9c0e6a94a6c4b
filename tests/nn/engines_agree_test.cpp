// SPDX-License-Identifier: Apache-2.0
// The native engine and LibTorch with the Knockout module: the same weights, rows and masks give
// the same loss and the same gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "knockout/kernels/loss.h"
#include "knockout/model/write_placeholders.h"
#include "knockout/networks/architecture.h"
#include "knockout/networks/network_pass.h"
#include "knockout/nn/module/knockout_embedding.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

constexpr int kRows = 300;  // more than one shard of the native pass
constexpr std::uint64_t kSeed = 21, kStep = 17;
constexpr double kRate = 0.3;
constexpr float kPrecision = 1e-5f;

/// Three numbers and a category with many values; gaps by chance in `a`, for a reason in `b`. The
/// targets are a number, a yes or no, and one of three classes.
struct Problem {
  Table table;
  Schema schema;
  Encoder encoder;
  EncodedRows rows;
  KnockoutPlan plan;
  std::vector<float> labels, weights;  // rows x 3
  NetworkPlan shape;

  Problem() {
    const Random random(4, Stream::kSimulation);
    std::vector<double> a, b, c;
    std::vector<std::string> d;
    for (int r = 0; r < kRows; ++r) {
      a.push_back(random.uniform(0, r, 0) < 0.2 ? test::kGap : random.normal(0, r, 1));
      b.push_back(random.uniform(0, r, 2) < 0.2 ? test::kReasonGap : random.normal(0, r, 3));
      c.push_back(random.normal(0, r, 4));
      d.push_back(random.uniform(0, r, 5) < 0.2 ? "" : "v" + std::to_string(r % 6));
      labels.push_back(static_cast<float>(random.normal(0, r, 6)));
      labels.push_back(static_cast<float>(r % 2));
      labels.push_back(static_cast<float>(r % 3));
      for (int h = 0; h < 3; ++h)
        weights.push_back(random.uniform(1, r, h) < 0.1 ? 0.0f : 0.5f + h);
    }
    table = Table(
        {test::numbers("a", a), test::numbers("b", b), test::numbers("c", c), test::words("d", d)});
    schema.features = {
        {.name = "a", .training_gaps = GapMeaning::kAtRandom},
        {.name = "b", .training_gaps = GapMeaning::kForAReason},
        {.name = "c"},
        {.name = "d", .kind = ColumnKind::kCategorical, .training_gaps = GapMeaning::kAtRandom}};
    for (int i = 0; i < 6; ++i) schema.features[3].categories.push_back("v" + std::to_string(i));
    encoder = Encoder::fit(table, schema, {.max_one_hot = 2, .inline_placeholders = true});
    rows = encoder.encode(table);
    plan.units = 4;
    plan.parts = {{.unit_rates = std::vector<double>(4, kRate)}};
    plan.never_missing.assign(4, false);
    shape = {.dense_inputs = 3,
             .embedded = {{.column = "d", .rows = 8, .dimension = 5}},
             .hidden = {20, 10},
             .outputs = 5};
  }
};

struct LossAndGradient {
  double loss = 0;
  std::vector<float> gradient;  // in the order of Network::parameters()
};

LossAndGradient native(const Problem& problem, const Network& network) {
  NetworkPass pass(network.layers(), kRows, NetworkPass::Use::kTrain);
  const KnockoutSampler sampler(problem.plan, Random(kSeed, Stream::kKnockout));
  std::vector<std::uint8_t> mask(4);
  for (int r = 0; r < kRows; ++r) {
    std::copy_n(problem.rows.values.data() + 3 * r, 3, pass.input_row(r));
    *pass.codes(r) = problem.rows.codes[r];
    sampler.draw(kStep, r, mask);
    write_placeholders(problem.encoder, mask, pass.input_row(r), pass.codes(r));
  }
  std::vector<float> label(kRows), weight(kRows);
  const auto column = [&](int head) {
    for (int r = 0; r < kRows; ++r) {
      label[r] = problem.labels[3 * r + head];
      weight[r] = problem.weights[3 * r + head];
    }
  };
  for (int s = 0; s < pass.shards(); ++s) pass.forward(network, pass.shard_rows(s));
  LossAndGradient result;
  column(0);
  result.loss += squared_error(pass.outputs(0), 5, label.data(), weight.data(), kRows,
                               pass.output_gradient(0));
  column(1);
  result.loss += logistic_loss(pass.outputs(0) + 1, 5, label.data(), weight.data(), kRows,
                               pass.output_gradient(0) + 1);
  column(2);
  result.loss += softmax_loss(pass.outputs(0) + 2, 5, 3, label.data(), weight.data(), kRows,
                              pass.output_gradient(0) + 2);
  for (int s = 0; s < pass.shards(); ++s) pass.backward(network, pass.shard_rows(s));
  result.gradient.resize(network.parameters().size());
  for (const ParameterBlock& block : pass.blocks())
    pass.gradient_block(network, block, result.gradient.data());
  return result;
}

LossAndGradient libtorch(const Problem& problem, const Network& network) {
  // The inputs as a user has them: standardised, with NaN and Inf where there is nothing.
  torch::Tensor numbers = torch::tensor(problem.rows.values).reshape({kRows, 3}).clone();
  torch::Tensor codes = torch::empty({kRows}, torch::kInt64);
  for (int r = 0; r < kRows; ++r) {
    if (!problem.table.at("a").observed(r)) numbers[r][0] = NAN;
    if (!problem.table.at("b").observed(r)) numbers[r][1] = INFINITY;
    codes[r] = problem.table.at("d").observed(r) ? problem.rows.codes[r] : -1;
  }
  // One plan over the columns of both kinds: the mask of the category is the plan's fourth unit.
  nn::Knockout knockout(nn::KnockoutModuleOptions{
      .modalities = {{.name = "numbers",
                      .shape = {3},
                      .placeholder = nn::Placeholder::z_score(),
                      .separate_features = true},
                     {.name = "category", .shape = {1}, .placeholder = nn::Placeholder::code()}},
      .plan = problem.plan,
      .seed = kSeed});
  knockout->set_step(kStep);
  const auto inputs = knockout->forward_all({numbers, codes.unsqueeze(1)});

  // The table comes first, then the linear layers: (inputs + 1) x outputs, the bias in the last
  // row.
  nn::KnockoutEmbedding embedding(
      nn::KnockoutEmbeddingImpl::Options{.categories = 6, .dimension = 5, .knockout_rate = 0});
  auto* values = const_cast<float*>(network.parameters().data());
  {
    const torch::NoGradGuard no_gradients;
    torch::Tensor(embedding->weight()).copy_(torch::from_blob(values, {8, 5}));
  }
  values += 8 * 5;
  std::vector<torch::Tensor> layers;
  for (const auto& [inputs_and_bias, outputs] :
       {std::pair(9, 20), std::pair(21, 10), std::pair(11, 5)}) {
    layers.push_back(torch::from_blob(values, {inputs_and_bias, outputs}).clone().requires_grad_());
    values += inputs_and_bias * outputs;
  }
  torch::Tensor hidden = torch::cat({inputs[0], embedding->forward(inputs[1].squeeze(1))}, 1);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::int64_t width = layers[layer].size(0) - 1;
    hidden = torch::addmm(layers[layer][width], hidden, layers[layer].slice(0, 0, width));
    if (layer + 1 < layers.size()) hidden = torch::relu(hidden);
  }
  const torch::Tensor labels = torch::tensor(problem.labels).reshape({kRows, 3});
  const torch::Tensor weights = torch::tensor(problem.weights).reshape({kRows, 3});
  const torch::Tensor loss =
      ((hidden.select(1, 0) - labels.select(1, 0)).square() * weights.select(1, 0)).sum() +
      torch::binary_cross_entropy_with_logits(hidden.select(1, 1), labels.select(1, 1),
                                              weights.select(1, 1), {}, torch::Reduction::Sum) +
      (torch::cross_entropy_loss(hidden.slice(1, 2), labels.select(1, 2).to(torch::kInt64), {},
                                 torch::Reduction::None) *
       weights.select(1, 2))
          .sum();
  loss.backward();

  LossAndGradient result{.loss = loss.item<double>(), .gradient = {}};
  layers.insert(layers.begin(), embedding->weight());
  for (const torch::Tensor& parameter : layers) {
    const torch::Tensor gradient = parameter.grad().contiguous();
    result.gradient.insert(result.gradient.end(), gradient.data_ptr<float>(),
                           gradient.data_ptr<float>() + gradient.numel());
  }
  return result;
}

TEST(Engines, GiveTheSameLossAndGradientsForTheSameWeightsAndMasks) {
  const Problem problem;
  ASSERT_EQ(problem.encoder.width(), 3);
  ASSERT_EQ(problem.encoder.embedded().size(), 1u);
  Network network(build_layers(problem.shape));
  network.initialize(Random(1, Stream::kWeights));
  const LossAndGradient ours = native(problem, network), theirs = libtorch(problem, network);
  EXPECT_NEAR(ours.loss / theirs.loss, 1.0, kPrecision);
  ASSERT_EQ(ours.gradient.size(), theirs.gradient.size());
  float largest = 0;
  for (const float value : theirs.gradient) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < ours.gradient.size(); ++i) {
    ASSERT_NEAR(ours.gradient[i], theirs.gradient[i], kPrecision * largest) << "parameter " << i;
  }
}

}  // namespace
}  // namespace knockout
