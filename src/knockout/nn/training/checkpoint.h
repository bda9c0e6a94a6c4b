// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// What a training needs to go on, or the weights of a network: tensors of any type by name, and a
/// JSON document. As a file it is safetensors with a checksum. Names are readable:
/// `network/<parameter or buffer>`, `optimizer/<parameter>/first_moment`.
struct Checkpoint {
  std::map<std::string, torch::Tensor> tensors;
  nlohmann::json document = nlohmann::json::object();
  std::string source = "this training";  ///< Where it comes from, for messages.
};

/// Keeps every number as it is, to the last bit, NaN and infinities too. Same content, same bytes.
std::string checkpoint_to_bytes(const Checkpoint& checkpoint);

/// Throws ModelFileError that begins with `source` for bytes that are damaged or cut short.
Checkpoint checkpoint_from_bytes(std::string_view bytes, const std::string& source);

/// Writes beside the file and renames: a failure (FileError) or a kill leaves the old file whole.
void write_checkpoint_bytes(std::string_view bytes, const std::string& path);

/// Throws FileError for a file that cannot be read.
std::string read_checkpoint_bytes(const std::string& path);

/// Parameters and buffers. Tensors on the CPU are shared, not copied.
void store_network(const torch::nn::Module& network, Checkpoint& checkpoint);

/// Throws ConfigError unless the network has the tensors of the checkpoint, by name, shape and
/// type.
void restore_network(const Checkpoint& checkpoint, torch::nn::Module& network);

/// The state of an Adam, AdamW or SGD for the parameters of this network. To restore one that does
/// not fit them is a ModelFileError.
void store_optimizer(torch::optim::Optimizer& optimizer, const torch::nn::Module& network,
                     Checkpoint& checkpoint);
void restore_optimizer(const Checkpoint& checkpoint, const torch::nn::Module& network,
                       torch::optim::Optimizer& optimizer);

/// Puts the weights of a file (`best.safetensors`, `last.safetensors`) into a network, which must
/// have the same tensors (ConfigError).
void load_network(const std::string& path, torch::nn::Module& network);

/// What became of the parameters and buffers under a prefix, by name.
struct PartialLoad {
  std::vector<std::string> loaded;
  std::vector<std::string> not_in_file;     ///< Of the network; they stay as they were.
  std::vector<std::string> not_in_network;  ///< Of the file; they are left out.
};

/// Puts a part of a file into a network, a pre-trained encoder, say: the tensors whose names begin
/// with `prefix` in both ("" = all). Throws ConfigError, with the network as it was, when there are
/// none or when one has another shape or type.
///   load_network("pretrained/best.safetensors", *network, "encoder.");
PartialLoad load_network(const std::string& path, torch::nn::Module& network,
                         const std::string& prefix);

}  // namespace knockout::nn
