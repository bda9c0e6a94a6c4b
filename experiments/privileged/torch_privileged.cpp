// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_privileged.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "experiments/privileged/noisy_images.h"
#include "experiments/privileged/torch_noisy_dataset.h"
#include "experiments/privileged/torch_privileged_methods.h"
#include "experiments/scores.h"
#include "experiments/torch_jobs.h"

namespace knockout::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kTestRows = 500;  ///< Images that are looked at together.

/// A method as the paper calls it, and its test accuracy there, by data set.
struct InPaper {
  std::string label;
  std::map<std::string, PaperFigure> accuracy;
};

const InPaper& in_paper(const std::string& method) {
  static const std::map<std::string, InPaper> kAll = {
      {"no-pi",
       {"No-PI",
        {{"cifar10h", {51.1, 2.2}}, {"cifar10n", {80.6, 0.2}}, {"cifar100n", {60.4, 0.5}}}}},
      {"het",
       {"HET", {{"cifar10h", {50.8, 1.4}}, {"cifar10n", {81.9, 0.4}}, {"cifar100n", {60.8, 0.4}}}}},
      {"sop",
       {"SOP", {{"cifar10h", {51.3, 1.9}}, {"cifar10n", {85.0, 0.8}}, {"cifar100n", {61.9, 0.6}}}}},
      {"common-baseline",
       {"Common baseline",
        {{"cifar10h", {55.2, 0.8}}, {"cifar10n", {82.3, 0.3}}, {"cifar100n", {60.7, 0.6}}}}},
      {"knockout-star",
       {"Knockout*",
        {{"cifar10h", {56.9, 0.59}}, {"cifar10n", {83.6, 0.7}}, {"cifar100n", {61.6, 0.6}}}}},
      {"knockout",
       {"Knockout",
        {{"cifar10h", {57.4, 0.6}}, {"cifar10n", {84.7, 0.7}}, {"cifar100n", {62.1, 0.3}}}}}};
  return kAll.at(method);
}

/// What one training of one method showed.
struct Outcome {
  double accuracy = 0;
  double fitted = 0;  ///< Share of the training labels, wrong ones too, that it answers.
  double seconds = 0;
};

nn::TrainerOptions trainer_options(const PrivilegedOptions& options, std::size_t images,
                                   std::uint64_t seed) {
  const auto count = static_cast<std::int64_t>(images);
  nn::TrainerOptions training;
  training.batch_rows = std::min<std::int64_t>(options.batch, count);
  const std::int64_t per_epoch = (count + training.batch_rows - 1) / training.batch_rows;
  training.steps = options.epochs * per_epoch;
  training.optimizer = Optimizer::kSgd;
  training.learning_rate = options.learning_rate;
  training.weight_decay = options.weight_decay;
  training.momentum = options.momentum;
  training.schedule = Schedule::kStep;
  training.step_decay = {.at = {}, .factor = options.decay};
  for (const int epoch : options.decay_epochs) {
    if (epoch >= options.epochs) continue;  // a shorter training ends before
    training.step_decay.at.push_back(static_cast<double>(epoch) / options.epochs);
  }
  training.seed = seed;
  training.checkpoint_every = per_epoch;
  return training;
}

/// Share of images for which the method's answer is the label, without privileged information.
double accuracy_of(const PrivilegedMethod& method, const PixelScale& scale,
                   const std::vector<std::uint8_t>& pixels, const std::vector<int>& labels,
                   const TorchJobs& torch_run) {
  const torch::Tensor answers =
      torch_run.predict(static_cast<std::int64_t>(labels.size()), kTestRows,
                        [&](std::int64_t begin, std::int64_t end) {
                          return method.predict(scale.apply(pixels, begin, end)).argmax(1);
                        });
  const torch::Tensor truth = torch::tensor(labels, torch::TensorOptions(torch::kFloat64));
  return answers.eq(truth).to(torch::kFloat64).mean().item<double>();
}

nlohmann::json run_method(const std::string& name, const PrivilegedOptions& options,
                          const NoisyImages& images, std::uint64_t seed, TorchJobs& torch_run,
                          const std::function<void(double)>& progress) {
  const NoisyImageDataset data(images, options.augment);
  const PrivilegedMethod method = make_privileged_method(name, options, data, images.classes, seed);
  const nn::TrainerReport report = torch_run.train(
      "network", method.task, data, trainer_options(options, images.count(), seed), progress);
  const double accuracy =
      accuracy_of(method, data.scale(), images.test_pixels, images.test_labels, torch_run);
  const double fitted = accuracy_of(method, data.scale(), images.pixels, images.labels, torch_run);
  return {{"accuracy", accuracy}, {"fitted", fitted}, {"seconds", report.seconds}};
}

Json settings_of(PrivilegedOptions options) { return privileged_settings(options).values(); }

/// Everything a report needs, [method][repetition].
struct Findings {
  std::vector<std::string> methods;
  std::vector<std::vector<Outcome>> outcomes;

  std::vector<double> values(std::size_t method, double Outcome::*field) const {
    std::vector<double> all;
    for (const Outcome& outcome : outcomes[method]) all.push_back(outcome.*field);
    return all;
  }
};

Scores scores_of(const Findings& found, const std::string& dataset) {
  Scores scores{.metric = "Accuracy",
                .digits = 1,
                .unit = 100,
                .repetition_name = "seeds",
                .patterns = {"test accuracy"}};
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    const InPaper& paper = in_paper(found.methods[m]);
    MethodScores of{.method = found.methods[m],
                    .label = paper.label,
                    .values = {found.values(m, &Outcome::accuracy)}};
    const auto figure = paper.accuracy.find(dataset);
    if (figure != paper.accuracy.end()) of.paper = {figure->second};  // a stand-in has none
    scores.methods.push_back(std::move(of));
  }
  return scores;
}

report::Table training_table(const Findings& found) {
  report::Table table{
      .caption = "How the training went",
      .header = {"Method", "training labels answered", "seconds per training"},
      .note =
          "Share of the training labels, the wrong ones among them, that the network answers "
          "without privileged information: above the share of labels that are right, it has "
          "learned mistakes by heart. Mean over seeds."};
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    table.rows.push_back(
        {in_paper(found.methods[m]).label,
         fmt::format("{:.1f} %", 100 * over_repetitions(found.values(m, &Outcome::fitted)).mean),
         fmt::format("{:.0f}", over_repetitions(found.values(m, &Outcome::seconds)).mean)});
  }
  return table;
}

report::BarChart chart_of(const Scores& scores) {
  report::BarChart chart{.title = "Test accuracy without privileged information, 95 % intervals",
                         .value_label = "accuracy (%)"};
  for (const MethodScores& of : scores.methods) {
    const Repeated found = over_repetitions(of.values[0]);
    const bool has_interval = !std::isnan(found.low);
    chart.bars.push_back({of.label, 100 * found.mean, 100 * (has_interval ? found.low : found.mean),
                          100 * (has_interval ? found.high : found.mean)});
  }
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [](const auto& one, const auto& other) { return one.value > other.value; });
  return chart;
}

}  // namespace

StudyResult run_privileged(const PrivilegedOptions& options, const DataStudyContext& run) {
  BadFiles bad;
  const NoisyImages images = read_noisy_images(options, run.data, bad);
  bad.throw_unless_skipped(run.skip_bad, "annotation");
  return run_privileged_on(images, options, bad, run);
}

StudyResult run_privileged_on(const NoisyImages& images, const PrivilegedOptions& options,
                              const BadFiles& bad, const DataStudyContext& run) {
  const DataStudy study = make_privileged_study();
  Findings found{.methods = chosen_methods(study.methods, run)};
  const int repetitions = run.repetitions > 0 ? run.repetitions : study.repetitions;
  const Json settings = settings_of(options);
  StudyWork work = open_work(study.name, settings, run);
  TorchJobs torch_run(run, work);
  std::vector<Job> jobs;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const std::uint64_t seed = repetition_seed(run.seed, repetition);
    for (const std::string& method : found.methods) {
      const std::string key = fmt::format("{}, seed {}", method, repetition + 1);
      jobs.push_back({key, [&, method, seed, key](const auto& progress) {
                        torch_run.start_job(key);
                        return run_method(method, options, images, seed, torch_run, progress);
                      }});
    }
  }
  StudyContext one_by_one = run.run;
  one_by_one.threads = 1;  // each training has all of LibTorch's
  const std::vector<nlohmann::json> results = run_jobs(jobs, *work.journal, one_by_one);

  found.outcomes.resize(found.methods.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    found.outcomes[i % found.methods.size()].push_back({results[i].at("accuracy").get<double>(),
                                                        results[i].at("fitted").get<double>(),
                                                        results[i].at("seconds").get<double>()});
  }

  const Scores scores = scores_of(found, options.dataset);
  StudyResult result;
  result.document.title = "The paper's privileged information for noisy labels";
  result.document.summary = fmt::format(
      "{}{}{} seed{}, Wide-ResNet-{}-{}, {} training images with the labels of people, tested on "
      "{} "
      "images with clean labels, of which no annotator is known.",
      verdict(scores, "knockout", found.methods), found.methods.size() > 1 ? " " : "", repetitions,
      repetitions == 1 ? "" : "s", options.depth, options.width, images.count(),
      images.test_count());
  if (options.dataset == "cifar10h-counts") {
    result.document.summary += "\n\nA stand-in for CIFAR-10H, not the paper's data: see Data.";
  }
  result.document.sections = {
      {"Accuracy", {score_table(scores, "Test accuracy in percent"), chart_of(scores)}},
      {"Training", {training_table(found)}},
      {"Data", {report::Text{images.description}}},
      {"Settings", {table_of_settings(settings)}}};
  if (!bad.empty()) {
    result.document.sections.push_back({"Left out", {bad.table("annotation")}});
  }
  Json training = Json::object();
  for (std::size_t m = 0; m < found.methods.size(); ++m) {
    training[found.methods[m]] = {{"fitted", found.values(m, &Outcome::fitted)},
                                  {"seconds", found.values(m, &Outcome::seconds)}};
  }
  result.data = {{"study", study.name},        {"settings", settings},
                 {"seed", run.seed},           {"repetitions", repetitions},
                 {"data", images.description}, {"scores", scores_json(scores, "knockout")},
                 {"training", training},       {"bad", bad.json()}};
  result.journal = std::move(work.journal);
  torch_run.remove_checkpoints();
  return result;
}

}  // namespace knockout::experiments
