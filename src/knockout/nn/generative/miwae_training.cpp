// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/miwae_training.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/mask/sampler.h"
#include "knockout/nn/training/one_thread.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::nn {
namespace {

/// What generators are for.
enum Purpose : std::uint32_t { kWeights = 0, kPredictionNoise = 2 };

/// The training rows, each time with other cells knocked out. The inputs of a batch are values,
/// what is observed of them, the weights of the labels and, if asked for, SampleNoise.
class KnockedOutRows : public Dataset {
 public:
  /// Rows and labels must outlive it. `noise_of` may be null.
  KnockedOutRows(const MaskedRows& rows, const TargetLabels& labels, const MaskedInputs& inputs,
                 std::int64_t targets, const Random& random, const LatentModel* noise_of,
                 std::int64_t samples)
      : sampler_(inputs.plan(), random),
        rows_(static_cast<std::int64_t>(rows.rows)),
        values_(as_tensor(rows.values, rows_, inputs.layout().width())),
        observed_(as_tensor(rows.observed, rows_, inputs.layout().width())),
        labels_(as_tensor(labels.values, rows_, targets)),
        weights_(as_tensor(labels.weights, rows_, targets)),
        unit_of_input_(torch::tensor(inputs.unit_of_input(), torch::kLong)),
        noise_of_(noise_of),
        samples_(samples) {}

  std::size_t size() const override { return static_cast<std::size_t>(rows_); }

  Batch get(std::span<const std::size_t> rows, const Random& random,
            std::uint64_t draw) const override {
    const std::vector<std::int64_t> chosen(rows.begin(), rows.end());
    const torch::Tensor from = torch::tensor(chosen, torch::kLong);
    const torch::Tensor kept = kept_cells(rows, draw);
    Batch batch{.inputs = {values_.index_select(0, from) * kept,
                           observed_.index_select(0, from) * kept, weights_.index_select(0, from)},
                .labels = labels_.index_select(0, from),
                .rows = {rows.begin(), rows.end()}};
    if (noise_of_ == nullptr) return batch;
    torch::Generator generator = at::detail::createCPUGenerator(random.bits(draw, 0, 0));
    const SampleNoise noise = noise_of_->draw_noise(batch.size(), samples_, generator);
    batch.inputs.insert(batch.inputs.end(), {noise.latent, noise.radius, noise.direction});
    return batch;
  }

  static SampleNoise noise_in(const Batch& batch) {
    return {batch.inputs[3], batch.inputs[4], batch.inputs[5]};
  }

 private:
  /// 1 where an input is kept, else 0; a function of the row and the draw.
  torch::Tensor kept_cells(std::span<const std::size_t> rows, std::uint64_t draw) const {
    const auto units = static_cast<std::size_t>(sampler_.units());
    std::vector<std::uint8_t> mask(rows.size() * units);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sampler_.draw(draw, static_cast<std::uint32_t>(rows[i]), {mask.data() + i * units, units});
    }
    return torch::from_blob(mask.data(), {static_cast<std::int64_t>(rows.size()), sampler_.units()},
                            torch::kUInt8)
        .eq(KnockoutSampler::kKept)
        .to(torch::kFloat)
        .index_select(1, unit_of_input_);
  }

  KnockoutSampler sampler_;
  std::int64_t rows_;
  torch::Tensor values_, observed_, labels_, weights_;
  torch::Tensor unit_of_input_;
  const LatentModel* noise_of_;
  std::int64_t samples_;
};

/// One of the trainings that make up a model.
struct TrainingPart {
  std::string name;               ///< Of its checkpoints.
  double begin = 0.0, end = 1.0;  ///< Of the whole, for the display of progress.
};

void train_part(const TrainingPart& part, const TrainingTask& task, const KnockedOutRows& rows,
                const MiwaeOptions& options, const FitContext& run) {
  const auto count = static_cast<std::int64_t>(rows.size());
  TrainerOptions trainer;
  trainer.batch_rows =
      options.batch_rows > 0 ? std::min<std::int64_t>(options.batch_rows, count) : count;
  trainer.steps = options.steps;
  trainer.learning_rate = options.learning_rate;
  // Far above what is usual: one row that the model finds all but impossible must not undo it.
  trainer.clip_norm = 100.0;
  trainer.seed = run.seed;
  if (!options.checkpoint_folder.empty()) {
    trainer.checkpoint_folder =
        (std::filesystem::path(options.checkpoint_folder) / part.name).string();
  }
  trainer.loader_threads = 0;  // a batch is quickly made, and a fit may be one of several at once
  trainer.stop = run.stop;
  const auto progress = [&](const TrainerProgress& at) {
    if (!run.progress) return;
    const double share = static_cast<double>(at.step) / static_cast<double>(at.steps);
    run.progress(part.begin + (part.end - part.begin) * share);
  };
  try {
    train(task, rows, trainer, nullptr, progress);
  } catch (const DataError&) {
    throw DataError(
        "the training of the latent-variable model diverged.\n  Try a lower learning rate.");
  }
}

void check(const MiwaeOptions& options) {
  if (options.latent < 1 || options.hidden < 1 || options.training_samples < 1 ||
      options.prediction_samples < 1 || options.steps < 1 || options.batch_rows < 0 ||
      !(options.learning_rate > 0) ||
      std::any_of(options.predictor_hidden.begin(), options.predictor_hidden.end(),
                  [](int width) { return width < 1; })) {
    throw ConfigError("MIWAE: sizes, samples, steps and the learning rate must be above 0.");
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

/// What the trainings of a model are about.
struct TrainingData {
  const MaskedInputs& inputs;
  MaskedRows rows;
  TargetLabels labels;

  /// `member` tells the masks of one training from those of another.
  KnockedOutRows knocked_out(const MiwaeModel& model, std::uint32_t member, std::uint64_t seed,
                             const LatentModel* noise_of, std::int64_t samples) const {
    return {rows,
            labels,
            inputs,
            static_cast<std::int64_t>(model.targets.size()),
            Random(seed, Stream::kKnockout, member),
            noise_of,
            samples};
  }
};

void train_as_one(MiwaeModel& model, const TrainingData& data, const MiwaeOptions& options,
                  const FitContext& run) {
  TrainingTask task{.network = std::make_shared<torch::nn::Module>()};
  model.latent_model.join(*task.network);
  model.predictor.join(*task.network, "predictor");
  task.loss = [&](const Batch& batch) {
    const torch::Tensor &values = batch.inputs[0], &observed = batch.inputs[1];
    const SampleNoise noise = KnockedOutRows::noise_in(batch);
    const LatentSamples samples = model.latent_model.sample(values, observed, noise);
    const torch::Tensor rows = model.draw_gaps(values, observed, samples, noise);
    const torch::Tensor outputs = model.predictor.forward(rows.flatten(0, 1))
                                      .view({batch.size(), options.training_samples, -1});
    const torch::Tensor of_labels =
        log_likelihood(outputs, model.targets, batch.labels, batch.inputs[2]);
    return -importance_bound(samples.log_weights + of_labels).mean();
  };
  const KnockedOutRows rows =
      data.knocked_out(model, 0, run.seed, &model.latent_model, options.training_samples);
  train_part({.name = "model"}, task, rows, options, run);
}

void train_in_turn(MiwaeModel& model, const TrainingData& data, const MiwaeOptions& options,
                   const FitContext& run) {
  constexpr double kFirstShare = 0.6;  // of the time, about
  TrainingTask bound{.network = std::make_shared<torch::nn::Module>()};
  model.latent_model.join(*bound.network);
  bound.loss = [&](const Batch& batch) {
    const LatentSamples samples = model.latent_model.sample(batch.inputs[0], batch.inputs[1],
                                                            KnockedOutRows::noise_in(batch));
    return -importance_bound(samples.log_weights).mean();
  };
  const KnockedOutRows rows_with_noise =
      data.knocked_out(model, 0, run.seed, &model.latent_model, options.training_samples);
  train_part({.name = "latent_model", .end = kFirstShare}, bound, rows_with_noise, options, run);

  TrainingTask prediction{.network = std::make_shared<torch::nn::Module>()};
  model.predictor.join(*prediction.network, "predictor");
  prediction.loss = [&](const Batch& batch) {
    const torch::Tensor filled = [&] {
      const torch::NoGradGuard no_gradients;
      return model.fill(batch.inputs[0], batch.inputs[1]);
    }();
    const torch::Tensor outputs = model.predictor.forward(filled).unsqueeze(1);
    return -log_likelihood(outputs, model.targets, batch.labels, batch.inputs[2]).mean();
  };
  const KnockedOutRows rows = data.knocked_out(model, 1, run.seed, nullptr, 0);
  train_part({.name = "predictor", .begin = kFirstShare}, prediction, rows, options, run);
}

}  // namespace

MiwaeModel train_miwae(const Table& table, const Schema& schema, const MaskedInputs& inputs,
                       bool supervised, const MiwaeOptions& options, const FitContext& run) {
  check(options);
  const OneThread one_thread;
  std::vector<TargetOutputs> targets = outputs_for(table, schema);
  const TrainingData data{inputs, inputs.encode(table, run.threads),
                          labels_of(table, schema, targets)};
  MiwaeModel model =
      initial_model(inputs, data.rows, std::move(targets), supervised, options, run.seed);
  if (supervised) {
    train_as_one(model, data, options, run);
  } else {
    train_in_turn(model, data, options, run);
  }
  return model;
}

}  // namespace knockout::nn
