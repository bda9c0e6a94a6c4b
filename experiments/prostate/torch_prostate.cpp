// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/torch_prostate.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "experiments/prostate/torch_crops.h"
#include "experiments/scores.h"
#include "experiments/torch_jobs.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/nn/networks/cnn3d.h"
#include "knockout/nn/networks/fusion.h"
#include "knockout/nn/training/losses.h"
#include "knockout/nn/training/metrics.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

struct ProstateMethod {
  const char *name, *label;
};
constexpr std::array<ProstateMethod, 3> kProstateMethods = {
    {{"ensemble", "Ensemble"}, {"common-baseline", "Common baseline"}, {"knockout", "Knockout"}}};

/// The tables of the paper: per method and pattern.
using PaperTable = std::array<std::array<PaperFigure, 7>, 3>;
const PaperTable kPaperF1 = {{{{{0.21, 0.09},
                                {0.37, 0.01},
                                {0.28, 0.03},
                                {0.32, 0.01},
                                {0.18, 0.04},
                                {0.33, 0.03},
                                {0.30, 0.05}}},
                              {{{0.43, 0.01},
                                {0.68, 0.02},
                                {0.61, 0.02},
                                {0.70, 0.01},
                                {0.51, 0.03},
                                {0.65, 0.01},
                                {0.67, 0.01}}},
                              {{{0.63, 0.02},
                                {0.60, 0.02},
                                {0.62, 0.02},
                                {0.67, 0.01},
                                {0.66, 0.01},
                                {0.65, 0.02},
                                {0.68, 0.01}}}}};
const PaperTable kPaperAuc = {{{{{0.683, 0.013},
                                 {0.786, 0.010},
                                 {0.718, 0.007},
                                 {0.780, 0.005},
                                 {0.722, 0.005},
                                 {0.766, 0.006},
                                 {0.766, 0.004}}},
                               {{{0.687, 0.011},
                                 {0.771, 0.011},
                                 {0.720, 0.007},
                                 {0.784, 0.003},
                                 {0.727, 0.006},
                                 {0.771, 0.008},
                                 {0.774, 0.004}}},
                               {{{0.694, 0.009},
                                 {0.730, 0.019},
                                 {0.736, 0.009},
                                 {0.789, 0.005},
                                 {0.744, 0.004},
                                 {0.753, 0.011},
                                 {0.774, 0.007}}}}};

template <typename Number>
std::array<Number, 3> three(const std::vector<int>& numbers, const char* flag) {
  if (numbers.size() != 3) {
    throw ConfigError(
        fmt::format("--{}: expected three numbers, x, y and z, not {}.", flag, numbers.size()));
  }
  return {static_cast<Number>(numbers[0]), static_cast<Number>(numbers[1]),
          static_cast<Number>(numbers[2])};
}

torch::Tensor presence_of(const ImagePattern& pattern, std::int64_t rows) {
  torch::Tensor presence = torch::zeros({rows, std::int64_t{kPicaiImages}}, torch::kBool);
  for (std::size_t image = 0; image < kPicaiImages; ++image) {
    presence.select(1, static_cast<std::int64_t>(image)).fill_(pattern.present[image]);
  }
  return presence;
}

torch::Tensor rows_of(const torch::Tensor& all, const std::vector<std::size_t>& rows) {
  const std::vector<std::int64_t> numbers(rows.begin(), rows.end());
  return all.index_select(0, torch::tensor(numbers));
}

/// Mean 0 and deviation 1 over the training rows: 0 is then what a latent usually is.
torch::Tensor standardized(const torch::Tensor& latents, const std::vector<std::size_t>& training) {
  constexpr double kLeast = 1e-6;  // a feature that never changes stays near 0
  const torch::Tensor known = rows_of(latents, training);
  const torch::Tensor mean = known.mean(0, true);
  const torch::Tensor deviation = (known - mean).square().mean(0, true).sqrt();
  return (latents - mean) / deviation.clamp_min(kLeast);
}

/// One repetition: a split, three extractors, and what is built on them.
class Repetition {
 public:
  Repetition(const ProstateOptions& options, const CaseCrops& crops, TorchJobs& torch_run,
             std::uint64_t seed, const std::function<void(double)>& progress)
      : options_(options),
        crops_(crops),
        torch_run_(torch_run),
        seed_(seed),
        progress_(progress),
        split_(
            split_by_patient(crops.cases(), options.validation_share, options.test_share, seed)) {}

  nlohmann::json run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t image = 0; image < kPicaiImages; ++image) train_extractor(image);
    nlohmann::json result;
    keep(result, 0, ensemble_probabilities(torch::cat(probabilities_, 1)));
    keep(result, 1, train_head(1, 0.0));
    keep(result, 2, train_head(2, options_.knockout_rate));
    result["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  nn::TrainerOptions training_options(int epochs) const {
    const auto rows = static_cast<std::int64_t>(split_.training.size());
    nn::TrainerOptions trainer;
    trainer.batch_rows = std::min<std::int64_t>(options_.batch_rows, rows);
    const std::int64_t steps_of_epoch = (rows + trainer.batch_rows - 1) / trainer.batch_rows;
    trainer.steps = epochs * steps_of_epoch;
    trainer.learning_rate = options_.learning_rate;
    trainer.schedule = Schedule::kConstant;
    trainer.seed = seed_;
    trainer.validate_every = steps_of_epoch;
    trainer.loader_threads = options_.loader_threads;
    return trainer;
  }

  torch::Tensor loss(const torch::Tensor& scores, const torch::Tensor& labels) const {
    return nn::logistic_loss(scores, labels,
                             torch::tensor({static_cast<float>(options_.positive_weight)}));
  }

  /// What `network` says of one image of these cases: [cases, features].
  torch::Tensor over_cases(const std::vector<std::size_t>& cases, std::size_t image,
                           const std::function<torch::Tensor(const torch::Tensor&)>& network) {
    return torch_run_
        .predict(static_cast<std::int64_t>(cases.size()), options_.batch_rows,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<torch::Tensor> volumes;
                   for (std::int64_t i = begin; i < end; ++i) {
                     volumes.push_back(crops_.read(cases[static_cast<std::size_t>(i)], image));
                   }
                   return network(torch::stack(volumes));
                 })
        .to(torch::kFloat);
  }

  void train_extractor(std::size_t image) {
    torch::manual_seed(seed_ * kPicaiImages + image);
    nn::Cnn3dOptions shape{.widths = {options_.widths.begin(), options_.widths.end()},
                           .latent = options_.latent};
    // What the halvings leave of the crop, so that nothing is averaged away.
    shape.grid = {};
    for (const std::size_t axis : {2, 1, 0}) {
      shape.grid.push_back(std::max(1, options_.size[axis] >> options_.widths.size()));
    }
    nn::Cnn3d network(shape);
    const torch::Tensor truth = crops_.labels(split_.validation).flatten();
    const nn::TrainingTask task{
        .network = network.ptr(),
        .loss =
            [&](const nn::Batch& batch) {
              return loss(network->forward(batch.inputs[0]), batch.labels);
            },
        .validate =
            [&] {
              const auto forward = [&](const torch::Tensor& x) { return network->forward(x); };
              return nn::auroc(over_cases(split_.validation, image, forward).flatten(), truth);
            }};
    constexpr double kShareOfEach = 0.3;
    const double from = kShareOfEach * static_cast<double>(image);
    torch_run_.train(kPicaiEndings[image], task, ImageDataset(crops_, split_.training, image),
                     training_options(options_.epochs), progress_, from, from + kShareOfEach);

    std::vector<std::size_t> all(crops_.cases().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const torch::Tensor found = over_cases(all, image, [&](const torch::Tensor& volumes) {
      return torch::cat({network->latent(volumes), network->forward(volumes)}, 1);
    });
    latents_.push_back(standardized(found.slice(1, 0, options_.latent), split_.training));
    probabilities_.push_back(torch::sigmoid(rows_of(found.slice(1, options_.latent), split_.test)));
  }

  std::vector<torch::Tensor> latents_of(const std::vector<std::size_t>& cases) const {
    std::vector<torch::Tensor> found;
    for (const torch::Tensor& latents : latents_) found.push_back(rows_of(latents, cases));
    return found;
  }

  /// A head on the latents, trained with this rate of Knockout. What it says of the test cases:
  /// [cases, patterns].
  torch::Tensor train_head(std::size_t method, double knockout_rate) {
    torch::manual_seed(seed_);
    nn::FusionOptions shape{
        .head_hidden = {options_.head_hidden.begin(), options_.head_hidden.end()}};
    shape.knockout.seed = seed_;
    shape.knockout.keep_at_least_one = options_.keep_one;
    for (const char* name : kPicaiEndings) {
      shape.encoders.emplace_back(torch::nn::Identity());  // the extractors are done
      shape.knockout.modalities.push_back(
          {.name = name,
           .shape = {options_.latent},
           .placeholder = nn::Placeholder::zeros(),
           .force_placeholder = true,  // the paper's, whatever --latent says
           .knockout_rate = knockout_rate});
    }
    nn::Fusion network(shape);
    const auto probabilities = [&](const std::vector<torch::Tensor>& latents) {
      const torch::NoGradGuard no_gradients;
      std::vector<torch::Tensor> columns;
      for (const ImagePattern& pattern : kImagePatterns) {
        columns.push_back(
            torch::sigmoid(network->forward(latents, presence_of(pattern, latents[0].size(0)))));
      }
      return torch::cat(columns, 1);
    };
    const std::vector<torch::Tensor> validation = latents_of(split_.validation);
    const torch::Tensor truth = crops_.labels(split_.validation);
    const nn::TrainingTask task{
        .network = network.ptr(),
        .loss =
            [&](const nn::Batch& batch) {
              return loss(network->forward(batch.inputs), batch.labels);
            },
        // Each by what it is trained for: complete inputs, or any pattern.
        .validate =
            [&] {
              const auto auc = score_patterns(probabilities(validation), truth, 0.5).auc;
              return knockout_rate == 0 ? auc.back()
                                        : std::accumulate(auc.begin(), auc.end(), 0.0) /
                                              static_cast<double>(auc.size());
            }};
    const nn::TensorDataset training(latents_of(split_.training), crops_.labels(split_.training));
    const double from = method == 1 ? 0.9 : 0.95;
    torch_run_.train(kProstateMethods[method].name, task, training,
                     training_options(options_.head_epochs), progress_, from, from + 0.05);
    return probabilities(latents_of(split_.test));
  }

  void keep(nlohmann::json& result, std::size_t method, const torch::Tensor& probabilities) const {
    const PatternScores scores =
        score_patterns(probabilities, crops_.labels(split_.test), options_.threshold);
    for (std::size_t p = 0; p < kImagePatterns.size(); ++p) {
      result["f1"][kProstateMethods[method].name].push_back(scores.f1[p]);
      result["auc"][kProstateMethods[method].name].push_back(scores.auc[p]);
    }
  }

  const ProstateOptions& options_;
  const CaseCrops& crops_;
  TorchJobs& torch_run_;
  std::uint64_t seed_;
  const std::function<void(double)>& progress_;
  PicaiSplit split_;
  std::vector<torch::Tensor> latents_;        ///< Per image: of all cases, standardized.
  std::vector<torch::Tensor> probabilities_;  ///< Per image: of the test cases.
};

Scores collect(const std::vector<nlohmann::json>& results, const std::string& key,
               const std::string& metric, const PaperTable& paper,
               const std::vector<std::string>& chosen) {
  Scores scores{
      .metric = metric, .repetition_name = "seeds", .complete = kImagePatterns.size() - 1};
  for (const ImagePattern& pattern : kImagePatterns) scores.patterns.emplace_back(pattern.name);
  for (std::size_t m = 0; m < kProstateMethods.size(); ++m) {
    if (std::find(chosen.begin(), chosen.end(), kProstateMethods[m].name) == chosen.end()) continue;
    MethodScores& of = scores.methods.emplace_back();
    of.method = kProstateMethods[m].name;
    of.label = kProstateMethods[m].label;
    of.paper.assign(paper[m].begin(), paper[m].end());
    for (std::size_t p = 0; p < kImagePatterns.size(); ++p) {
      std::vector<double>& values = of.values.emplace_back();
      for (const nlohmann::json& result : results) {
        const nlohmann::json& value = result.at(key).at(of.method).at(p);
        // An undefined score is null once it has been in the journal.
        values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                         : value.get<double>());
      }
    }
  }
  return scores;
}

/// Processes that share a folder begin with different cases, and find those of the others there
/// when they come to them.
void prepare(CaseCrops& crops, const TorchJobs& torch_run, const DataStudyContext& run,
             BadFiles& bad) {
  std::size_t first = 0;
  if (nn::ProcessGroup* processes = torch_run.processes()) {
    // Nobody begins before the first process has removed what an earlier run left.
    double nothing = 0;
    processes->sum(std::span(&nothing, 1));
    first = crops.cases().size() * static_cast<std::size_t>(processes->rank()) /
            static_cast<std::size_t>(processes->size());
  }
  crops.prepare(
      bad, run.run.threads,
      [&](double share) {
        if (!run.run.progress) return;
        run.run.progress({.share_done = share, .doing = "preparing the images"});
      },
      first);
}

std::string data_text(const std::vector<PicaiCase>& cases, const std::string& folder,
                      const PicaiSplit& split) {
  std::vector<std::string> patients;
  for (const PicaiCase& of : cases) patients.push_back(of.patient);
  std::sort(patients.begin(), patients.end());
  patients.erase(std::unique(patients.begin(), patients.end()), patients.end());
  const auto ill = static_cast<std::uint64_t>(
      std::count_if(cases.begin(), cases.end(), [](const PicaiCase& of) { return of.has_cancer; }));
  return fmt::format(
      "{}: {} of {}, {} with cancer (case_csPCa). Each seed splits the patients anew, patients "
      "with and without cancer alike; the first has {} to train, {} to validate and {} to test. "
      "ADC and DWI are brought to the T2 image by the affines of the files; no further "
      "registration is done.",
      folder, plural(cases.size(), "case"), plural(patients.size(), "patient"), ill,
      split.training.size(), split.validation.size(), split.test.size());
}

}  // namespace

PatternScores score_patterns(const torch::Tensor& probabilities, const torch::Tensor& labels,
                             double threshold) {
  PatternScores scores;
  const torch::Tensor truth = labels.flatten().to(torch::kLong);
  for (std::int64_t p = 0; p < probabilities.size(1); ++p) {
    const torch::Tensor of_pattern = probabilities.select(1, p);
    scores.f1.push_back(
        nn::f1(of_pattern.ge(threshold).to(torch::kLong), truth, F1Average::kBinary));
    scores.auc.push_back(nn::auroc(of_pattern, truth));
  }
  return scores;
}

torch::Tensor ensemble_probabilities(const torch::Tensor& probabilities) {
  std::vector<torch::Tensor> columns;
  for (const ImagePattern& pattern : kImagePatterns) {
    const torch::Tensor present = presence_of(pattern, 1).to(probabilities.dtype());
    columns.push_back((probabilities * present).sum(1, true) / present.sum());
  }
  return torch::cat(columns, 1);
}

StudyResult run_prostate(const ProstateOptions& options, const DataStudyContext& run) {
  const PicaiCrop crop{.box_mm = three<double>(options.crop_mm, "crop-mm"),
                       .size = three<std::int64_t>(options.size, "size"),
                       .unit_range = options.intensities == "unit-range",
                       .gland_masks = options.gland_masks};
  const std::vector<std::string> methods = chosen_methods(
      {kProstateMethods[0].name, kProstateMethods[1].name, kProstateMethods[2].name}, run);
  BadFiles bad;
  std::vector<PicaiCase> found = find_picai_cases(run.data, bad);
  ProstateOptions copy = options;
  const Json settings = prostate_settings(copy).values();
  std::vector<std::string> masks;
  if (!options.gland_masks.empty()) masks.push_back(options.gland_masks);
  const StudyWork work = open_work("prostate", settings, run, masks);
  TorchJobs torch_run(run, work);
  CaseCrops crops(std::move(found), crop,
                  work.checkpoint_folder.empty()
                      ? ""
                      : (std::filesystem::path(work.checkpoint_folder) / "crops").string());
  prepare(crops, torch_run, run, bad);
  bad.throw_unless_skipped(run.skip_bad, "case");
  const auto split_of = [&](int repetition) {
    return split_by_patient(crops.cases(), options.validation_share, options.test_share,
                            repetition_seed(run.seed, repetition));
  };

  const int repetitions = run.repetitions > 0 ? run.repetitions : 5;
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    split_of(repetition);  // too few cases are known before any training
    const std::string key = fmt::format("seed {}", repetition + 1);
    const std::uint64_t seed = repetition_seed(run.seed, repetition);
    jobs.push_back({key, [&, key, seed](const std::function<void(double)>& progress) {
                      torch_run.start_job(key);
                      return Repetition(options, crops, torch_run, seed, progress).run();
                    }});
  }
  StudyContext one_by_one = run.run;
  one_by_one.threads = 1;  // LibTorch has the threads
  const std::vector<nlohmann::json> results = run_jobs(jobs, *work.journal, one_by_one);

  const Scores f1 = collect(results, "f1", "F1", kPaperF1, methods);
  const Scores auc = collect(results, "auc", "AUC", kPaperAuc, methods);
  const std::vector<std::string> rivals = {"common-baseline", "ensemble"};
  StudyResult result;
  result.document.title = "Prostate cancer with missing MR images";
  result.document.summary = fmt::format(
      "Over {} on {} cases: {} {}", plural(results.size(), "seed"), crops.cases().size(),
      verdict(auc, "knockout", rivals), verdict(f1, "knockout", rivals));
  result.document.sections = {
      {"Scores by the images that are there",
       {score_table(f1, "F1 of cancer"), score_table(auc, "Area under the ROC curve"),
        report::Row{{score_chart(f1, "F1"), score_chart(auc, "AUC")}}}},
      {"What was done",
       {report::Text{data_text(crops.cases(), run.data, split_of(0))},
        table_of_settings(settings)}}};
  if (!bad.empty()) result.document.sections.push_back({"Left out", {bad.table("case")}});
  Json seconds = Json::array();
  for (const nlohmann::json& one : results) seconds.push_back(one.at("seconds").get<double>());
  result.data = {
      {"study", "prostate"},
      {"settings", settings},
      {"seed", run.seed},
      {"repetitions", repetitions},
      {"cases", crops.cases().size()},
      {"scores", {{"f1", scores_json(f1, "knockout")}, {"auc", scores_json(auc, "knockout")}}},
      {"seconds", seconds},
      {"bad", bad.json()}};
  result.journal = work.journal;
  torch_run.remove_checkpoints();
  return result;
}

}  // namespace knockout::experiments
