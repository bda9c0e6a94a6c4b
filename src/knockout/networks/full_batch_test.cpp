// SPDX-License-Identifier: Apache-2.0
// The paper's training, step by step, beside an implementation of its own in doubles: all rows in
// every step, Adam at a constant rate, the last weights.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "knockout/mask/sampler.h"
#include "knockout/model/shuffle.h"
#include "knockout/networks/trainer.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

constexpr int kRows = 37, kInputs = 2;
constexpr std::uint64_t kSeed = 5;
constexpr double kRate = 3e-3;

struct SmallProblem {
  Encoder encoder;
  Examples examples;
  KnockoutPlan plan = make_plan({"a", "b"}, {false, false}, {.rate = PaperRate{}});

  SmallProblem() {
    const Random random(8, Stream::kSimulation);
    std::vector<double> a, b;
    for (int r = 0; r < kRows; ++r) {
      a.push_back(random.normal(0, r, 0));
      b.push_back(random.normal(0, r, 1));
      examples.labels.push_back(static_cast<float>(3 + 2 * a.back() - b.back()));
      examples.weights.push_back(1.0f);
    }
    const Table table({test::numbers("a", a), test::numbers("b", b)});
    Schema schema;
    schema.features = {{.name = "a"}, {.name = "b"}};
    encoder = Encoder::fit(table, schema, {.clip_stddevs = {}, .inline_placeholders = true});
    examples.inputs = encoder.encode(table);
    examples.heads = {{.loss = Loss::kSquaredError}};
  }
};

TrainOptions paper_training(int steps) {
  return {.hidden = {{5, 4}},
          .networks = 1,
          .full_batch = true,
          .steps = steps,
          .learning_rate = kRate,
          .schedule = Schedule::kConstant,
          .weight_decay = 0,
          .dropout = 0,
          .validation_share = 0,
          .averaging = 0,
          .seed = kSeed,
          .threads = 1};
}

/// Layers of `inputs` + 1 rows (the last is the bias) and `outputs` columns, one after the other.
class NaiveNetwork {
 public:
  explicit NaiveNetwork(const std::vector<float>& weights)
      : weights_(weights.begin(), weights.end()),
        first_(weights.size(), 0.0),
        second_(weights.size(), 0.0) {}

  /// One step of Adam (Kingma and Ba 2015, algorithm 1) on the mean squared error.
  void step(const std::vector<std::vector<double>>& inputs, const std::vector<double>& labels) {
    std::vector<double> gradient(weights_.size(), 0.0);
    for (std::size_t r = 0; r < inputs.size(); ++r) add_gradient(inputs[r], labels[r], gradient);
    ++steps_;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double g = gradient[i] / static_cast<double>(inputs.size());
      first_[i] = 0.9 * first_[i] + 0.1 * g;
      second_[i] = 0.999 * second_[i] + 0.001 * g * g;
      const double mean = first_[i] / (1 - std::pow(0.9, steps_));
      const double square = second_[i] / (1 - std::pow(0.999, steps_));
      weights_[i] -= kRate * mean / (std::sqrt(square) + 1e-8);
    }
  }

  const std::vector<double>& weights() const { return weights_; }

 private:
  static constexpr int kSizes[] = {kInputs, 5, 4, 1};

  void add_gradient(const std::vector<double>& input, double label,
                    std::vector<double>& gradient) const {
    std::vector<std::vector<double>> layers = {input};
    std::vector<std::size_t> begins;
    std::size_t begin = 0;
    for (int l = 0; l < 3; ++l) {
      begins.push_back(begin);
      std::vector<double> out(kSizes[l + 1]);
      for (int o = 0; o < kSizes[l + 1]; ++o) {
        out[o] = weights_[begin + kSizes[l] * kSizes[l + 1] + o];
        for (int i = 0; i < kSizes[l]; ++i) {
          out[o] += layers[l][i] * weights_[begin + i * kSizes[l + 1] + o];
        }
        if (l < 2) out[o] = std::max(out[o], 0.0);
      }
      begin += static_cast<std::size_t>(kSizes[l] + 1) * kSizes[l + 1];
      layers.push_back(out);
    }
    // d (prediction - label)^2 / d prediction, then back through the layers.
    std::vector<double> delta = {2 * (layers[3][0] - label)};
    for (int l = 2; l >= 0; --l) {
      std::vector<double> before(kSizes[l], 0.0);
      for (int o = 0; o < kSizes[l + 1]; ++o) {
        gradient[begins[l] + kSizes[l] * kSizes[l + 1] + o] += delta[o];
        for (int i = 0; i < kSizes[l]; ++i) {
          gradient[begins[l] + i * kSizes[l + 1] + o] += delta[o] * layers[l][i];
          if (layers[l][i] > 0) before[i] += delta[o] * weights_[begins[l] + i * kSizes[l + 1] + o];
        }
      }
      delta = before;
    }
  }

  std::vector<double> weights_, first_, second_;
  int steps_ = 0;
};

/// What the documentation of shuffling and of the sampler says that a step sees.
struct StepRows {
  std::vector<std::vector<double>> inputs;
  std::vector<double> labels;
  std::set<std::uint32_t> rows;
  int knocked_out = 0;
};

StepRows rows_of_step(const SmallProblem& problem, std::uint64_t step, bool shared_mask) {
  std::vector<std::uint32_t> order(kRows);
  ShuffledRows(kRows, Random(kSeed, Stream::kShuffle, 0)).fill(step * kRows, order);
  const KnockoutSampler sampler(problem.plan, Random(kSeed, Stream::kKnockout, 0));
  StepRows seen;
  for (std::uint32_t position = 0; position < kRows; ++position) {
    const std::uint32_t row = order[position];
    std::uint8_t mask[kInputs];
    sampler.draw(step, shared_mask ? 0 : position, mask);
    std::vector<double> inputs(kInputs);
    for (int i = 0; i < kInputs; ++i) {
      inputs[i] = mask[i] ? 10.0 : problem.examples.inputs.values[row * kInputs + i];
      seen.knocked_out += mask[i];
    }
    seen.inputs.push_back(inputs);
    seen.labels.push_back(problem.examples.labels[row]);
    seen.rows.insert(row);
  }
  return seen;
}

void expect_same_training(const SmallProblem& problem, MaskPer mask_per) {
  constexpr int kSteps = 6;
  TrainOptions options = paper_training(1);
  options.mask_per = mask_per;
  Network start(train(problem.examples, problem.encoder, problem.plan, options)
                    .networks[0]
                    .layers()
                    .layers());
  start.initialize(Random(kSeed, Stream::kWeights, 0));
  NaiveNetwork naive(start.parameters());
  int knocked_out = 0;
  for (int step = 0; step < kSteps; ++step) {
    const StepRows seen = rows_of_step(problem, step, mask_per == MaskPer::kStep);
    EXPECT_EQ(seen.rows.size(), static_cast<std::size_t>(kRows)) << "every row, in step " << step;
    knocked_out += seen.knocked_out;
    naive.step(seen.inputs, seen.labels);
    options.steps = step + 1;  // the rate is constant: it does not know how many there will be
    const std::vector<float> trained =
        train(problem.examples, problem.encoder, problem.plan, options).networks[0].parameters();
    ASSERT_EQ(trained.size(), naive.weights().size());
    for (std::size_t i = 0; i < trained.size(); ++i) {
      EXPECT_NEAR(trained[i], naive.weights()[i], 2e-5) << "weight " << i << ", step " << step;
    }
  }
  EXPECT_GT(knocked_out, 0);
}

TEST(FullBatch, IsTheNaiveTrainingStepByStep) {
  expect_same_training(SmallProblem(), MaskPer::kRow);
}

TEST(FullBatch, SharesOneMaskAmongTheRowsOfAStepWhereAsked) {
  expect_same_training(SmallProblem(), MaskPer::kStep);
}

/// PyTorch's default for linear layers: uniform within 1 / sqrt(inputs), biases too.
TEST(FullBatch, StartsFromUniformWeightsOfTheRightWidth) {
  const SmallProblem problem;
  TrainOptions options = paper_training(1);
  options.hidden = {{100, 100}};
  Network network(train(problem.examples, problem.encoder, problem.plan, options)
                      .networks[0]
                      .layers()
                      .layers());
  network.initialize(Random(kSeed, Stream::kWeights, 0));
  const std::vector<float>& weights = network.parameters();
  const std::size_t first = (kInputs + 1) * 100, second = 101 * 100;
  const auto check = [&](std::size_t begin, std::size_t count, double bound) {
    double largest = 0, squares = 0;
    for (std::size_t i = begin; i < begin + count; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(weights[i])));
      squares += static_cast<double>(weights[i]) * weights[i];
    }
    EXPECT_LE(largest, bound * (1 + 1e-6));
    EXPECT_GT(largest, 0.95 * bound);
    // The variance of U(-b, b) is b^2 / 3.
    EXPECT_NEAR(squares / static_cast<double>(count) / (bound * bound / 3), 1, 0.2);
  };
  check(0, first, 1 / std::sqrt(static_cast<double>(kInputs)));
  check(first, second, 0.1);
  check(first + second, 101, 0.1);
}

}  // namespace
}  // namespace knockout
