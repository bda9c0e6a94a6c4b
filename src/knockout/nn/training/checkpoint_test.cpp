// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

namespace fs = std::filesystem;

bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         (a.nbytes() == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0);
}

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.tensors["a"] = torch::tensor({1.5F, std::numeric_limits<float>::quiet_NaN(),
                                           -std::numeric_limits<float>::infinity(), -0.0F});
  checkpoint.tensors["b"] = torch::tensor({0.1, 1e-310}, torch::kFloat64);
  checkpoint.tensors["c"] = torch::tensor({std::numeric_limits<std::int64_t>::max(), -1L});
  checkpoint.tensors["d"] = torch::tensor({true, false, true});
  checkpoint.tensors["e"] = torch::ones({2, 3}).to(torch::kBFloat16);
  checkpoint.tensors["empty"] = torch::zeros({0, 4});
  checkpoint.tensors["scalar"] = torch::tensor(7, torch::kInt32);
  checkpoint.document["step"] = 42;
  checkpoint.document["score"] = 0.1 + 0.2;
  return checkpoint;
}

/// A folder of its own, gone afterwards.
class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::temp_directory_path() / ("knockout_checkpoint_" + std::to_string(::getpid()));
  const std::string path_ = (folder_ / "last.safetensors").string();
};

TEST(Checkpoint, KeepsEveryBitOfEveryType) {
  const Checkpoint saved = sample();
  const Checkpoint read = checkpoint_from_bytes(checkpoint_to_bytes(saved), "x");
  ASSERT_EQ(read.tensors.size(), saved.tensors.size());
  for (const auto& [name, tensor] : saved.tensors) {
    EXPECT_TRUE(same_bits(read.tensors.at(name), tensor)) << name;
  }
  EXPECT_EQ(read.document.at("step"), 42);
  EXPECT_EQ(read.document.at("score").get<double>(), 0.1 + 0.2);
}

TEST(Checkpoint, IsSafetensorsThatOthersCanRead) {
  // By the format: 8 bytes of length, a JSON header, then the data at the offsets it names.
  const std::string bytes = checkpoint_to_bytes(sample());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header.at("b").at("dtype"), "F64");
  EXPECT_EQ(header.at("b").at("shape"), nlohmann::json::array({2}));
  double value = 0;
  std::memcpy(&value, bytes.data() + 8 + length + header["b"]["data_offsets"][0].get<int>(), 8);
  EXPECT_EQ(value, 0.1);
  for (const auto& item : header.at("__metadata__").items()) {
    EXPECT_TRUE(item.value().is_string());
  }
}

TEST(Checkpoint, RefusesEveryTruncationAndEveryChangedByteByItsSource) {
  const std::string bytes = checkpoint_to_bytes(sample());
  const auto expect_refused = [](const std::string& damaged, const std::string& what) {
    try {
      checkpoint_from_bytes(damaged, "runs/last.safetensors");
      FAIL() << what;
    } catch (const ModelFileError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("runs/last.safetensors: ")) << what;
    }
  };
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    expect_refused(bytes.substr(0, length), "cut to " + std::to_string(length));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == ' ') continue;  // the padding behind the header means nothing
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    expect_refused(damaged, "byte " + std::to_string(i));
  }
}

TEST_F(CheckpointFile, ComesBackFromDisk) {
  write_checkpoint_bytes(checkpoint_to_bytes(sample()), path_);
  const std::string bytes = read_checkpoint_bytes(path_);
  EXPECT_EQ(bytes, checkpoint_to_bytes(sample()));
  EXPECT_THROW(read_checkpoint_bytes((folder_ / "absent").string()), FileError);
}

torch::nn::Sequential small_network(int width = 3) {
  return torch::nn::Sequential(torch::nn::Linear(2, width), torch::nn::BatchNorm1d(width),
                               torch::nn::Linear(width, 1));
}

TEST_F(CheckpointFile, RestoresParametersAndBuffersOfANetwork) {
  auto network = small_network(), other = small_network();
  network->forward(torch::randn({8, 2}));  // moves the buffers of batch norm
  Checkpoint checkpoint;
  store_network(*network, checkpoint);
  write_checkpoint_bytes(checkpoint_to_bytes(checkpoint), path_);
  load_network(path_, *other);
  EXPECT_EQ(other->named_buffers()["1.num_batches_tracked"].item<int>(), 1);
  for (const auto& item : network->named_parameters()) {
    EXPECT_TRUE(same_bits(other->named_parameters()[item.key()], item.value()));
  }
  for (const auto& item : network->named_buffers()) {
    EXPECT_TRUE(same_bits(other->named_buffers()[item.key()], item.value()));
  }
}

TEST(Checkpoint, RefusesAnotherNetworkAndLeavesItAsItWas) {
  auto network = small_network();
  Checkpoint checkpoint;
  store_network(*network, checkpoint);
  auto wider = small_network(4);
  const torch::Tensor before = wider->parameters()[0].clone();
  EXPECT_THROW(restore_network(checkpoint, *wider), ConfigError);
  EXPECT_TRUE(torch::equal(wider->parameters()[0], before));
  auto longer = small_network();
  longer->push_back(torch::nn::Linear(1, 1));
  EXPECT_THROW(restore_network(checkpoint, *longer), ConfigError);
  torch::nn::Sequential shorter(torch::nn::Linear(2, 3));
  EXPECT_THROW(restore_network(checkpoint, *shorter), ConfigError);
}

/// An encoder and a head of some width, with a batch norm between them if told.
torch::nn::Sequential encoder_and_head(int outputs, bool with_norm = false) {
  torch::nn::Sequential network;
  network->push_back("encoder", torch::nn::Linear(2, 3));
  if (with_norm) network->push_back("encoder_norm", torch::nn::BatchNorm1d(3));
  network->push_back("head", torch::nn::Linear(3, outputs));
  return network;
}

TEST_F(CheckpointFile, GivesANetworkThePartsThatBeginWithAPrefix) {
  auto pretrained = encoder_and_head(4), other = encoder_and_head(1, /*with_norm=*/true);
  Checkpoint checkpoint;
  store_network(*pretrained, checkpoint);
  checkpoint.tensors["network/encoder.more"] = torch::zeros({1});
  checkpoint.tensors["optimizer/encoder.weight/step"] = torch::zeros({1});
  write_checkpoint_bytes(checkpoint_to_bytes(checkpoint), path_);
  const torch::Tensor head = other->named_parameters()["head.weight"].clone();

  EXPECT_THROW(load_network(path_, *other), ConfigError) << "all or nothing without a prefix";
  EXPECT_FALSE(same_bits(other->parameters()[0], pretrained->parameters()[0]));
  const PartialLoad load = load_network(path_, *other, "encoder");
  EXPECT_EQ(load.loaded, (std::vector<std::string>{"encoder.bias", "encoder.weight"}));
  EXPECT_EQ(load.not_in_file.size(), 5) << "parameters and buffers of the norm";
  EXPECT_EQ(load.not_in_network, std::vector<std::string>{"encoder.more"});
  for (const char* name : {"encoder.weight", "encoder.bias"}) {
    EXPECT_TRUE(same_bits(other->named_parameters()[name], pretrained->named_parameters()[name]));
  }
  EXPECT_TRUE(same_bits(other->named_parameters()["head.weight"], head));
}

TEST_F(CheckpointFile, RefusesAPartOfAnotherShapeOrWithoutTensorsAndLeavesTheNetworkAsItWas) {
  auto pretrained = encoder_and_head(4), other = encoder_and_head(1);
  Checkpoint checkpoint;
  store_network(*pretrained, checkpoint);
  write_checkpoint_bytes(checkpoint_to_bytes(checkpoint), path_);
  const torch::Tensor before = other->parameters()[0].clone();
  const auto expect_refused = [&](const std::string& prefix, const std::string& reason) {
    try {
      load_network(path_, *other, prefix);
      FAIL() << "expected an error";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  };
  expect_refused("", "\"head.bias\" is Float [4], the network's is Float [1]");
  expect_refused("decoder.", "The file has \"encoder.bias\", \"encoder.weight\", ");
  EXPECT_TRUE(same_bits(other->parameters()[0], before));
}

/// A step on a fixed batch.
void step(torch::nn::Sequential& network, torch::optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  network->forward(torch::arange(8.0F).view({4, 2})).square().mean().backward();
  optimizer.step();
}

template <typename Optimizer, typename Options>
void expect_same_next_step(const Options& options) {
  auto network = small_network(), other = small_network();
  Optimizer first(network->parameters(), options), second(other->parameters(), options);
  for (int i = 0; i < 3; ++i) step(network, first);
  Checkpoint checkpoint;
  store_network(*network, checkpoint);
  store_optimizer(first, *network, checkpoint);
  checkpoint = checkpoint_from_bytes(checkpoint_to_bytes(checkpoint), "x");
  restore_network(checkpoint, *other);
  restore_optimizer(checkpoint, *other, second);
  step(network, first);
  step(other, second);
  for (std::size_t i = 0; i < network->parameters().size(); ++i) {
    EXPECT_TRUE(same_bits(other->parameters()[i], network->parameters()[i])) << i;
  }
}

TEST(Checkpoint, LetsEveryOptimizerGoOnAsIfNothingHadHappened) {
  expect_same_next_step<torch::optim::Adam>(torch::optim::AdamOptions(0.1).weight_decay(0.01));
  expect_same_next_step<torch::optim::AdamW>(torch::optim::AdamWOptions(0.1));
  expect_same_next_step<torch::optim::SGD>(
      torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
}

TEST(Checkpoint, RefusesTheStateOfAnOptimizerThatDoesNotFitItsParameter) {
  auto network = small_network();
  torch::optim::Adam adam(network->parameters(), torch::optim::AdamOptions(0.1));
  torch::optim::SGD sgd(network->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  step(network, adam);
  Checkpoint sound;
  store_optimizer(adam, *network, sound);
  const auto expect_refused = [&](const std::string& name, const torch::Tensor& odd,
                                  torch::optim::Optimizer& optimizer) {
    Checkpoint forged = sound;
    forged.source = "runs/last.safetensors";
    forged.tensors.erase(name);
    if (odd.defined()) forged.tensors[name] = odd;
    try {
      restore_optimizer(forged, *network, optimizer);
      ADD_FAILURE() << name;
    } catch (const ModelFileError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("runs/last.safetensors: ")) << error.what();
    }
  };
  for (const char* moment : {"first_moment", "second_moment"}) {
    const std::string name = std::string("optimizer/0.weight/") + moment;
    expect_refused(name, torch::Tensor(), adam);
    expect_refused(name, torch::zeros({7}), adam);
    expect_refused(name, torch::zeros({3, 2}, torch::kInt64), adam);
  }
  const std::string step = "optimizer/0.weight/step";
  expect_refused(step, torch::zeros({2}, torch::kInt64), adam);
  expect_refused(step, torch::tensor(0.5), adam);
  expect_refused(step, torch::tensor(-1L), adam);
  expect_refused("optimizer/0.weight/momentum", torch::zeros({1}), sgd);
}

TEST(Checkpoint, NamesTheStateOfAnOptimizerByItsParameter) {
  auto network = small_network();
  torch::optim::Adam adam(network->parameters(), torch::optim::AdamOptions(0.1));
  step(network, adam);
  Checkpoint checkpoint;
  store_optimizer(adam, *network, checkpoint);
  EXPECT_TRUE(checkpoint.tensors.contains("optimizer/0.weight/first_moment"));
  EXPECT_TRUE(checkpoint.tensors.contains("optimizer/2.bias/second_moment"));
  EXPECT_EQ(checkpoint.tensors.at("optimizer/0.weight/step").item<int>(), 1);
}

}  // namespace
}  // namespace knockout::nn
