// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/miwae_training.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/mask/sampler.h"
#include "knockout/nn/training/one_thread.h"

namespace knockout::nn {
namespace {

/// What generators are for.
enum Purpose : std::uint32_t { kWeights, kTrainingNoise, kPredictionNoise, kOrder };

/// Rows of one training step, knocked out.
struct KnockedOutBatch {
  torch::Tensor values, observed;  ///< [rows, inputs]
  torch::Tensor labels, weights;   ///< [rows, targets]
};

/// The training rows in mini-batches: all rows in a new order, again and again, each time with
/// other cells knocked out.
class Batches {
 public:
  Batches(const MaskedRows& rows, const TargetLabels& labels, const MaskedInputs& inputs,
          std::int64_t targets, const MiwaeOptions& options, std::uint64_t seed)
      : sampler_(inputs.plan(), Random(seed, Stream::kKnockout)),
        order_generator_(generator_from(seed, kOrder)),
        rows_(static_cast<std::int64_t>(rows.rows)),
        batch_rows_(options.batch_rows > 0 ? std::min<std::int64_t>(options.batch_rows, rows_)
                                           : rows_),
        values_(as_tensor(rows.values, rows_, inputs.layout().width())),
        observed_(as_tensor(rows.observed, rows_, inputs.layout().width())),
        labels_(as_tensor(labels.values, rows_, targets)),
        weights_(as_tensor(labels.weights, rows_, targets)),
        unit_of_input_(torch::tensor(inputs.unit_of_input(), torch::kLong)) {}

  KnockedOutBatch next() {
    KnockedOutBatch batch{values_, observed_, labels_, weights_};
    if (batch_rows_ < rows_) {
      const torch::Tensor chosen = choose_rows();
      for (torch::Tensor* part : {&batch.values, &batch.observed, &batch.labels, &batch.weights}) {
        *part = part->index_select(0, chosen);
      }
    }
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(batch_rows_ * sampler_.units()));
    sampler_.draw_rows(step_++, 0, static_cast<std::size_t>(batch_rows_), mask);
    const torch::Tensor kept =
        torch::from_blob(mask.data(), {batch_rows_, sampler_.units()}, torch::kUInt8)
            .eq(KnockoutSampler::kKept)
            .to(torch::kFloat)
            .index_select(1, unit_of_input_);
    batch.values = batch.values * kept;
    batch.observed = batch.observed * kept;
    return batch;
  }

  std::int64_t batch_rows() const { return batch_rows_; }

 private:
  torch::Tensor choose_rows() {
    if (!order_.defined() || next_row_ + batch_rows_ > rows_) {
      order_ = torch::randperm(rows_, order_generator_, torch::kLong);
      next_row_ = 0;
    }
    next_row_ += batch_rows_;
    return order_.narrow(0, next_row_ - batch_rows_, batch_rows_);
  }

  KnockoutSampler sampler_;
  torch::Generator order_generator_;
  std::int64_t rows_, batch_rows_;
  torch::Tensor values_, observed_, labels_, weights_;
  torch::Tensor unit_of_input_;
  torch::Tensor order_;
  std::int64_t next_row_ = 0;
  std::uint64_t step_ = 0;
};

/// Adam with a learning rate that falls to zero along a cosine.
void minimise(const std::vector<torch::Tensor>& parameters, const MiwaeOptions& options,
              const std::function<torch::Tensor()>& loss,
              const std::function<void(double share)>& progress) {
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(options.learning_rate));
  auto& settings = static_cast<torch::optim::AdamOptions&>(adam.param_groups()[0].options());
  // Far above what is usual: one row that the model finds all but impossible must not undo it.
  constexpr double kLargestGradient = 100.0;
  for (int step = 0; step < options.steps; ++step) {
    const double share = static_cast<double>(step) / options.steps;
    settings.lr(options.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * share)));
    adam.zero_grad();
    loss().backward();
    torch::nn::utils::clip_grad_norm_(parameters, kLargestGradient);
    adam.step();
    if (progress && step % 50 == 0) progress(share);
  }
  for (const torch::Tensor& parameter : parameters) {
    if (!parameter.isfinite().all().item<bool>()) {
      throw DataError(
          "the training of the latent-variable model diverged.\n  Try a lower learning rate.");
    }
  }
}

std::function<void(double)> part_of(const FitContext& run, double begin, double end) {
  if (!run.progress) return {};
  return [&run, begin, end](double share) { run.progress(begin + (end - begin) * share); };
}

void check(const MiwaeOptions& options) {
  if (options.latent < 1 || options.hidden < 1 || options.training_samples < 1 ||
      options.prediction_samples < 1 || options.steps < 0 || options.batch_rows < 0 ||
      !(options.learning_rate > 0) ||
      std::any_of(options.predictor_hidden.begin(), options.predictor_hidden.end(),
                  [](int width) { return width < 1; })) {
    throw ConfigError("MIWAE: sizes, samples and the learning rate must be above 0.");
  }
}

/// The model before its first step.
MiwaeModel initial_model(const MaskedInputs& inputs, const MaskedRows& rows,
                         std::vector<TargetOutputs> targets, bool supervised,
                         const MiwaeOptions& options, std::uint64_t seed) {
  torch::Generator weights = generator_from(seed, kWeights);
  std::vector<std::int64_t> widths = {inputs.layout().width()};
  widths.insert(widths.end(), options.predictor_hidden.begin(), options.predictor_hidden.end());
  widths.push_back(targets.back().begin + targets.back().width);
  MiwaeModel model{
      .supervised = supervised,
      .targets = std::move(targets),
      .latent_model = LatentModel(inputs.layout(), options.latent, options.hidden, weights),
      .predictor = DenseNetwork(widths, weights)};
  torch::Generator noise = generator_from(seed, kPredictionNoise);
  model.prediction_noise = model.latent_model.draw_noise(1, options.prediction_samples, noise);
  const torch::Tensor values =
      as_tensor(rows.values, static_cast<std::int64_t>(rows.rows), inputs.layout().width());
  model.lowest = values.amin(0);
  model.highest = values.amax(0);
  return model;
}

void train_as_one(MiwaeModel& model, Batches& batches, torch::Generator& generator,
                  const MiwaeOptions& options, const FitContext& run) {
  std::vector<torch::Tensor> parameters = model.latent_model.parameters();
  model.predictor.add_to(parameters);
  const auto loss = [&] {
    const KnockedOutBatch batch = batches.next();
    const SampleNoise noise =
        model.latent_model.draw_noise(batches.batch_rows(), options.training_samples, generator);
    const LatentSamples samples = model.latent_model.sample(batch.values, batch.observed, noise);
    const torch::Tensor rows = model.draw_gaps(batch.values, batch.observed, samples, noise);
    const torch::Tensor outputs = model.predictor.forward(rows.flatten(0, 1))
                                      .view({batches.batch_rows(), options.training_samples, -1});
    const torch::Tensor of_labels =
        log_likelihood(outputs, model.targets, batch.labels, batch.weights);
    return -importance_bound(samples.log_weights + of_labels).mean();
  };
  minimise(parameters, options, loss, part_of(run, 0.0, 1.0));
}

void train_in_turn(MiwaeModel& model, Batches& batches, torch::Generator& generator,
                   const MiwaeOptions& options, const FitContext& run) {
  constexpr double kFirstShare = 0.6;  // of the time, about
  const auto bound_loss = [&] {
    const KnockedOutBatch batch = batches.next();
    const SampleNoise noise =
        model.latent_model.draw_noise(batches.batch_rows(), options.training_samples, generator);
    return -importance_bound(
                model.latent_model.sample(batch.values, batch.observed, noise).log_weights)
                .mean();
  };
  minimise(model.latent_model.parameters(), options, bound_loss, part_of(run, 0.0, kFirstShare));

  std::vector<torch::Tensor> parameters;
  model.predictor.add_to(parameters);
  const auto predictor_loss = [&] {
    const KnockedOutBatch batch = batches.next();
    const torch::Tensor filled = [&] {
      const torch::NoGradGuard no_gradients;
      return model.fill(batch.values, batch.observed);
    }();
    const torch::Tensor outputs = model.predictor.forward(filled).unsqueeze(1);
    return -log_likelihood(outputs, model.targets, batch.labels, batch.weights).mean();
  };
  minimise(parameters, options, predictor_loss, part_of(run, kFirstShare, 1.0));
}

}  // namespace

MiwaeModel train_miwae(const Table& table, const Schema& schema, const MaskedInputs& inputs,
                       bool supervised, const MiwaeOptions& options, const FitContext& run) {
  check(options);
  const OneThread one_thread;
  const MaskedRows rows = inputs.encode(table, run.threads);
  std::vector<TargetOutputs> targets = outputs_for(table, schema);
  const TargetLabels labels = labels_of(table, schema, targets);
  const auto target_count = static_cast<std::int64_t>(targets.size());
  MiwaeModel model = initial_model(inputs, rows, std::move(targets), supervised, options, run.seed);
  Batches batches(rows, labels, inputs, target_count, options, run.seed);
  torch::Generator noise = generator_from(run.seed, kTrainingNoise);
  if (supervised) {
    train_as_one(model, batches, noise, options, run);
  } else {
    train_in_turn(model, batches, noise, options, run);
  }
  return model;
}

}  // namespace knockout::nn
