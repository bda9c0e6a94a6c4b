// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/fusion.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/nn/module/flat_rows.h"

namespace knockout::nn {
namespace {

/// Codes of categories, where -1 is missing and -2 missing for a reason. Bytes have neither.
bool may_hold_codes(const torch::Tensor& input) {
  return c10::isIntegralType(input.scalar_type(), /*includeBool=*/false) &&
         input.scalar_type() != torch::kUInt8;
}

/// Of one modality's rows [batch, ...], [3, batch]: what its encoder sees, what is neither there
/// nor missing, and what is missing for a reason.
enum RowFlag { kSeen, kTorn, kForAReason };
torch::Tensor row_flags(const torch::Tensor& input, const torch::Tensor& present) {
  const torch::Tensor cells = flat_rows(input.detach());
  torch::Tensor flags;
  if (may_hold_codes(input)) {
    // Which codes of a row that has some an encoder can take, it knows itself.
    const torch::Tensor some = cells.ne(-1).logical_and(cells.ne(-2)).any(1);
    flags = torch::stack({some, torch::zeros_like(some), cells.eq(-2).all(1)});
  } else {
    const torch::Tensor finite = cells.isfinite();
    const torch::Tensor some = finite.any(1);
    flags =
        torch::stack({some, some.logical_and(finite.all(1).logical_not()), cells.isinf().all(1)});
  }
  return present.defined() ? flags.logical_and(present) : flags;
}

/// Says what an encoder could not read. Called where it has thrown: this reads from the device.
[[noreturn]] void name_code(const std::string& modality, const torch::Tensor& rows,
                            const torch::Tensor& places, const std::string& said) {
  const torch::Tensor cells = flat_rows(rows).to(torch::kCPU);
  const auto row = cells.lt(0).any(1).nonzero()[0].item<std::int64_t>();
  throw DataError(
      fmt::format("Fusion: modality \"{}\", row {} of the batch: its encoder does not take the "
                  "code {} ({}).\n"
                  "  A row whose codes are all -1 is missing, all -2 missing for a reason. Where "
                  "single codes go missing, use\n  a KnockoutEmbedding as encoder.",
                  modality, places[row].item<std::int64_t>(), cells[row].min().item<std::int64_t>(),
                  said.substr(0, said.find('\n'))));
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

/// The latents of the rows that an encoder sees, which are those at `places` of the batch.
torch::Tensor FusionImpl::run_encoder(std::size_t m, const torch::Tensor& rows,
                                      const torch::Tensor& places) const {
  const Modality& modality = knockout_->modalities()[m];
  torch::Tensor encoded;
  try {
    encoded = options_.encoders[m].encode(rows);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // LibTorch's, or TorchScript's
    if (!may_hold_codes(rows) || !rows.lt(0).any().item<bool>()) throw;
    name_code(modality.name, rows, places, error.what());
  }
  std::vector<std::int64_t> expected = {rows.size(0)};
  expected.insert(expected.end(), modality.shape.begin(), modality.shape.end());
  if (encoded.sizes() != torch::IntArrayRef(expected)) {
    throw ConfigError(fmt::format(
        "Fusion: the encoder of \"{}\" puts out the shape [{}] for {} rows; with the "
        "latent that its modality has, expected [{}].",
        modality.name, fmt::join(encoded.sizes(), ", "), rows.size(0), fmt::join(expected, ", ")));
  }
  if (!encoded.is_floating_point()) {
    throw ConfigError(
        fmt::format("Fusion: the encoder of \"{}\" puts out {}; expected floating-point numbers.",
                    modality.name, c10::toString(encoded.scalar_type())));
  }
  return encoded;
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
      encoded =
          run_encoder(m, seen.size(0) == rows ? inputs[m] : inputs[m].index_select(0, seen), seen);
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
