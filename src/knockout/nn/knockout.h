// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knockout/mask/plan.h"
#include "knockout/mask/sampler.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// What stands in for an input that is not there. The first value is for missing, the second for
/// missing for a reason (+-Inf cells); without a second one, both take the first.
struct Placeholder {
  enum class Rule {
    kConstant,  ///< The same number everywhere.
    kMean,      ///< The mean of the training inputs, element by element; see observe().
    kLearned,   ///< A parameter, trained with the network.
  };
  Rule rule = Rule::kConstant;
  double value = 0.0;
  std::optional<double> for_a_reason = {};

  static Placeholder constant(double value) { return {Rule::kConstant, value, {}}; }
  static Placeholder constant(double value, double for_a_reason) {
    return {Rule::kConstant, value, for_a_reason};
  }
  static Placeholder zeros() { return constant(0.0); }  ///< Structured inputs, Z-scored.
  static Placeholder z_score() { return constant(10.0, -10.0); }
  static Placeholder unit_interval() { return constant(-1.0, 2.0); }
  static Placeholder mean() { return {Rule::kMean, 0.0, {}}; }
  static Placeholder learned() { return {Rule::kLearned, 0.0, {}}; }
};

/// One input of a network: a scalar or a vector per row, an image, a volume, a latent.
struct Modality {
  std::string name;
  std::vector<std::int64_t> shape;  ///< Without the batch: {9}, {3, 32, 32}; {} = one number.
  Placeholder placeholder = Placeholder::zeros();
  /// Probability of being knocked out; negative = the paper's, from the number of units.
  double knockout_rate = -1.0;
  /// Modalities of one group go missing together; "" = alone. The first one's rate counts.
  std::string group = {};
  /// Each index of the first dimension of the shape (a feature, a channel) is a unit of its own
  /// instead of the whole modality.
  bool separate_features = false;
};

/// How Knockout behaves.
struct KnockoutModuleOptions {
  std::vector<Modality> modalities;
  /// p(M) over the units in place of the modalities' rates; see Knockout::unit_names().
  std::optional<KnockoutPlan> plan = {};
  /// Never knocks out the last input that a row has.
  bool keep_at_least_one = false;
  std::uint64_t seed = 0;
  /// Separates several Knockout modules of one network, as the networks of an ensemble: with the
  /// same seed and member, the first units of two modules always go missing together.
  std::uint32_t member = 0;
};

/// Makes a network ready for missing inputs; used like Dropout, at the input or between encoders
/// and a head. In train() it knocks units out by p(M), in eval() it only substitutes what is really
/// missing. What is missing may be told in three ways, together or alone: NaN cells (+-Inf: for a
/// reason), a presence mask [batch, modalities], an undefined tensor.
///   Knockout knockout(KnockoutModuleOptions{
///       .modalities = {{.name = "x",
///                       .shape = {9},
///                       .placeholder = Placeholder::z_score(),
///                       .separate_features = true}}});
///   auto prediction = network->forward(knockout->forward(x));
///
/// NaN cells are substituted one by one: a volume whose background is NaN takes the placeholder
/// there, a volume that is all NaN takes it everywhere. Between an encoder and a head give the
/// presence mask, and the encoder finite numbers: NaN that went through an encoder spoils its
/// gradients even when its output is replaced.
///
/// The masks are those of KnockoutSampler with Random(seed, Stream::kKnockout, member): a pure
/// function of (seed, step, row, unit), the same as the native engine's. The step counts the
/// training passes and is a buffer ("step"), saved with the weights.
class KnockoutImpl : public torch::nn::Cloneable<KnockoutImpl> {
 public:
  /// Throws ConfigError for modalities that contradict each other.
  explicit KnockoutImpl(KnockoutModuleOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Placeholders change their type, the step does not: half precision would lose count of it.
  void to(torch::Device device, bool non_blocking = false) override;
  void to(torch::Dtype type, bool non_blocking = false) override;
  void to(torch::Device device, torch::Dtype type, bool non_blocking = false) override;

  /// One modality; works inside torch::nn::Sequential. REQUIRES: modalities().size() == 1.
  torch::Tensor forward(const torch::Tensor& input, const torch::Tensor& presence = {});
  /// Several: one tensor each, undefined where a whole modality is absent. `presence` is
  /// [batch, modalities], true or non-zero = there. Throws ConfigError for shapes that do not fit.
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

  const KnockoutModuleOptions& options() const { return options_; }
  const std::vector<Modality>& modalities() const { return options_.modalities; }
  const std::vector<std::string>& unit_names() const { return unit_names_; }
  const KnockoutPlan& plan() const { return plan_; }

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(torch::Tensor())})

 private:
  /// The units a modality has in a mask: columns [begin, begin + count).
  struct UnitRange {
    std::int64_t begin = 0, count = 1;
  };
  std::int64_t check_inputs(const std::vector<torch::Tensor>& inputs,
                            const torch::Tensor& presence) const;
  torch::Tensor spare_the_last(const torch::Tensor& mask, const std::vector<torch::Tensor>& inputs,
                               const torch::Tensor& absent) const;
  torch::Tensor substitute(std::size_t modality, const torch::Tensor& input, std::int64_t rows,
                           const torch::Tensor& mask, const torch::Tensor& absent) const;
  std::int64_t current_step();
  void write_step(std::int64_t step);
  void remember_step(std::int64_t step);

  KnockoutModuleOptions options_;
  std::vector<UnitRange> unit_ranges_;  ///< Per modality.
  std::vector<std::string> unit_names_;
  KnockoutPlan plan_;
  std::optional<KnockoutSampler> sampler_;
  std::vector<torch::Tensor> placeholders_, reason_placeholders_;  ///< Per modality.
  std::vector<torch::Tensor> observed_;  ///< Cells behind each mean; undefined without one.
  torch::Tensor step_;
  std::int64_t host_step_ = 0;  ///< What step_ holds, so that it need not be read from a device,
  std::int64_t step_version_ = -1;  ///< as long as nobody else has written to it.
  const void* step_data_ = nullptr;
  std::uint32_t first_row_ = 0;
};
TORCH_MODULE(Knockout);

/// An embedding of a categorical input with rows of its own for missing and for missing for a
/// reason. Codes are 0 .. categories-1; -1 is missing, -2 missing for a reason. In train() codes
/// are knocked out like the units of Knockout, each column of [batch, columns] on its own.
class KnockoutEmbeddingImpl : public torch::nn::Cloneable<KnockoutEmbeddingImpl> {
 public:
  struct Options {
    std::int64_t categories = 2;
    std::int64_t dimension = 10;
    std::int64_t columns = 1;     ///< Columns that share the embedding.
    double knockout_rate = -1.0;  ///< Negative = the paper's, as if these columns were all.
    std::uint64_t seed = 0;
    std::uint32_t member = 0;  ///< Another one for each Knockout and embedding of a network.
  };
  explicit KnockoutEmbeddingImpl(Options options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  /// [batch] or [batch, columns] of integers -> the same with one more dimension. A code outside
  /// the range is an error, never a missing value: DataError on the CPU, LibTorch's own elsewhere.
  torch::Tensor forward(const torch::Tensor& codes);

  const torch::Tensor& weight() const { return weight_; }

 private:
  Options options_;
  Knockout knockout_{nullptr};
  torch::Tensor weight_;
};
TORCH_MODULE(KnockoutEmbedding);

/// Throws ConfigError when Knockout modules inside a network would go missing together because they
/// have the same seed and member, or lack the means they need. The trainer calls it.
void check_knockouts(torch::nn::Module& network);

/// Tells every Knockout inside a network which step comes next and which rows this process has.
void set_knockout_step(torch::nn::Module& network, std::int64_t step, std::uint32_t first_row = 0);

}  // namespace knockout::nn
