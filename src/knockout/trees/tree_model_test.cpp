// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/tree_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "knockout/base/error.h"

namespace knockout {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// Two trees of two columns. The first asks for column 1 and then column 0, the second only
/// answers.
TreeParts two_trees() {
  TreeParts parts;
  parts.columns = 2;
  parts.rounds = 2;
  parts.start = 100.0F;
  parts.roots = {{.node = 0}, {.node = 5}};
  parts.nodes = {{.threshold = 3, .left = 1, .column = 1, .gap_goes_left = 1},
                 {.threshold = -2, .left = 3, .column = 0, .gap_goes_left = 0},
                 {.threshold = 7},
                 {.threshold = 5},
                 {.threshold = 6},
                 {.threshold = 0.5F}};
  return parts;
}

std::vector<float> answers(const TreeParts& parts, const std::vector<float>& values) {
  const TreeModel model(parts);
  const std::size_t rows = values.size() / static_cast<std::size_t>(parts.columns);
  std::vector<float> out(rows * static_cast<std::size_t>(model.outputs()));
  model.predict({values.data(), rows, parts.columns}, out, 1);
  return out;
}

TEST(TreeModel, WalksFromTheRootToALeafAndAddsUp) {
  EXPECT_EQ(answers(two_trees(), {0, 3,           // not below 3: right
                                  -3, 2,          // left, left
                                  -2, 2,          // left, not below -2: right
                                  -3, kMissing,   // a gap goes left, then left
                                  kMissing, 2}),  // left, then a gap goes right
            (std::vector<float>{107.5F, 105.5F, 106.5F, 105.5F, 106.5F}));
}

TEST(TreeModel, TurnsSumsIntoProbabilities) {
  TreeParts parts = two_trees();
  parts.objective = TreeObjective::kLogistic;
  parts.start = -7.5F;
  EXPECT_FLOAT_EQ(answers(parts, {0, 3})[0], 0.5F);
  parts.objective = TreeObjective::kSoftmax;
  parts.outputs = 2;
  parts.roots[1].output = 1;
  const std::vector<float> shares = answers(parts, {0, 3});  // 7 against 0.5
  EXPECT_FLOAT_EQ(shares[0], 1.0F / (1.0F + std::exp(-6.5F)));
  EXPECT_FLOAT_EQ(shares[0] + shares[1], 1.0F);
}

TEST(TreeModel, AnswersARowAloneAsInABatch) {
  const std::vector<float> values(2 * 1000, -3.0F);
  EXPECT_EQ(answers(two_trees(), values), std::vector<float>(1000, 105.5F));
}

TEST(TreeModel, RefusesAnotherNumberOfColumns) {
  const TreeModel model(two_trees());
  const std::vector<float> values(3, 0.0F);
  std::vector<float> out(1);
  EXPECT_THROW(model.predict({values.data(), 1, 3}, out, 1), DataError);
}

TEST(TreeModel, RefusesPartsThatNoWalkSurvives) {
  const float infinite = std::numeric_limits<float>::infinity();
  const std::vector<std::function<void(TreeParts&)>> damages = {
      [](TreeParts& p) { p.columns = 1; },
      [](TreeParts& p) { p.columns = 0; },
      [](TreeParts& p) { p.outputs = 0; },
      [](TreeParts& p) { p.outputs = 2; },
      [](TreeParts& p) { p.rounds = -1; },
      [](TreeParts& p) { p.roots[1].node = 6; },
      [](TreeParts& p) { p.roots[1].node = -1; },
      [](TreeParts& p) { p.roots[1].output = 1; },
      [](TreeParts& p) { p.nodes[1].left = 5; },  // its right child is no node
      [](TreeParts& p) { p.nodes[1].left = 1; },  // for ever
      [](TreeParts& p) { p.nodes[1].left = -3; },
      [](TreeParts& p) { p.nodes[1].left = std::numeric_limits<std::int32_t>::max(); },
      [](TreeParts& p) { p.nodes[0].column = -1; },
      [](TreeParts& p) { p.nodes[0].gap_goes_left = 2; },
      [](TreeParts& p) { p.nodes[3].threshold = kMissing; },
      [=](TreeParts& p) { p.start = infinite; }};
  for (std::size_t d = 0; d < damages.size(); ++d) {
    TreeParts parts = two_trees();
    damages[d](parts);
    EXPECT_THROW(TreeModel{parts}, ModelFileError) << "damage " << d;
  }
}

}  // namespace
}  // namespace knockout
