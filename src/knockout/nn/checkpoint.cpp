// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/model/strict_json.h"

static_assert(std::endian::native == std::endian::little,
              "tensors are copied as they lie in memory, and the format is little-endian");

namespace knockout::nn {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr const char* kFormatName = "knockout-checkpoint";
constexpr int kFormatVersion = 1;
constexpr const char* kNetworkPrefix = "network/";

/// The types that safetensors and LibTorch share.
constexpr std::array<std::pair<torch::ScalarType, const char*>, 10> kTypes = {{
    {torch::kFloat32, "F32"},
    {torch::kFloat64, "F64"},
    {torch::kFloat16, "F16"},
    {torch::kBFloat16, "BF16"},
    {torch::kInt64, "I64"},
    {torch::kInt32, "I32"},
    {torch::kInt16, "I16"},
    {torch::kInt8, "I8"},
    {torch::kUInt8, "U8"},
    {torch::kBool, "BOOL"},
}};

std::string_view bytes_of(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

std::string checksum_of(const std::string& entries, const std::string& document,
                        std::string_view data) {
  uLong crc = crc32(0, nullptr, 0);
  for (const std::string_view part :
       {std::string_view(entries), std::string_view(document), data}) {
    if (part.empty()) continue;  // zlib starts anew on a null pointer
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return fmt::format("crc32:{:08x}", crc);
}

[[noreturn]] void refuse_damaged(std::string_view reason) {
  throw ModelFileError(
      fmt::format("the checkpoint is damaged: {}.\n"
                  "  Delete it to train from the start, or restore the file from a copy.",
                  reason));
}

/// The JSON value at a key, of the wanted type.
const json& member(const json& object, const char* key, json::value_t type) {
  if (!object.is_object() || !object.contains(key) || object[key].type() != type) {
    refuse_damaged(fmt::format("its header has no proper \"{}\"", key));
  }
  return object[key];
}

torch::Tensor read_tensor(const std::string& name, const json& entry, std::string_view data) {
  const std::string type_name = member(entry, "dtype", json::value_t::string).get<std::string>();
  const auto* type = std::ranges::find_if(kTypes, [&](auto& t) { return type_name == t.second; });
  if (type == kTypes.end()) {
    refuse_damaged(fmt::format("tensor \"{}\" is of the unknown type {}", name, type_name));
  }
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = torch::elementSize(type->first);
  for (const json& side : member(entry, "shape", json::value_t::array)) {
    if (!side.is_number_unsigned() || side.get<std::uint64_t>() > INT64_MAX ||
        __builtin_mul_overflow(bytes, side.get<std::uint64_t>(), &bytes)) {
      refuse_damaged(fmt::format("tensor \"{}\" has an impossible shape", name));
    }
    shape.push_back(side.get<std::int64_t>());
  }
  const json& offsets = member(entry, "data_offsets", json::value_t::array);
  if (offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
    refuse_damaged(fmt::format("tensor \"{}\" does not say where it is", name));
  }
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  if (begin > end || end > data.size() || end - begin != bytes) {
    refuse_damaged(fmt::format("it is cut short: tensor \"{}\" does not fit its place", name));
  }
  torch::Tensor tensor = torch::empty(shape, type->first);
  if (bytes > 0) std::memcpy(tensor.data_ptr(), data.data() + begin, bytes);
  return tensor;
}

Checkpoint parse(std::string_view bytes) {
  std::uint64_t header_bytes = 0;
  if (bytes.size() < kLengthBytes) refuse_damaged("it is cut short");
  std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
  if (header_bytes > bytes.size() - kLengthBytes) {
    refuse_damaged("it is cut short or no checkpoint at all");
  }
  const std::string_view data = bytes.substr(kLengthBytes + header_bytes);
  json header;
  try {
    header = parse_strict_json(bytes.substr(kLengthBytes, header_bytes));
  } catch (const ModelFileError& reason) {
    refuse_damaged(reason.what());
  }
  const json metadata = member(header, "__metadata__", json::value_t::object);
  const std::string document =
      member(metadata, "knockout", json::value_t::string).get<std::string>();
  header.erase("__metadata__");
  // Before anything else is believed.
  if (member(metadata, "checksum", json::value_t::string) !=
      checksum_of(header.dump(), document, data)) {
    refuse_damaged("its checksum does not match: some of its bytes are missing or have changed");
  }
  Checkpoint checkpoint;
  checkpoint.document = parse_strict_json(document);
  if (checkpoint.document.value("format", json()) != kFormatName) {
    refuse_damaged("it is a safetensors file of another kind");
  }
  if (checkpoint.document.value("format_version", json()) != kFormatVersion) {
    throw ModelFileError(
        "the checkpoint was written by another version of knockout.\n"
        "  Go on with that version, or delete it to train from the start.");
  }
  for (const auto& [name, entry] : header.items()) {
    checkpoint.tensors.emplace(name, read_tensor(name, entry, data));
  }
  return checkpoint;
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

template <typename State>
std::unique_ptr<State> restored_adam(const std::string& parameter, const torch::Tensor& like,
                                     const Checkpoint& checkpoint) {
  auto state = std::make_unique<State>();
  const auto tensor = [&](const char* what) -> torch::Tensor {
    return checkpoint.tensors.at(optimizer_name(parameter, what)).to(like.device()).clone();
  };
  const torch::Tensor step = tensor("step");
  state->exp_avg(tensor("first_moment"));
  state->exp_avg_sq(tensor("second_moment"));
  state->step(step.item().toLong());
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
  json entries = json::object();
  std::string data;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const auto* type =
        std::ranges::find_if(kTypes, [&](auto& t) { return tensor.scalar_type() == t.first; });
    if (type == kTypes.end()) {
      throw ConfigError(fmt::format("A checkpoint cannot hold tensor \"{}\" of type {}.", name,
                                    torch::toString(tensor.scalar_type())));
    }
    const torch::Tensor values = on_cpu(tensor);
    const std::size_t begin = data.size();
    data += bytes_of(values);
    entries[name] = {{"dtype", type->second},
                     {"shape", values.sizes().vec()},
                     {"data_offsets", {begin, data.size()}}};
  }
  json document = checkpoint.document;
  document["format"] = kFormatName;
  document["format_version"] = kFormatVersion;
  const std::string document_text = document.dump();
  json header = entries;
  header["__metadata__"] = {{"knockout", document_text},
                            {"checksum", checksum_of(entries.dump(), document_text, data)}};
  std::string header_text = header.dump();
  header_text.resize((header_text.size() + 7) / 8 * 8, ' ');  // tensors start at a multiple of 8
  const std::uint64_t header_bytes = header_text.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &header_bytes, kLengthBytes);
  bytes.reserve(kLengthBytes + header_text.size() + data.size());
  bytes += header_text;
  bytes += data;
  return bytes;
}

Checkpoint checkpoint_from_bytes(std::string_view bytes, const std::string& source) try {
  Checkpoint checkpoint = parse(bytes);
  checkpoint.source = source;
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
    if (saved->second.sizes() != tensor.sizes() ||
        saved->second.scalar_type() != tensor.scalar_type()) {
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
      sgd->momentum_buffer(
          checkpoint.tensors.at(optimizer_name(name, "momentum")).to(parameter.device()).clone());
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

}  // namespace knockout::nn
