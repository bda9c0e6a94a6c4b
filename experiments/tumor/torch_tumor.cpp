// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/torch_tumor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/torch_jobs.h"
#include "experiments/tumor/report.h"
#include "experiments/tumor/subjects.h"
#include "experiments/tumor/torch_patch_dataset.h"
#include "experiments/tumor/torch_recipe.h"
#include "knockout/base/clock.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/training/metrics.h"
#include "knockout/nn/training/patches.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::experiments {
namespace {

using Clock = std::chrono::steady_clock;

/// The U-Net, and the masks of its training.
class TumorNetworkImpl : public torch::nn::Module {
 public:
  TumorNetworkImpl(const TumorOptions& options, std::size_t modalities, std::uint64_t seed) {
    unet = register_module(
        "unet", nn::UNet3d(nn::UNet3dOptions{.in_channels = static_cast<std::int64_t>(modalities),
                                             .out_channels = options.classes,
                                             .levels = options.levels,
                                             .blocks = options.blocks,
                                             .base_width = options.base_width}));
    knockout = register_module("knockout", nn::Knockout(tumor_masks(options, modalities, seed)));
  }

  nn::UNet3d unet{nullptr};
  nn::Knockout knockout{nullptr};
};
TORCH_MODULE(TumorNetwork);

/// What stands for images that are not there: a number, or the mean images.
torch::Tensor placeholder_of(const TumorMethod& method, const torch::Tensor& mean_images) {
  return method.fills_in_mean ? mean_images : torch::tensor(static_cast<float>(method.constant));
}

/// In the order of tensors, and never larger than the volume.
nn::PatchSize patch_size(const TumorOptions& options, const VolumeSize& volume) {
  if (options.patch.size() != 1 && options.patch.size() != 3) {
    throw ConfigError(fmt::format("--patch: {} numbers; expected one, or one each for x, y and z.",
                                  options.patch.size()));
  }
  nn::PatchSize size;
  for (std::size_t d = 0; d < 3; ++d) {
    const int side = options.patch.size() == 1 ? options.patch[0] : options.patch[d];
    size[2 - d] = side == 0 ? volume[d] : std::min<std::int64_t>(side, volume[d]);
  }
  return size;
}

class TumorStudy {
 public:
  TumorStudy(const TumorOptions& options, const DataStudyContext& run, TorchJobs& torch_run,
             const TumorSubjects& subjects)
      : options_(options),
        run_(run),
        torch_run_(torch_run),
        subjects_(subjects),
        patch_(patch_size(options, subjects.size)),
        patterns_(missing_patterns(modality_names(options).size())) {
    for (const TumorRegion& region : tumor_regions(options.classes)) {
      regions_.push_back(region.classes);
    }
  }

  /// Trains one network and tests it under every pattern.
  nlohmann::json run_job(const TumorMethod& method, int repetition,
                         const std::function<void(double)>& progress) {
    constexpr double kMeanShare = 0.05, kTrainedShare = 0.8;
    const std::uint64_t seed = repetition_seed(run_.seed, repetition);
    const TumorSplit split = split_subjects(subjects_.usable.size(), options_, seed);
    if (method.fills_in_mean) {
      find_mean_images(split, repetition, [&](double share) { progress(kMeanShare * share); });
    }
    const torch::Tensor placeholder = placeholder_of(method, mean_images_);

    torch::manual_seed(seed);  // all methods of a repetition begin with the same weights
    TumorNetwork network(options_, patterns_.front().size(), seed);
    const nn::TrainingTask task = {
        .network = network.ptr(),
        .loss = [&](const nn::Batch& batch) { return loss(network, method, batch); },
        .validate = [&] { return validate(network, method, split, placeholder); }};
    const PatchDataset training(
        these(split.training), subjects_.size, options_.classes, patch_,
        method.knocks_out && method.fills_in_mean ? mean_images_ : torch::Tensor());
    const nn::TrainerReport trained =
        torch_run_.train("network", task, training, trainer_options(split, seed), progress,
                         kMeanShare, kTrainedShare);

    const Clock::time_point start = Clock::now();
    double tested = 0;
    const torch::Tensor dice = share_out(split.test, [&](std::size_t subject) {
      torch::Tensor scores = test_subject(network, placeholder, subject, seed);
      const double share = ++tested / static_cast<double>(split.test.size());
      progress(kTrainedShare + (1 - kTrainedShare) * share);
      return scores;
    });
    nlohmann::json names = nlohmann::json::array();
    for (const std::size_t subject : split.test) names.push_back(subjects_.usable[subject].name);
    return {{"subjects", names},
            {"dice", to_json(dice)},
            {"training_subjects", split.training.size()},
            {"validation_subjects", split.validation.size()},
            {"steps", trained.steps},
            {"best_step", trained.best_step},
            {"validation_dice", trained.best_score},
            {"training_seconds", trained.seconds},
            {"test_seconds", seconds_since(start)}};
  }

 private:
  std::vector<TumorSubject> these(const std::vector<std::size_t>& indices) const {
    std::vector<TumorSubject> chosen;
    for (const std::size_t i : indices) chosen.push_back(subjects_.usable[i]);
    return chosen;
  }

  /// Those of the training subjects; methods of a repetition share them.
  void find_mean_images(const TumorSplit& split, int repetition,
                        const std::function<void(double)>& progress) {
    if (mean_repetition_ == repetition) return;
    mean_images_ = mean_images(these(split.training), subjects_.size,
                               resolve_threads(run_.run.threads), run_.run.processes, progress);
    mean_repetition_ = repetition;
  }

  nn::TrainerOptions trainer_options(const TumorSplit& split, std::uint64_t seed) const {
    const auto steps_of = [&](int epochs) {
      const double rows = static_cast<double>(epochs) * static_cast<double>(split.training.size());
      return static_cast<std::int64_t>(std::ceil(rows / options_.batch));
    };
    return {.batch_rows = options_.batch,
            .steps = steps_of(options_.epochs),
            .learning_rate = options_.learning_rate,
            .schedule = options_.schedule == "cosine" ? Schedule::kCosine : Schedule::kConstant,
            .seed = seed,
            .validate_every = steps_of(options_.validate_every),
            .loader_threads = options_.loader_threads};
  }

  torch::Tensor loss(TumorNetwork& network, const TumorMethod& method,
                     const nn::Batch& batch) const {
    torch::Tensor images = batch.inputs[0];
    if (method.knocks_out) {
      const torch::Tensor missing = network->knockout->next_mask(batch.size(), images.device());
      images = fill_missing(images, missing, placeholder_of(method, batch.inputs[1]));
    }
    return tumor_loss(options_, network->unet->forward(images), batch.labels);
  }

  /// Dice of one subject with some of its images missing, [patterns, regions]; as many patterns at
  /// once as there are rows in a batch.
  torch::Tensor dice(TumorNetwork& network, std::size_t subject,
                     const std::vector<MissingImages>& patterns,
                     const torch::Tensor& placeholder) const {
    const TumorSubject& files = subjects_.usable[subject];
    const torch::Tensor images = read_images(files, subjects_.size).unsqueeze(0);
    const torch::Tensor labels =
        read_segmentation(files, subjects_.size, options_.classes).to(torch::kInt64);
    std::vector<torch::Tensor> flags;
    for (const MissingImages& missing : patterns) {
      flags.push_back(torch::tensor(std::vector<std::uint8_t>(missing.begin(), missing.end())));
    }
    std::vector<torch::Tensor> scores;
    for (const torch::Tensor& some : torch::stack(flags).split(options_.batch)) {
      const torch::Tensor predicted =
          nn::predict_by_patches(
              [&](const torch::Tensor& patch) { return network->unet->forward(patch); },
              fill_missing(images, some, placeholder),
              {.size = patch_, .overlap = options_.overlap})
              .argmax(1);
      for (const torch::Tensor& of_pattern : predicted.unbind()) {
        scores.push_back(torch::tensor(nn::dice(of_pattern, labels, regions_), torch::kFloat64));
      }
    }
    return torch::stack(scores);
  }

  /// [patterns + 1, regions]: the last pattern is the one in which all images are missing.
  torch::Tensor test_subject(TumorNetwork& network, const torch::Tensor& placeholder,
                             std::size_t subject, std::uint64_t seed) const {
    const torch::Tensor scores = dice(network, subject, patterns_, placeholder);
    const auto left = static_cast<std::int64_t>(pattern_left_at_random(patterns_, seed, subject));
    return torch::cat({scores, scores.narrow(0, left, 1)});
  }

  /// Mean Dice of the validation subjects, all images there; where images are knocked out, also
  /// without each of them.
  double validate(TumorNetwork& network, const TumorMethod& method, const TumorSplit& split,
                  const torch::Tensor& placeholder) const {
    const std::size_t count = method.knocks_out ? 1 + patterns_.front().size() : 1;
    const std::vector<MissingImages> some(patterns_.begin(),
                                          patterns_.begin() + static_cast<std::ptrdiff_t>(count));
    return share_out(split.validation,
                     [&](std::size_t subject) { return dice(network, subject, some, placeholder); })
        .mean()
        .item<double>();
  }

  /// What `of` says of each subject, stacked; the processes share the subjects if there are enough.
  torch::Tensor share_out(const std::vector<std::size_t>& subjects,
                          const std::function<torch::Tensor(std::size_t)>& of) const {
    const auto rows = static_cast<std::int64_t>(subjects.size());
    const auto one = [&](std::int64_t row, std::int64_t) {
      return of(subjects[static_cast<std::size_t>(row)]).unsqueeze(0);
    };
    const auto* processes = torch_run_.processes();
    if (processes == nullptr || processes->size() <= rows) return torch_run_.predict(rows, 1, one);
    const torch::NoGradGuard no_gradients;
    std::vector<torch::Tensor> all;
    for (std::int64_t row = 0; row < rows; ++row) all.push_back(one(row, row + 1));
    return torch::cat(all);
  }

  /// [subjects][patterns][regions]
  static nlohmann::json to_json(const torch::Tensor& dice) {
    const auto values = dice.accessor<double, 3>();
    nlohmann::json json = nlohmann::json::array();
    for (std::int64_t s = 0; s < dice.size(0); ++s) {
      nlohmann::json of_subject = nlohmann::json::array();
      for (std::int64_t p = 0; p < dice.size(1); ++p) {
        const double* first = &values[s][p][0];
        of_subject.push_back(std::vector<double>(first, first + dice.size(2)));
      }
      json.push_back(of_subject);
    }
    return json;
  }

  const TumorOptions& options_;
  const DataStudyContext& run_;
  TorchJobs& torch_run_;
  const TumorSubjects& subjects_;
  nn::PatchSize patch_;
  std::vector<MissingImages> patterns_;  ///< Complete first.
  std::vector<nn::Region> regions_;
  torch::Tensor mean_images_;
  std::optional<int> mean_repetition_;
};

}  // namespace

StudyResult run_tumor_study(const TumorOptions& options, const DataStudyContext& run) {
  TumorOptions copy = options;
  const nlohmann::ordered_json settings = tumor_settings(copy).values();
  const std::vector<TumorMethod> methods = chosen_tumor_methods(run);
  const int repetitions = run.repetitions > 0 ? run.repetitions : 1;
  modality_names(options);  // throws for names that make no sense
  subject_names(run.data);  // and this where there is no data set
  const StudyWork work = open_work("tumor", settings, run);

  // Kept in the journal like a result: of thousands of volumes it takes its time.
  const std::vector<Job> first = {{"looking at the subjects", [&](const auto& progress) {
                                     return look_at_subjects(run.data, options, run.run.threads,
                                                             progress);
                                   }}};
  const TumorSubjects subjects =
      subjects_from(run_jobs(first, *work.journal, run.run).front(), run.data, options);
  subjects.bad.throw_unless_skipped(run.skip_bad, "subject");
  split_subjects(subjects.usable.size(), options, run.seed);  // throws when there are too few

  TorchJobs torch_run(run, work);
  TumorStudy study(options, run, torch_run, subjects);
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const TumorMethod& method : methods) {
      const std::string key = fmt::format("{}, seed {}", method.name, repetition + 1);
      jobs.push_back({key, [&, key, method, repetition](const auto& progress) {
                        torch_run.start_job(key);
                        return study.run_job(method, repetition, progress);
                      }});
    }
  }
  StudyContext one_by_one = run.run;
  one_by_one.threads = 1;
  const std::vector<nlohmann::json> results = run_jobs(jobs, *work.journal, one_by_one);
  torch_run.remove_checkpoints();

  StudyResult result = report_tumor_study({.options = options,
                                           .settings = settings,
                                           .run = run,
                                           .methods = methods,
                                           .subjects = subjects,
                                           .repetitions = repetitions,
                                           .results = results});
  result.journal = work.journal;
  return result;
}

}  // namespace knockout::experiments
