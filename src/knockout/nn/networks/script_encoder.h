// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "knockout/nn/torch.h"

namespace knockout::nn {

struct ScriptEncoderOptions {
  /// False: its weights never change, get no gradients, and are not part of the state dict (the
  /// file keeps them); it stays in eval() whatever train() says. True: they are parameters like all
  /// others, as "script." and the names they have in the file.
  bool fine_tune = false;
};

/// A network in a TorchScript file (torch.jit.trace or torch.jit.script, then save) as an encoder:
/// one tensor in, one tensor out, of whatever shapes it has. Gradients pass through to what stands
/// before it, frozen or not. What tracing has fixed stays fixed: a traced network keeps the mode
/// (train or eval) that it was traced in.
///   ScriptEncoder encoder("resnet50.pt");
///   torch::Tensor latents = encoder->forward(images);
class ScriptEncoderImpl : public torch::nn::Cloneable<ScriptEncoderImpl> {
 public:
  /// Throws FileError for a file that cannot be read, ModelFileError for one that holds no
  /// TorchScript network, or one that does not make one tensor of one tensor.
  explicit ScriptEncoderImpl(const std::string& path, const ScriptEncoderOptions& options = {});
  torch::Tensor forward(const torch::Tensor& input);

  void reset() override;  ///< For clone(): tensors of its own.
  std::shared_ptr<torch::nn::Module> clone(
      const c10::optional<torch::Device>& device = c10::nullopt) const override;
  /// The file's name and the first digits of the SHA-256 of its bytes: a run that is resumed with
  /// another file is told from the one before.
  void pretty_print(std::ostream& stream) const override;

  void train(bool on = true) override;
  // A frozen network is not registered and has to be told. And LibTorch turns integers into floats
  // as well, which a network that looks something up by them does not survive.
  void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false) override;
  void to(torch::Dtype dtype, bool non_blocking = false) override;
  void to(torch::Device device, bool non_blocking = false) override;

 private:
  void convert(std::optional<torch::Device> device, std::optional<torch::Dtype> dtype,
               bool non_blocking);

  void expose_tensors();

  bool fine_tune_;
  std::string file_name_, file_hash_;
  torch::jit::Module script_;
  std::shared_ptr<torch::nn::Module> tensors_;  ///< Those of script_.
};
TORCH_MODULE(ScriptEncoder);

}  // namespace knockout::nn
