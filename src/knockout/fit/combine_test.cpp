// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/combine.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "knockout/base/random.h"
#include "knockout/mask/plan.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

constexpr int kRows = 4000;

/// Answers with the second or third input, as the file has it: the truth and an error.
class EchoOfAnInput final : public Learner {
 public:
  EchoOfAnInput(const Encoder& encoder, std::size_t input)
      : coding_(encoder.coding()[input]), width_(encoder.width()) {}
  std::string_view kind() const override { return "echo"; }
  std::unique_ptr<LearnerWorkspace> make_workspace(int) const override {
    return std::make_unique<LearnerWorkspace>();
  }
  void answer(const EncodedBlock& block, LearnerWorkspace&,
              std::span<double* const> answers) const override {
    for (int row = 0; row < block.rows; ++row) {
      answers[0][row] =
          coding_.center + coding_.spread * block.values[row * width_ + coding_.begin];
    }
  }
  nlohmann::json write(const std::string&, std::map<std::string, Tensor>&) const override {
    return {};
  }

 private:
  FeatureCoding coding_;
  int width_;
};

/// What learn_weights() makes of two learners whose errors have these standard deviations.
std::vector<double> weights_for(double first_error, double second_error) {
  const Random random(3, Stream::kSimulation);
  std::vector<double> y, first, second;
  for (std::uint32_t r = 0; r < kRows; ++r) {
    y.push_back(random.normal(0, r, 0));
    first.push_back(y.back() + first_error * random.normal(0, r, 1));
    second.push_back(y.back() + second_error * random.normal(0, r, 2));
  }
  const Table table({Column::numbers("first", first), Column::numbers("second", second),
                     Column::numbers("y", y)});
  const Schema schema = infer_schema(table, {.targets = {"y"}}).schema;
  const Encoder encoder = Encoder::fit(table, schema, {.clip_stddevs = std::nullopt});
  const std::vector<TargetCoding> targets = code_targets(table, schema);
  Examples examples;
  examples.inputs = encoder.encode(table);
  label_examples(table, schema, targets, EqualClasses{}, examples);
  const KnockoutPlan nothing = make_plan({"first", "second"}, {false, false}, {.rate = 0.0});
  const std::vector<LearnerPointer> learners = {std::make_shared<EchoOfAnInput>(encoder, 0),
                                                std::make_shared<EchoOfAnInput>(encoder, 1)};
  return learn_weights({table, examples, encoder, nothing, targets, {.share = 0.2, .seed = 1}, 1},
                       {learners, learners});
}

TEST(LearnWeights, FindTheBestAverageOfIndependentErrors) {
  // The average of two unbiased answers is best with weights inverse to their variances.
  const std::vector<double> weights = weights_for(1.0, 0.5);
  EXPECT_NEAR(weights[0], 0.2, 0.051);
  EXPECT_NEAR(weights[0] + weights[1], 1.0, 1e-12);
  EXPECT_NEAR(weights_for(0.5, 1.0)[0], 0.8, 0.051);
  EXPECT_NEAR(weights_for(0.7, 0.7)[0], 0.5, 0.051);
}

TEST(LearnWeights, LeaveOutWhatOnlyHarms) {
  EXPECT_EQ(weights_for(0.01, 3.0), (std::vector<double>{1.0, 0.0}));
}

TEST(LearnWeights, AreEqualWithoutRowsHeldOut) {
  const Table table({Column::numbers("x", std::vector<double>{1, 2, 3}),
                     Column::numbers("y", std::vector<double>{1, 2, 3})});
  const Schema schema = infer_schema(table, {.targets = {"y"}}).schema;
  const Encoder encoder = Encoder::fit(table, schema);
  const std::vector<TargetCoding> targets = code_targets(table, schema);
  const Examples examples;
  const KnockoutPlan nothing = make_plan({"x"}, {false}, {.rate = 0.0});
  EXPECT_EQ(learn_weights({table, examples, encoder, nothing, targets, {}, 1}, {}),
            (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace knockout
