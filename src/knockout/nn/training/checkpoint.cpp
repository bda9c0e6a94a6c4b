// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/model/safetensors.h"
#include "knockout/nn/training/checkpoint_content.h"

namespace knockout::nn {
namespace {

constexpr const char* kNetworkPrefix = "network/";

/// Those of kCheckpointTypes.
constexpr std::array<torch::ScalarType, kCheckpointTypes.size()> kTypes = {
    torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kBFloat16, torch::kInt64,
    torch::kInt32,   torch::kInt16,   torch::kInt8,    torch::kUInt8,    torch::kBool};

std::string_view bytes_of(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

torch::Tensor tensor_of(const SafetensorsBlock& block) {
  const auto type = std::ranges::find(kCheckpointTypes, block.type) - kCheckpointTypes.begin();
  torch::Tensor tensor = torch::empty(block.shape, kTypes[type]);
  if (!block.bytes.empty()) {
    std::memcpy(tensor.data_ptr(), block.bytes.data(), block.bytes.size());
  }
  return tensor;
}

/// All tensors of a network that a checkpoint holds, by their names there.
std::map<std::string, torch::Tensor> tensors_of(const torch::nn::Module& network) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& item : network.named_parameters()) {
    tensors.emplace(kNetworkPrefix + item.key(), item.value());
  }
  for (const auto& item : network.named_buffers()) {
    tensors.emplace(kNetworkPrefix + item.key(), item.value());
  }
  std::erase_if(tensors, [](const auto& item) { return !item.second.defined(); });
  return tensors;
}

bool is_alike(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type();
}

std::string described(const torch::Tensor& tensor) {
  return fmt::format("{} [{}]", torch::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes(), ", "));
}

/// The first few tensors of a network, for a message.
std::string some_names(const std::map<std::string, torch::Tensor>& tensors) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    if (!name.starts_with(kNetworkPrefix)) continue;
    if (names.size() == kMost) {
      names.emplace_back("...");
      break;
    }
    names.push_back('"' + name.substr(std::string_view(kNetworkPrefix).size()) + '"');
  }
  return names.empty() ? "none at all" : fmt::format("{}", fmt::join(names, ", "));
}

std::string optimizer_name(const std::string& parameter, const char* what) {
  return fmt::format("optimizer/{}/{}", parameter, what);
}

torch::Tensor on_cpu(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kCPU).contiguous();
}

/// Adam and AdamW keep the same things under types of their own.
template <typename State>
void store_adam(const State& state, const std::string& parameter, Checkpoint& checkpoint) {
  checkpoint.tensors[optimizer_name(parameter, "first_moment")] = on_cpu(state.exp_avg());
  checkpoint.tensors[optimizer_name(parameter, "second_moment")] = on_cpu(state.exp_avg_sq());
  checkpoint.tensors[optimizer_name(parameter, "step")] =
      torch::tensor(static_cast<std::int64_t>(state.step()), torch::kInt64);
}

[[noreturn]] void refuse_optimizer(const Checkpoint& checkpoint, const std::string& parameter) {
  throw ModelFileError(
      fmt::format("{}: what it says of the optimiser does not fit the parameter \"{}\".\n"
                  "  Delete it to train from the start, or restore the file from a copy.",
                  checkpoint.source, parameter));
}

/// What an optimiser remembers for each number of a parameter.
torch::Tensor moment_of(const Checkpoint& checkpoint, const std::string& parameter,
                        const char* what, const torch::Tensor& like) {
  const auto found = checkpoint.tensors.find(optimizer_name(parameter, what));
  if (found == checkpoint.tensors.end() || !is_alike(found->second, like)) {
    refuse_optimizer(checkpoint, parameter);
  }
  return found->second.to(like.device()).clone();
}

template <typename State>
std::unique_ptr<State> restored_adam(const std::string& parameter, const torch::Tensor& like,
                                     const Checkpoint& checkpoint) {
  auto state = std::make_unique<State>();
  const torch::Tensor step = checkpoint.tensors.at(optimizer_name(parameter, "step"));
  if (step.scalar_type() != torch::kInt64 || step.numel() != 1 || step.item<std::int64_t>() < 0) {
    refuse_optimizer(checkpoint, parameter);
  }
  state->exp_avg(moment_of(checkpoint, parameter, "first_moment", like));
  state->exp_avg_sq(moment_of(checkpoint, parameter, "second_moment", like));
  state->step(step.item<std::int64_t>());
  return state;
}

/// The parameters that an optimiser has, by name.
std::map<std::string, torch::Tensor> optimized(const torch::optim::Optimizer& optimizer,
                                               const torch::nn::Module& network) {
  std::map<std::string, torch::Tensor> result;
  for (const auto& item : network.named_parameters()) {
    for (const auto& group : optimizer.param_groups()) {
      for (const torch::Tensor& parameter : group.params()) {
        if (parameter.is_same(item.value())) result.emplace(item.key(), parameter);
      }
    }
  }
  return result;
}

}  // namespace

std::string checkpoint_to_bytes(const Checkpoint& checkpoint) {
  CheckpointContent content;
  content.document = checkpoint.document;
  std::vector<torch::Tensor> values;  // keeps what the blocks look at
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const auto* const type = std::ranges::find(kTypes, tensor.scalar_type());
    if (type == kTypes.end()) {
      throw ConfigError(fmt::format("A checkpoint cannot hold tensor \"{}\" of type {}.", name,
                                    torch::toString(tensor.scalar_type())));
    }
    values.push_back(on_cpu(tensor));
    content.blocks[name] = {std::string(kCheckpointTypes[type - kTypes.begin()]),
                            values.back().sizes().vec(), bytes_of(values.back())};
  }
  return checkpoint_content_to_bytes(content);
}

Checkpoint checkpoint_from_bytes(std::string_view bytes, const std::string& source) try {
  CheckpointContent content = checkpoint_content_from_bytes(bytes);
  Checkpoint checkpoint;
  checkpoint.document = std::move(content.document);
  checkpoint.source = source;
  for (const auto& [name, block] : content.blocks) {
    checkpoint.tensors.emplace(name, tensor_of(block));
  }
  return checkpoint;
} catch (const ModelFileError& reason) {
  throw ModelFileError(fmt::format("{}: {}", source, reason.what()));
}

void write_checkpoint_bytes(std::string_view bytes, const std::string& path) {
  write_atomically(path, bytes);
}

std::string read_checkpoint_bytes(const std::string& path) {
  return read_bytes(path, "the checkpoint");
}

void store_network(const torch::nn::Module& network, Checkpoint& checkpoint) {
  for (const auto& [name, tensor] : tensors_of(network)) checkpoint.tensors[name] = on_cpu(tensor);
}

void restore_network(const Checkpoint& checkpoint, torch::nn::Module& network) {
  const auto refuse = [&](const std::string& reason) {
    throw ConfigError(
        fmt::format("{} is of another network: {}.\n"
                    "  Build the network as it was then, or choose another checkpoint folder.",
                    checkpoint.source, reason));
  };
  std::map<std::string, torch::Tensor> tensors = tensors_of(network);
  for (const auto& [name, saved] : checkpoint.tensors) {
    if (name.starts_with(kNetworkPrefix) && !tensors.contains(name)) {
      refuse(fmt::format("this network has no \"{}\"", name));
    }
  }
  torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : tensors) {
    const auto saved = checkpoint.tensors.find(name);
    if (saved == checkpoint.tensors.end()) refuse(fmt::format("it has no \"{}\"", name));
    if (!is_alike(saved->second, tensor)) {
      refuse(fmt::format("its \"{}\" has another shape or type", name));
    }
  }
  for (auto& [name, tensor] : tensors) tensor.copy_(checkpoint.tensors.at(name));
}

void store_optimizer(torch::optim::Optimizer& optimizer, const torch::nn::Module& network,
                     Checkpoint& checkpoint) {
  for (const auto& [name, parameter] : optimized(optimizer, network)) {
    const auto found = optimizer.state().find(optimizer_key(optimizer, parameter));
    if (found == optimizer.state().end()) continue;  // it never had a gradient
    const torch::optim::OptimizerParamState& state = *found->second;
    if (const auto* adam = dynamic_cast<const torch::optim::AdamParamState*>(&state)) {
      store_adam(*adam, name, checkpoint);
    } else if (const auto* adamw = dynamic_cast<const torch::optim::AdamWParamState*>(&state)) {
      store_adam(*adamw, name, checkpoint);
    } else {
      const auto& sgd = dynamic_cast<const torch::optim::SGDParamState&>(state);
      checkpoint.tensors[optimizer_name(name, "momentum")] = on_cpu(sgd.momentum_buffer());
    }
  }
}

void restore_optimizer(const Checkpoint& checkpoint, const torch::nn::Module& network,
                       torch::optim::Optimizer& optimizer) {
  optimizer.state().clear();
  for (const auto& [name, parameter] : optimized(optimizer, network)) {
    std::unique_ptr<torch::optim::OptimizerParamState> state;
    if (checkpoint.tensors.contains(optimizer_name(name, "momentum"))) {
      auto sgd = std::make_unique<torch::optim::SGDParamState>();
      sgd->momentum_buffer(moment_of(checkpoint, name, "momentum", parameter));
      state = std::move(sgd);
    } else if (!checkpoint.tensors.contains(optimizer_name(name, "step"))) {
      continue;  // it never had a gradient
    } else if (dynamic_cast<torch::optim::AdamW*>(&optimizer) != nullptr) {
      state = restored_adam<torch::optim::AdamWParamState>(name, parameter, checkpoint);
    } else {
      state = restored_adam<torch::optim::AdamParamState>(name, parameter, checkpoint);
    }
    optimizer.state()[optimizer_key(optimizer, parameter)] = std::move(state);
  }
}

void load_network(const std::string& path, torch::nn::Module& network) {
  restore_network(checkpoint_from_bytes(read_checkpoint_bytes(path), path), network);
}

PartialLoad load_network(const std::string& path, torch::nn::Module& network,
                         const std::string& prefix) {
  const Checkpoint checkpoint = checkpoint_from_bytes(read_checkpoint_bytes(path), path);
  const std::string begin = kNetworkPrefix + prefix;
  const auto plain = [](const std::string& name) {
    return name.substr(std::string_view(kNetworkPrefix).size());
  };
  const auto in_part = [&](const auto& item) { return item.first.starts_with(begin); };
  std::map<std::string, torch::Tensor> tensors = tensors_of(network);
  std::erase_if(tensors, [&](const auto& item) { return !in_part(item); });
  PartialLoad result;
  for (const auto& item : checkpoint.tensors) {
    if (in_part(item) && !tensors.contains(item.first)) {
      result.not_in_network.push_back(plain(item.first));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    const auto saved = checkpoint.tensors.find(name);
    if (saved == checkpoint.tensors.end()) {
      result.not_in_file.push_back(plain(name));
      continue;
    }
    if (!is_alike(saved->second, tensor)) {
      throw ConfigError(
          fmt::format("{}: its \"{}\" is {}, the network's is {}.\n"
                      "  Build that part as it was then, or choose a prefix without it.",
                      path, plain(name), described(saved->second), described(tensor)));
    }
    result.loaded.push_back(plain(name));
  }
  if (result.loaded.empty()) {
    throw ConfigError(
        fmt::format("{} and the network have no tensor in common whose name begins with \"{}\".\n"
                    "  The file has {}; the network has {}.",
                    path, prefix, some_names(checkpoint.tensors), some_names(tensors_of(network))));
  }
  torch::NoGradGuard no_grad;
  for (const std::string& name : result.loaded) {
    tensors.at(kNetworkPrefix + name).copy_(checkpoint.tensors.at(kNetworkPrefix + name));
  }
  return result;
}

}  // namespace knockout::nn
