// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/script_encoder.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "knockout/base/error.h"
#include "knockout/base/sha256.h"
#include "knockout/nn/networks/fusion.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

namespace fs = std::filesystem;

class ScriptEncoderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "knockout_script_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    torch::manual_seed(9);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A network of a linear layer in a child, and a shift that training switches off; saved.
  std::string save_network() {
    torch::jit::Module layer("layer");
    layer.register_parameter("weight", torch::randn({2, 3}), /*is_buffer=*/false);
    layer.register_buffer("shift", torch::full({2}, 10.0));
    layer.register_buffer("count", torch::tensor(7));
    layer.register_attribute("training", c10::BoolType::get(), true);
    layer.define(R"(
def forward(self, x):
    y = torch.matmul(x, self.weight.t())
    if not self.training:
        y = y + self.shift
    return torch.tanh(y)
)");
    torch::jit::Module network("network");
    network.register_module("layer", layer);
    network.register_attribute("training", c10::BoolType::get(), true);
    network.define("def forward(self, x):\n    return self.layer.forward(x)\n");
    return save(network);
  }

  std::string save_function(const std::string& body) {
    torch::jit::Module network("network");
    network.define(body);
    return save(network);
  }

  std::string save(const torch::jit::Module& network) {
    const std::string path = folder_ / "network.pt";
    network.save(path);
    return path;
  }

  std::string put(const std::string& bytes) {
    const std::string path = folder_ / "broken.pt";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  fs::path folder_;
};

/// What the saved network says, written out.
torch::Tensor expected(const torch::Tensor& x, const torch::Tensor& weight, double shift) {
  return torch::tanh(torch::matmul(x, weight.t()) + shift);
}

template <typename ErrorType>
std::string message_of(const std::string& path) {
  try {
    ScriptEncoder encoder(path);
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "";
}

TEST_F(ScriptEncoderTest, FrozenItStaysInEvalAndHasNoParameters) {
  const std::string path = save_network();
  const torch::Tensor weight = torch::jit::load(path).named_parameters().begin().operator*().value;
  torch::nn::Sequential parent((ScriptEncoder(path)));
  const torch::Tensor x = torch::randn({4, 3});
  for (const bool training : {true, false}) {
    parent->train(training);
    const torch::Tensor latents = parent->forward(x);
    EXPECT_TRUE(torch::allclose(latents, expected(x, weight, 10.0)));
    EXPECT_FALSE(latents.requires_grad());
  }
  EXPECT_TRUE(parent->parameters().empty());
  EXPECT_TRUE(parent->buffers().empty());
}

TEST_F(ScriptEncoderTest, FrozenItLetsGradientsThroughToItsInput) {
  ScriptEncoder encoder(save_network());
  encoder->to(torch::kFloat64);
  const torch::Tensor x = 0.1 * torch::randn({2, 3}, torch::TensorOptions(torch::kFloat64)) - 10.0;
  x.set_requires_grad(true);
  expect_right_gradients({x}, [&] { return encoder->forward(x).sum(); });
}

TEST_F(ScriptEncoderTest, FineTunedItTrainsLikeAnyNetwork) {
  const std::string path = save_network();
  ScriptEncoder encoder(path, ScriptEncoderOptions{.fine_tune = true});
  ASSERT_EQ(encoder->named_parameters().keys(), std::vector<std::string>{"script.layer.weight"});
  encoder->to(torch::kFloat64);
  const torch::Tensor weight = encoder->parameters()[0];
  const torch::Tensor x = torch::randn({4, 3}, torch::kFloat64);
  EXPECT_TRUE(torch::allclose(encoder->forward(x), expected(x, weight, 0.0)));
  expect_right_gradients({weight}, [&] { return encoder->forward(x).square().sum(); });

  torch::optim::SGD(encoder->parameters(), 0.5).step();
  EXPECT_TRUE(torch::allclose(encoder->forward(x), expected(x, weight, 0.0)));
  encoder->eval();
  EXPECT_TRUE(torch::allclose(encoder->forward(x), expected(x, weight, 10.0)));
  EXPECT_FALSE(torch::allclose(
      weight.to(torch::kFloat32),
      ScriptEncoder(path, ScriptEncoderOptions{.fine_tune = true})->parameters()[0]))
      << "the optimiser has moved the weights";
}

TEST_F(ScriptEncoderTest, ConvertsFloatsAndLeavesIntegersAlone) {
  ScriptEncoder encoder(save_network(), ScriptEncoderOptions{.fine_tune = true});
  encoder->to(torch::kFloat64);
  EXPECT_EQ(encoder->named_buffers()["script.layer.shift"].scalar_type(), torch::kFloat64);
  EXPECT_EQ(encoder->named_buffers()["script.layer.count"].scalar_type(), torch::kInt64);
}

TEST_F(ScriptEncoderTest, FineTunedItSaysTheSameAfterSaveAndLoad) {
  const std::string path = save_network();
  const ScriptEncoderOptions options{.fine_tune = true};
  ScriptEncoder encoder(path, options), other(path, options);
  const torch::Tensor x = torch::randn({4, 3});
  encoder->forward(x).sum().backward();
  torch::optim::SGD(encoder->parameters(), 0.5).step();
  EXPECT_FALSE(other->forward(x).equal(encoder->forward(x)));
  std::stringstream file;
  torch::save(encoder, file);
  torch::load(other, file);
  EXPECT_TRUE(other->forward(x).equal(encoder->forward(x)));
}

TEST_F(ScriptEncoderTest, ServesAsAnEncoderOfAFusion) {
  ScriptEncoder encoder(save_network());
  Fusion network(FusionOptions{.encoders = {encoder},
                               .knockout = {.modalities = {{.name = "x", .shape = {2}}}}});
  network->eval();
  const torch::Tensor x = torch::randn({4, 3});
  EXPECT_TRUE(network->latents({x})[0].equal(encoder->forward(x)));
  for (const std::string& name : network->named_parameters().keys()) {
    EXPECT_EQ(name.rfind("head.", 0), 0U) << name;
  }
}

TEST_F(ScriptEncoderTest, SaysThatAFileCannotBeRead) {
  const std::string path = folder_ / "absent.pt";
  const std::string message = message_of<FileError>(path);
  EXPECT_NE(message.find(path), std::string::npos) << message;
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
  EXPECT_NE(message_of<FileError>(folder_).find("Is a directory"), std::string::npos);
}

TEST_F(ScriptEncoderTest, SaysThatAFileIsNoTorchScript) {
  std::ostringstream whole;
  whole << std::ifstream(save_network(), std::ios::binary).rdbuf();
  for (const std::string& bytes : {std::string(), std::string("age,sex\n1,2\n"),
                                   whole.str().substr(0, whole.str().size() / 2)}) {
    const std::string message = message_of<ModelFileError>(put(bytes));
    EXPECT_NE(message.find("broken.pt"), std::string::npos) << message;
    EXPECT_NE(message.find("torch.jit.trace"), std::string::npos) << message;
  }
}

TEST_F(ScriptEncoderTest, SaysThatANetworkIsNoEncoder) {
  EXPECT_NE(message_of<ModelFileError>(save_function("def forward(self, x):\n    return x, x\n"))
                .find("puts out"),
            std::string::npos);
  EXPECT_NE(
      message_of<ModelFileError>(save_function("def forward(self, x, y):\n    return x + y\n"))
          .find("takes 2 inputs"),
      std::string::npos);
  EXPECT_NE(message_of<ModelFileError>(save_function("def encode(self, x):\n    return x\n"))
                .find("no method \"forward\""),
            std::string::npos);
}

/// The file and its hash are what a trainer tells networks apart by.
TEST_F(ScriptEncoderTest, PrintsWhichFileItIsFrom) {
  const auto printed = [](const std::string& path) {
    std::ostringstream text;
    text << *ScriptEncoder(path);
    return text.str();
  };
  const std::string first = save_network();
  const std::string text = printed(first);
  EXPECT_NE(text.find("file=network.pt, sha256=" + sha256_of_file(first).substr(0, 12)),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find(folder_.string()), std::string::npos) << "a moved file is the same";
  EXPECT_EQ(printed(first), text);
  save_network();  // in the same place, with other random weights
  EXPECT_NE(printed(first), text);
}

TEST_F(ScriptEncoderTest, ClonesHaveTensorsOfTheirOwn) {
  const std::string path = save_network();
  const torch::Tensor x = torch::randn({4, 3});
  for (const bool fine_tune : {true, false}) {
    ScriptEncoder encoder(path, ScriptEncoderOptions{.fine_tune = fine_tune});
    // As an encoder of a network, and alone.
    Fusion network(FusionOptions{
        .encoders = {encoder},
        .knockout = {.modalities = {{.name = "x", .shape = {2}, .knockout_rate = 0.0}}}});
    const auto copy = std::dynamic_pointer_cast<FusionImpl>(network->clone());
    const auto alone = std::dynamic_pointer_cast<ScriptEncoderImpl>(encoder->clone());
    const torch::Tensor before = encoder->forward(x);
    EXPECT_TRUE(copy->latents({x})[0].equal(before));
    EXPECT_TRUE(alone->forward(x).equal(before));
    EXPECT_EQ(copy->named_parameters().keys(), network->named_parameters().keys());
    EXPECT_EQ(alone->parameters().size(), fine_tune ? 1U : 0U);
    alone->to(torch::kFloat64);
    EXPECT_EQ(encoder->forward(x).scalar_type(), torch::kFloat32);
    if (!fine_tune) continue;
    torch::optim::SGD optimizer(copy->parameters(), 0.5);
    copy->latents({x})[0].square().sum().backward();
    optimizer.step();
    EXPECT_FALSE(copy->latents({x})[0].equal(before));
    EXPECT_TRUE(encoder->forward(x).equal(before));
  }
}

}  // namespace
}  // namespace knockout::nn
