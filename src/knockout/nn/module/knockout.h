// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knockout/mask/sampler.h"
#include "knockout/nn/module/modality.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// Makes a network ready for missing inputs; used like Dropout, at the input or between encoders
/// and a head. In train() it knocks units out by p(M), in eval() it only substitutes what is really
/// missing. What is missing may be told in three ways, together or alone: NaN cells (+-Inf: for a
/// reason), a presence mask [batch, modalities], an undefined tensor.
///   Knockout knockout(KnockoutModuleOptions{
///       .modalities = {{.name = "x",
///                       .shape = {9},
///                       .support = Support::kRealLine,  // Z-scores
///                       .separate_features = true}}});
///   auto prediction = network->forward(knockout->forward(x));
///
/// Placeholders follow from what a modality says of itself (recommended_placeholder()); options()
/// shows them. One that real numbers would take is refused unless forced (checked_placeholder()).
///
/// Categories are integers, with Placeholder::code(): what is missing becomes -1 or -2, which
/// KnockoutEmbedding has rows for. So one p(M), with its groups and guarantees, covers all columns.
///
/// NaN cells are substituted one by one: a volume whose background is NaN takes the placeholder
/// there, a volume that is all NaN takes it everywhere. Between an encoder and a head give the
/// presence mask, and the encoder finite numbers: NaN that went through an encoder spoils its
/// gradients even when its output is replaced.
///
/// The masks are those of KnockoutSampler with Random(seed, Stream::kKnockout, member): a pure
/// function of (seed, step, row, unit), the same as the native engine's. The step counts the
/// training passes and is a buffer ("step"), saved with the weights. Several training passes within
/// one step of an optimiser (two views of a batch, gradients added up) therefore take the masks of
/// several steps, and a trainer that sets the step gives the second pass what the next step's first
/// one gets. Where that matters, use a module with another `member` for each pass, or set_step()
/// before each, to the same step for the same masks.
///
/// With one_mask_per_batch the mask of row 0 serves all rows of a step.
///
/// With keep_at_least_one a row that would lose all it has gets one of its units back, each equally
/// often. Nothing is read from the device in a pass, and no size depends on the numbers.
class KnockoutImpl : public torch::nn::Cloneable<KnockoutImpl> {
 public:
  /// Throws ConfigError for modalities that contradict each other, or a placeholder that no network
  /// could tell from a number.
  explicit KnockoutImpl(KnockoutModuleOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Placeholders change their type, the step and the counts behind means do not: half precision
  /// would lose count of them.
  void to(torch::Device device, bool non_blocking = false) override;
  void to(torch::Dtype type, bool non_blocking = false) override;
  void to(torch::Device device, torch::Dtype type, bool non_blocking = false) override;

  /// One modality; works inside torch::nn::Sequential. REQUIRES: modalities().size() == 1.
  torch::Tensor forward(const torch::Tensor& input, const torch::Tensor& presence = {});
  /// Several: one tensor each, undefined where a whole modality is absent. `presence` is
  /// [batch, modalities], true or non-zero = there. An absent modality with extents of -1 takes
  /// them from one that is given, has as many dimensions and -1 in the same place. Throws
  /// ConfigError for shapes that do not fit.
  std::vector<torch::Tensor> forward_all(const std::vector<torch::Tensor>& inputs,
                                         const torch::Tensor& presence = {});

  /// Adds a training batch to the means that Placeholder::mean() needs, which are 0 until then:
  /// call it once for each training batch before training.
  void observe(const std::vector<torch::Tensor>& inputs, const torch::Tensor& presence = {});

  /// The next training pass draws the masks of this step, for rows first_row, first_row + 1, ...;
  /// a trainer that spreads a batch over processes gives each its first row.
  void set_step(std::int64_t step, std::uint32_t first_row = 0);

  /// The masks of a training pass at this step, [rows, units] on the CPU: values of
  /// KnockoutSampler, 0 = kept.
  torch::Tensor draw(std::int64_t step, std::int64_t rows) const;
  /// The masks of the next training pass, for networks that apply them themselves; the step moves
  /// on.
  torch::Tensor next_mask(std::int64_t rows, torch::Device device);

  /// Whether a mean is to stand for missing inputs and none was observed. Reads from the device.
  bool needs_means() const;
  /// Whether any unit has a rate above 0.
  bool ever_knocks_out() const;

  const KnockoutModuleOptions& options() const { return options_; }
  const std::vector<Modality>& modalities() const { return options_.modalities; }
  const std::vector<std::string>& unit_names() const { return units_.names; }
  const KnockoutPlan& plan() const { return units_.plan; }

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(torch::Tensor())})

 private:
  std::int64_t check_inputs(const std::vector<torch::Tensor>& inputs,
                            const torch::Tensor& presence) const;
  bool is_code(std::size_t modality) const;
  torch::Tensor cells_there(std::size_t modality, const torch::Tensor& input) const;
  std::vector<std::int64_t> absent_shape(std::size_t modality, std::int64_t rows,
                                         const std::vector<torch::Tensor>& inputs) const;
  torch::Tensor restore_draws(std::int64_t step, std::int64_t rows) const;
  torch::Tensor spare_one(const torch::Tensor& mask, const torch::Tensor& draws,
                          const std::vector<torch::Tensor>& inputs,
                          const torch::Tensor& absent) const;
  torch::Tensor substitute(std::size_t modality, const std::vector<torch::Tensor>& inputs,
                           std::int64_t rows, const torch::Tensor& mask,
                           const torch::Tensor& absent) const;
  std::int64_t current_step();
  void write_step(std::int64_t step);
  void remember_step(std::int64_t step);

  KnockoutModuleOptions options_;
  ModalityUnits units_;
  std::optional<KnockoutSampler> sampler_;
  std::vector<torch::Tensor> placeholders_, reason_placeholders_;  ///< Per modality.
  std::vector<torch::Tensor> observed_;  ///< Cells behind each mean; undefined without one.
  torch::Tensor step_;
  /// What step_ holds, so that it need not be read from a device.
  std::int64_t host_step_ = 0;
  /// That of step_ when host_step_ was read: with another one, somebody else has written to it.
  std::int64_t step_version_ = -1;
  const void* step_data_ = nullptr;
  std::uint32_t first_row_ = 0;
};
TORCH_MODULE(Knockout);

/// Throws ConfigError when Knockout modules inside a network would go missing together because they
/// have the same seed and member, or lack the means they need. The trainer calls it.
void check_knockouts(torch::nn::Module& network);

/// Tells every Knockout inside a network which step comes next and which rows this process has.
void set_knockout_step(torch::nn::Module& network, std::int64_t step, std::uint32_t first_row = 0);

}  // namespace knockout::nn
