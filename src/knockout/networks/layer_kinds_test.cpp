// SPDX-License-Identifier: Apache-2.0
//
// Every kind of layer in the list is held against finite differences, by itself.
#include "knockout/networks/layer_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/networks/network_pass.h"

namespace knockout {
namespace {

struct LayerCase {
  std::string name;
  std::string json;
};

/// The examples of all kinds, and shapes that a layer treats in a way of its own.
std::vector<LayerCase> layer_cases() {
  std::vector<LayerCase> cases;
  for (const LayerKind& kind : layer_kinds()) {
    cases.push_back({std::string(kind.name), std::string(kind.example)});
  }
  cases.push_back(
      {"linear_with_one_output", R"({"kind":"linear","number":3,"inputs":4,"outputs":1})"});
  cases.push_back(
      {"linear_in_several_blocks", R"({"kind":"linear","number":2,"inputs":300,"outputs":2})"});
  cases.push_back({"residual_without_dropout",
                   R"({"kind":"residual","number":0,"width":3,"inner":4,"dropout":0})"});
  return cases;
}

/// The "loss" is a fixed weighting of the outputs, whose gradient is that weighting.
class EveryLayer : public testing::TestWithParam<LayerCase> {
 protected:
  static constexpr int kRows = 300;  // more than one shard
  static constexpr int kCodes = 2;

  EveryLayer()
      : network_({layer_from_json(nlohmann::json::parse(GetParam().json))}),
        pass_(network_.layers(), kRows, NetworkPass::Use::kInputGradients) {
    network_.initialize(random_);
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < network_.inputs(); ++i) {
        // Away from 0, so that no step of a difference crosses the kink of a ReLU at an input.
        const double draw = random_.normal(900, r, i);
        inputs_.push_back(static_cast<float>(draw + (draw > 0 ? 0.1 : -0.1)));
      }
      if (network_.layers().code_inputs().empty()) continue;
      for (int c = 0; c < kCodes; ++c) pass_.codes(r)[c] = (r + c) % 4;
    }
  }

  static double weighting(int row, int output) { return std::sin(1.0 + row + 7.0 * output); }

  PassContext context() const { return {.dropout = &random_, .step = 5, .first_row = 11}; }

  void forward() {
    const int width = network_.inputs();
    for (int r = 0; r < kRows; ++r) {
      std::copy_n(inputs_.data() + static_cast<std::size_t>(r) * width, width, pass_.input_row(r));
    }
    for (int shard = 0; shard < pass_.shards(); ++shard) {
      pass_.forward(network_, pass_.shard_rows(shard), context());
    }
  }

  double loss() {
    forward();
    double sum = 0;
    for (int r = 0; r < kRows; ++r) {
      for (int o = 0; o < network_.outputs(); ++o) sum += weighting(r, o) * pass_.outputs(r)[o];
    }
    return sum;
  }

  void backward() {
    forward();
    for (int r = 0; r < kRows; ++r) {
      for (int o = 0; o < network_.outputs(); ++o) {
        pass_.output_gradient(r)[o] = static_cast<float>(weighting(r, o));
      }
    }
    for (int shard = 0; shard < pass_.shards(); ++shard) {
      pass_.backward(network_, pass_.shard_rows(shard), context());
    }
  }

  /// The slope of the loss along one number, between two points.
  double slope_at(float& value) {
    constexpr float kStep = 1e-3f;
    const float kept = value;
    value = kept + kStep;
    const double above = loss();
    value = kept - kStep;
    const double below = loss();
    value = kept;
    return (above - below) / (2.0 * kStep);
  }

  /// Compared all at once: a single number may sit on a kink of a ReLU, many do not.
  static void expect_close(const std::vector<double>& found, const std::vector<double>& expected) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      error += (found[i] - expected[i]) * (found[i] - expected[i]);
      size += expected[i] * expected[i];
    }
    EXPECT_GT(size, 0.0);
    EXPECT_LT(std::sqrt(error / size), 0.02);
  }

  Random random_{3, Stream::kWeights};
  Network network_;
  NetworkPass pass_;
  std::vector<float> inputs_;
};

TEST_P(EveryLayer, GradientsOfParametersMeetFiniteDifferences) {
  backward();
  std::vector<float> gradient(network_.parameters().size(), NAN);
  for (const ParameterBlock& block : pass_.blocks()) {
    pass_.gradient_block(network_, block, gradient.data());
  }
  for (const ParameterBlock& block : pass_.blocks()) {
    std::vector<double> found, expected;
    for (std::size_t i = block.offset; i < block.offset + block.count; i += 1 + block.count / 40) {
      found.push_back(gradient[i]);
      expected.push_back(slope_at(network_.parameters()[i]));
    }
    expect_close(found, expected);
  }
}

TEST_P(EveryLayer, GradientsOfInputsMeetFiniteDifferences) {
  backward();
  const int width = network_.inputs();
  std::vector<double> found, expected;
  for (const int row : {0, 1, 255, 256, 299}) {
    for (int i = 0; i < width; i += 1 + width / 10) {
      found.push_back(pass_.input_gradient(row)[i]);
      expected.push_back(slope_at(inputs_[static_cast<std::size_t>(row) * width + i]));
    }
  }
  expect_close(found, expected);
}

TEST_P(EveryLayer, BlocksAndTensorsCoverItsParametersOnce) {
  std::size_t next = 0;
  for (const ParameterBlock& block : pass_.blocks()) {
    EXPECT_EQ(block.offset, next);
    next += block.count;
  }
  EXPECT_EQ(next, network_.parameters().size());
  next = 0;
  for (const ParameterTensor& tensor : network_.layers().tensors()) {
    EXPECT_EQ(tensor.offset, next) << tensor.name;
    std::int64_t product = 1;
    for (const std::int64_t side : tensor.shape) product *= side;
    EXPECT_EQ(static_cast<std::size_t>(product), tensor.count) << tensor.name;
    next += tensor.count;
  }
  EXPECT_EQ(next, network_.parameters().size());
}

TEST_P(EveryLayer, IsWrittenAsItWasRead) {
  const auto json = nlohmann::json::parse(GetParam().json);
  EXPECT_EQ(network_.layers().layers().front()->to_json(), json);
  EXPECT_EQ(network_.layers().layers().front()->kind(), json["kind"]);
}

TEST_P(EveryLayer, RefusesAFileThatLacksAFieldOrHasOneMore) {
  const auto json = nlohmann::json::parse(GetParam().json);
  for (const auto& [key, value] : json.items()) {
    nlohmann::json less = json, wrong = json;
    less.erase(key);
    wrong[key] = nlohmann::json::array();
    EXPECT_THROW(layer_from_json(less), ModelFileError) << "without " << key;
    EXPECT_THROW(layer_from_json(wrong), ModelFileError) << key;
  }
  nlohmann::json more = json;
  more["surprise"] = 1;
  EXPECT_THROW(layer_from_json(more), ModelFileError);
}

TEST_P(EveryLayer, AnswersForARowAloneAsInACrowd) {
  const int width = network_.inputs();
  const PassContext context{.row_by_row = true};
  for (int r = 0; r < kRows; ++r) {
    std::copy_n(inputs_.data() + static_cast<std::size_t>(r) * width, width, pass_.input_row(r));
  }
  pass_.forward(network_, {0, kRows}, context);
  NetworkPass alone(network_.layers(), 1, NetworkPass::Use::kPredict);
  for (int r = 0; r < kRows; ++r) {
    std::copy_n(inputs_.data() + static_cast<std::size_t>(r) * width, width, alone.input_row(0));
    if (!network_.layers().code_inputs().empty()) {
      std::copy_n(pass_.codes(r), kCodes, alone.codes(0));
    }
    alone.forward(network_, {0, 1}, context);
    for (int o = 0; o < network_.outputs(); ++o) {
      ASSERT_EQ(alone.outputs(0)[o], pass_.outputs(r)[o]) << "row " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryLayer, testing::ValuesIn(layer_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(LayerFromJson, NamesAKindThatItDoesNotKnow) {
  try {
    layer_from_json({{"kind", "attention"}});
    FAIL();
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("\"attention\""), std::string::npos);
  }
  EXPECT_THROW(layer_from_json(nlohmann::json::array()), ModelFileError);
  EXPECT_THROW(layer_from_json({{"kind", 3}}), ModelFileError);
}

}  // namespace
}  // namespace knockout
