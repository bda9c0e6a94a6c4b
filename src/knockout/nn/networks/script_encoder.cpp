// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/script_encoder.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>

#include <fmt/format.h>
#include <torch/script.h>

#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout::nn {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw ModelFileError(fmt::format(
      "\"{}\": {}.\n"
      "  Expected a TorchScript archive: torch.jit.trace(network, example).save(\"{}\") in Python.",
      path, reason, std::filesystem::path(path).filename().string()));
}

void check_readable(const std::string& path) {
  errno = 0;
  const bool is_folder = std::filesystem::is_directory(path);
  if (is_folder || !std::ifstream(path, std::ios::binary)) {
    const int cause = is_folder ? EISDIR : errno;
    throw FileError(fmt::format("cannot read \"{}\": {}.\n  Expected a TorchScript archive.", path,
                                std::generic_category().message(cause)));
  }
}

torch::jit::Module load_script(const std::string& path) {
  check_readable(path);
  try {
    // On the CPU first: the file may come from a machine with other devices.
    return torch::jit::load(path, torch::kCPU);
  } catch (const std::exception& error) {
    const std::string reason = error.what();
    refuse(path, "not a network that can be loaded (" + reason.substr(0, reason.find('\n')) + ")");
  }
}

/// Refuses what is not "one tensor in, one tensor out" when it is loaded, not at the first batch.
void check_signature(const std::string& path, const torch::jit::Module& script) {
  const auto forward = script.find_method("forward");
  if (!forward) refuse(path, "it has no method \"forward\"");
  const c10::FunctionSchema& schema = forward->function().getSchema();
  std::size_t needed = 0;
  for (const c10::Argument& argument : schema.arguments()) needed += !argument.default_value();
  if (needed != 2) {  // itself, and the tensor
    refuse(path, fmt::format("its forward() takes {} inputs, and an encoder one tensor",
                             static_cast<int>(needed) - 1));
  }
  const auto& returns = schema.returns();
  if (returns.size() != 1 || !returns[0].type()->isSubtypeOf(*c10::TensorType::get())) {
    refuse(path, fmt::format("its forward() puts out {}, and an encoder one Tensor",
                             returns.empty() ? "nothing" : returns[0].type()->str()));
  }
}

/// The tensors of a TorchScript network under their own names in a plain module. Both hold the same
/// tensors, so that optimisers, to() and load() reach the one through the other.
void mirror(const torch::jit::Module& script, bool trainable, torch::nn::Module& into) {
  for (const auto& parameter : script.named_parameters(/*recurse=*/false)) {
    into.register_parameter(parameter.name, parameter.value,
                            trainable && parameter.value.is_floating_point());
  }
  for (const auto& buffer : script.named_buffers(/*recurse=*/false)) {
    into.register_buffer(buffer.name, buffer.value);
  }
  for (const auto& child : script.named_children()) {
    mirror(child.value, trainable,
           *into.register_module(child.name, std::make_shared<torch::nn::Module>()));
  }
}

}  // namespace

ScriptEncoderImpl::ScriptEncoderImpl(const std::string& path, const ScriptEncoderOptions& options)
    : fine_tune_(options.fine_tune),
      file_name_(std::filesystem::path(path).filename().string()),
      script_(load_script(path)) {
  file_hash_ = sha256_of_file(path).substr(0, 12);
  check_signature(path, script_);
  expose_tensors();
  if (fine_tune_ && tensors_->parameters().empty()) {
    refuse(path, "it has no parameters that could be fine-tuned (a frozen archive has none)");
  }
  train();
}

void ScriptEncoderImpl::expose_tensors() {
  tensors_ = std::make_shared<torch::nn::Module>();
  mirror(script_, fine_tune_, *tensors_);
  if (fine_tune_) register_module("script", tensors_);
}

void ScriptEncoderImpl::reset() {
  const torch::NoGradGuard no_gradients;  // a copy of a parameter is no function of it
  script_ = script_.deepcopy();
  expose_tensors();
}

std::shared_ptr<torch::nn::Module> ScriptEncoderImpl::clone(
    const c10::optional<torch::Device>& device) const {
  std::shared_ptr<torch::nn::Module> copy = Cloneable<ScriptEncoderImpl>::clone();
  if (device) copy->to(*device);
  return copy;
}

void ScriptEncoderImpl::pretty_print(std::ostream& stream) const {
  stream << fmt::format("knockout::nn::ScriptEncoder(file={}, sha256={}, fine_tune={})", file_name_,
                        file_hash_, fine_tune_);
}

torch::Tensor ScriptEncoderImpl::forward(const torch::Tensor& input) {
  return script_.forward({input}).toTensor();
}

void ScriptEncoderImpl::train(bool on) {
  torch::nn::Module::train(on);
  script_.train(on && fine_tune_);
}

void ScriptEncoderImpl::to(torch::Device device, torch::Dtype dtype, bool non_blocking) {
  convert(device, dtype, non_blocking);
}

void ScriptEncoderImpl::to(torch::Dtype dtype, bool non_blocking) {
  convert({}, dtype, non_blocking);
}

void ScriptEncoderImpl::to(torch::Device device, bool non_blocking) {
  convert(device, {}, non_blocking);
}

void ScriptEncoderImpl::convert(std::optional<torch::Device> device,
                                std::optional<torch::Dtype> dtype, bool non_blocking) {
  std::vector<torch::Tensor> tensors = tensors_->parameters();
  for (const torch::Tensor& buffer : tensors_->buffers()) tensors.push_back(buffer);
  for (torch::Tensor& tensor : tensors) {
    const torch::Dtype type = tensor.scalar_type();
    tensor.set_data(tensor.data().to(device.value_or(tensor.device()),
                                     tensor.is_floating_point() ? dtype.value_or(type) : type,
                                     non_blocking));
  }
}

}  // namespace knockout::nn
