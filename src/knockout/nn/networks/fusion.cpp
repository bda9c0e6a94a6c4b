// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/fusion.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/nn/module/flat_rows.h"

namespace knockout::nn {
namespace {

/// Of one modality's rows [batch, ...], [3, batch]: what its encoder sees, what is neither there
/// nor missing, and what is missing for a reason.
enum RowFlag { kSeen, kTorn, kForAReason };
torch::Tensor row_flags(const torch::Tensor& input, const torch::Tensor& present) {
  const torch::Tensor cells = flat_rows(input.detach());
  const torch::Tensor finite = cells.isfinite();
  const torch::Tensor some = finite.any(1);
  const torch::Tensor flags =
      torch::stack({some, some.logical_and(finite.all(1).logical_not()), cells.isinf().all(1)});
  return present.defined() ? flags.logical_and(present) : flags;
}

/// Which modules of a network are in train(), to put them back there.
class KeptModes {
 public:
  explicit KeptModes(const torch::nn::Module& network) : modules_(network.modules()) {
    for (const auto& module : modules_) training_.push_back(module->is_training());
  }
  ~KeptModes() {  // parents come first, as they tell their children
    for (std::size_t i = 0; i < modules_.size(); ++i) modules_[i]->train(training_[i]);
  }
  KeptModes(const KeptModes&) = delete;
  KeptModes& operator=(const KeptModes&) = delete;

 private:
  std::vector<std::shared_ptr<torch::nn::Module>> modules_;
  std::vector<bool> training_;
};

}  // namespace

FusionImpl::FusionImpl(FusionOptions options) : options_(std::move(options)) {
  const std::vector<Modality>& modalities = options_.knockout.modalities;
  if (options_.encoders.size() != modalities.size()) {
    throw ConfigError(fmt::format("Fusion: {} encoders for {} modalities; expected one for each.",
                                  options_.encoders.size(), modalities.size()));
  }
  for (const Modality& modality : modalities) {
    if (std::count(modality.shape.begin(), modality.shape.end(), -1) > 0) {
      throw ConfigError(
          fmt::format("Fusion: the latent of \"{}\" has the shape [{}]; the head needs its size.",
                      modality.name, fmt::join(modality.shape, ", ")));
    }
  }
  build();
}

void FusionImpl::reset() {
  std::map<torch::nn::Module*, std::shared_ptr<torch::nn::Module>> copies;  // one may serve twice
  for (ModalityEncoder& encoder : options_.encoders) {
    std::shared_ptr<torch::nn::Module>& copy = copies[encoder.network.get()];
    if (copy == nullptr) copy = encoder.network->clone();
    encoder.network = copy;
  }
  build();
}

void FusionImpl::build() {
  knockout_ = register_module("knockout", Knockout(options_.knockout));
  std::int64_t latents = 0;
  for (std::size_t m = 0; m < options_.encoders.size(); ++m) {
    const Modality& modality = options_.knockout.modalities[m];
    register_module("encoder_" + modality.name, options_.encoders[m].network);
    std::int64_t size = 1;
    for (const std::int64_t extent : modality.shape) size *= extent;
    latents += size;
  }
  head_ = register_module("head", Mlp(MlpOptions{.inputs = latents,
                                                 .hidden = options_.head_hidden,
                                                 .outputs = options_.outputs,
                                                 .dropout_rate = options_.dropout_rate}));
}

torch::Tensor FusionImpl::forward(const std::vector<torch::Tensor>& inputs,
                                  const torch::Tensor& presence) {
  std::vector<torch::Tensor> features;
  for (const torch::Tensor& latent : latents(inputs, presence)) {
    features.push_back(flat_rows(latent));
  }
  return head_->forward(torch::cat(features, 1));
}

std::vector<torch::Tensor> FusionImpl::latents(const std::vector<torch::Tensor>& inputs,
                                               const torch::Tensor& presence) {
  return knockout_->forward_all(encode(inputs, presence), presence);
}

void FusionImpl::observe(const std::vector<torch::Tensor>& inputs, const torch::Tensor& presence) {
  const torch::NoGradGuard no_gradients;
  const KeptModes modes(*this);
  eval();
  knockout_->observe(encode(inputs, presence), presence);
}

void FusionImpl::check_inputs(const std::vector<torch::Tensor>& inputs,
                              const torch::Tensor& presence) const {
  const std::size_t modalities = options_.encoders.size();
  if (inputs.size() != modalities ||
      (presence.defined() &&
       (presence.dim() != 2 || presence.size(1) != static_cast<std::int64_t>(modalities)))) {
    throw ConfigError(
        fmt::format("Fusion: expected {0} inputs, an undefined tensor for one that is absent, and "
                    "a presence mask [batch, {0}] or none.",
                    modalities));
  }
  std::optional<std::int64_t> rows;
  if (presence.defined()) rows = presence.size(0);
  for (std::size_t m = 0; m < modalities; ++m) {
    if (!inputs[m].defined()) continue;
    if (inputs[m].dim() == 0 || inputs[m].size(0) != rows.value_or(inputs[m].size(0))) {
      throw ConfigError(fmt::format(
          "Fusion: modality \"{}\" has the shape [{}]; expected the batch first, with as many "
          "rows as the others and the presence mask have.",
          knockout_->modalities()[m].name, fmt::join(inputs[m].sizes(), ", ")));
    }
    rows = inputs[m].size(0);
  }
}

/// The latents of all rows: those of the rows that have the modality from its encoder, NaN (or Inf)
/// for the others, which Knockout puts the placeholder on.
std::vector<torch::Tensor> FusionImpl::encode(const std::vector<torch::Tensor>& inputs,
                                              const torch::Tensor& presence) const {
  check_inputs(inputs, presence);
  std::vector<std::size_t> given;
  std::vector<torch::Tensor> on_device;
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    if (!inputs[m].defined()) continue;
    const torch::Tensor present =
        presence.defined() ? presence.select(1, static_cast<std::int64_t>(m)).to(torch::kBool)
                           : torch::Tensor();
    given.push_back(m);
    on_device.push_back(row_flags(inputs[m], present));
  }
  std::vector<torch::Tensor> latents(inputs.size());
  if (given.empty()) return latents;
  const torch::Tensor all_flags = torch::stack(on_device).to(torch::kCPU);

  std::vector<torch::Tensor> sound;  // of the encoders that ran: whether all their latents are
  std::vector<std::size_t> ran;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t m = given[i];
    const Modality& modality = knockout_->modalities()[m];
    const torch::Tensor flags = all_flags[static_cast<std::int64_t>(i)];
    const torch::Tensor torn = flags[kTorn].nonzero();
    if (torn.numel() > 0) {
      throw DataError(fmt::format(
          "Fusion: modality \"{}\", row {} of the batch: some of its numbers are NaN or infinite, "
          "others not.\n"
          "  A modality is there or missing as a whole. Fill such cells (a background with zeros, "
          "say), or make\n  the whole row NaN.",
          modality.name, torn[0].item<std::int64_t>()));
    }
    const std::int64_t rows = inputs[m].size(0);
    const auto where = [&](RowFlag flag) {
      return flags[flag].nonzero().squeeze(1).to(inputs[m].device(), /*non_blocking=*/true);
    };
    const torch::Tensor seen = where(kSeen);
    torch::Tensor encoded;
    if (seen.size(0) > 0) {
      encoded = options_.encoders[m].encode(seen.size(0) == rows ? inputs[m]
                                                                 : inputs[m].index_select(0, seen));
      ran.push_back(m);
      sound.push_back(encoded.detach().isfinite().all());
      latents[m] = encoded;
    }
    if (seen.size(0) < rows || rows == 0) {
      std::vector<std::int64_t> shape = {rows};
      shape.insert(shape.end(), modality.shape.begin(), modality.shape.end());
      latents[m] = torch::full(shape, std::numeric_limits<double>::quiet_NaN(),
                               head_->parameters().front().options().requires_grad(false));
      latents[m].index_fill_(0, where(kForAReason), std::numeric_limits<double>::infinity());
      if (encoded.defined()) latents[m] = latents[m].index_copy(0, seen, encoded);
    }
  }
  if (options_.check_latents && !sound.empty()) {
    const torch::Tensor diverged = torch::stack(sound).to(torch::kCPU).logical_not().nonzero();
    if (diverged.numel() > 0) {
      throw DataError(fmt::format(
          "Fusion: the encoder of \"{}\" puts out numbers that are not finite.\n"
          "  Its training has diverged: lower the learning rate or clip gradients.",
          knockout_->modalities()[ran[static_cast<std::size_t>(diverged[0].item<std::int64_t>())]]
              .name));
    }
  }
  return latents;
}

}  // namespace knockout::nn
