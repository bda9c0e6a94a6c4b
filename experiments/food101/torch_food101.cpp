// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/torch_food101.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "experiments/food101/emoji.h"
#include "experiments/food101/torch_dish_dataset.h"
#include "experiments/food101/torch_dish_network.h"
#include "experiments/scores.h"
#include "experiments/torch_jobs.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/wording.h"
#include "knockout/data/split.h"
#include "knockout/nn/training/losses.h"
#include "knockout/nn/training/metrics.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Which of picture and text are there, in the order of the paper's table.
struct Pattern {
  const char* name;
  std::array<bool, 2> present;
};
constexpr std::array<Pattern, 3> kPatterns = {
    {{"Image + Text", {true, true}}, {"w/o Text", {true, false}}, {"w/o Image", {false, true}}}};

struct FoodMethod {
  const char *name, *label;
  std::array<double, 3> paper;  ///< Accuracy in percent.
};
constexpr std::array<FoodMethod, 2> kFoodMethods = {
    {{"common-baseline", "Common baseline", {91.5, 47.5, 85.0}},
     {"knockout", "Knockout", {92.7, 63.2, 85.3}}}};

constexpr std::int64_t kRowsAtOnce = 64;      ///< When predicting.
constexpr std::int64_t kRowsForScale = 2000;  ///< Of the training part; all of them if fewer.

std::string in_folder(const std::string& folder, const std::string& file) {
  return fs::path(file).has_parent_path() ? file : expect_path(folder, file);
}

/// The rows of one repetition.
struct Parts {
  std::vector<Dish> training, validation;
};

Parts split(const std::vector<Dish>& dishes, int validation_rows, std::uint64_t seed) {
  if (static_cast<std::size_t>(validation_rows) >= dishes.size()) {
    throw ConfigError(fmt::format("--validation-rows {}: there are only {} to train on.",
                                  validation_rows, plural(dishes.size(), "row")));
  }
  const std::vector<std::size_t> order = shuffled_rows(dishes.size(), Random(seed, Stream::kSplit));
  Parts parts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto& part = i < static_cast<std::size_t>(validation_rows) ? parts.validation : parts.training;
    part.push_back(dishes[order[i]]);
  }
  return parts;
}

torch::Tensor labels_of(const std::vector<Dish>& dishes) {
  torch::Tensor labels = torch::empty({static_cast<std::int64_t>(dishes.size())}, torch::kInt64);
  for (std::size_t i = 0; i < dishes.size(); ++i) {
    labels.data_ptr<std::int64_t>()[i] = dishes[i].label;
  }
  return labels;
}

/// One study: what every training of it shares.
class Food101Study {
 public:
  Food101Study(const Food101Options& options, const DataStudyContext& run, const StudyWork& work,
               const DishSet& set)
      : options_(options),
        run_(run),
        set_(set),
        tokenizer_(BytePairTokenizer::read(in_folder(run.data, options.vocabulary),
                                           in_folder(run.data, options.merges))),
        torch_run_(run, work) {}

  Json train_and_test(const std::string& key, bool knock_out, std::uint64_t seed,
                      const std::function<void(double)>& progress);
  void finish() { torch_run_.remove_checkpoints(); }

 private:
  DishDataset dataset(std::vector<Dish> dishes) const {
    return DishDataset(std::move(dishes), tokenizer_, options_.picture_side, options_.most_tokens);
  }
  torch::Tensor features_of(DishNetwork& network, const DishDataset& rows,
                            std::int64_t count) const {
    return torch_run_
        .predict(count, kRowsAtOnce,
                 [&](std::int64_t begin, std::int64_t end) {
                   return network->features(rows.range(begin, end));
                 })
        .to(torch::kFloat);
  }

  /// Z-scores are those of the training rows, or of so many that more would say the same.
  void learn_scale(DishNetwork& network, const DishDataset& training) const {
    const auto rows =
        std::min<std::int64_t>(kRowsForScale, static_cast<std::int64_t>(training.size()));
    network->set_scale(
        torch_run_.predict(rows, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
          return network->latents(training.range(begin, end));
        }));
  }

  const Food101Options& options_;
  const DataStudyContext& run_;
  const DishSet& set_;
  BytePairTokenizer tokenizer_;
  TorchJobs torch_run_;
};

Json Food101Study::train_and_test(const std::string& key, bool knock_out, std::uint64_t seed,
                                  const std::function<void(double)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  torch_run_.start_job(key);
  const Parts parts = split(set_.training, options_.validation_rows, seed);
  const DishDataset training = dataset(parts.training), validation = dataset(parts.validation),
                    test = dataset(set_.test);
  torch::manual_seed(seed);
  DishNetwork network(options_, in_folder(run_.data, options_.picture_encoder),
                      in_folder(run_.data, options_.text_encoder), training.range(0, 1),
                      static_cast<std::int64_t>(set_.classes.size()),
                      knock_out ? options_.knockout_rate : 0.0, seed);
  learn_scale(network, training);

  nn::TrainingTask task;
  task.network = network.ptr();
  task.loss = [&](const nn::Batch& batch) {
    return nn::cross_entropy(network->forward(batch), batch.labels);
  };
  const torch::Tensor validation_labels = labels_of(parts.validation);
  task.validate = [&] {
    learn_scale(network, training);  // the latents have moved since the epoch before
    const torch::Tensor features =
        features_of(network, validation, static_cast<std::int64_t>(validation.size()));
    return nn::accuracy(network->classify(features).argmax(1), validation_labels);
  };
  nn::TrainerOptions trainer;
  trainer.batch_rows =
      std::min<std::int64_t>(options_.batch, static_cast<std::int64_t>(training.size()));
  const std::int64_t steps_per_epoch =
      (static_cast<std::int64_t>(training.size()) + trainer.batch_rows - 1) / trainer.batch_rows;
  trainer.steps = options_.epochs * steps_per_epoch;
  trainer.validate_every = steps_per_epoch;
  trainer.checkpoint_every = std::min<std::int64_t>(steps_per_epoch, 100);
  trainer.optimizer = Optimizer::kAdam;
  trainer.schedule = Schedule::kConstant;
  trainer.learning_rate = options_.learning_rate;
  trainer.weight_decay = options_.weight_decay;
  trainer.seed = seed;
  trainer.loader_threads = options_.loader_threads;
  const nn::TrainerReport report =
      torch_run_.train("network", task, training, trainer, progress, 0.0, 0.9);

  const torch::NoGradGuard no_gradients;
  const auto test_rows = static_cast<std::int64_t>(test.size());
  const torch::Tensor features = features_of(network, test, test_rows);
  // The common baseline puts the mean in place of what is missing, which of Z-scores is zero.
  const torch::Tensor labels = labels_of(set_.test);
  Json accuracies = Json::array();
  for (const Pattern& pattern : kPatterns) {
    const torch::Tensor present =
        torch::tensor({pattern.present[0], pattern.present[1]}).unsqueeze(0);
    const torch::Tensor scores = network->classify(features, present.expand({test_rows, 2}));
    accuracies.push_back(nn::accuracy(scores.argmax(1), labels));
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {{"accuracy", accuracies},
          {"validation_accuracy", report.best_score},
          {"latent_stddev", features.std(0).mean().item<double>()},
          {"seconds", elapsed.count()}};
}

/// What the data set says of itself when it is not the paper's; "" otherwise.
std::string stand_in_note(const std::string& folder) {
  const fs::path path = fs::path(folder) / kStandInNote;
  return fs::exists(path) ? read_bytes(path.string(), "the note on the data") : "";
}

Scores scores_of(const std::vector<FoodMethod>& methods, const std::vector<nlohmann::json>& results,
                 int repetitions, bool with_paper) {
  Scores scores;
  scores.metric = "accuracy (%)";
  scores.unit = 100;
  scores.digits = 1;
  scores.repetition_name = plural(static_cast<std::uint64_t>(repetitions), "seed");
  scores.complete = 0;
  for (const Pattern& pattern : kPatterns) scores.patterns.emplace_back(pattern.name);
  std::size_t at = 0;
  for (const FoodMethod& method : methods) {
    MethodScores of{method.name, method.label, std::vector<std::vector<double>>(kPatterns.size())};
    if (with_paper) {
      for (const double figure : method.paper) of.paper.push_back(PaperFigure{figure});
    }
    for (int r = 0; r < repetitions; ++r, ++at) {
      for (std::size_t p = 0; p < kPatterns.size(); ++p) {
        of.values[p].push_back(results[at]["accuracy"][p]);
      }
    }
    scores.methods.push_back(std::move(of));
  }
  return scores;
}

/// Decodes everything once, with progress, as a study of hours must not end at its last picture.
void check_all_pictures(DishSet& set, const Food101Options& options, const DataStudyContext& run,
                        BadFiles& bad) {
  const auto progress_of = [&](const char* doing) {
    return [&run, doing](double share) {
      if (run.run.progress) run.run.progress({.share_done = share, .doing = doing});
    };
  };
  const int threads = resolve_threads(run.run.threads);
  check_pictures(set.training, options.picture_side, threads, bad,
                 progress_of("looking at the training pictures"));
  check_pictures(set.test, options.picture_side, threads, bad,
                 progress_of("looking at the test pictures"));
}

}  // namespace

StudyResult run_food101(const Food101Options& given, const DataStudyContext& run) {
  Food101Options options = given;
  const Json settings = food101_settings(options).values();
  const int repetitions = std::max(1, run.repetitions);
  std::vector<FoodMethod> methods;
  for (const std::string& name : chosen_methods({"common-baseline", "knockout"}, run)) {
    methods.push_back(*std::find_if(kFoodMethods.begin(), kFoodMethods.end(),
                                    [&](const FoodMethod& known) { return known.name == name; }));
  }
  BadFiles bad;
  DishSet set = read_dishes(run.data, bad);
  const StudyWork work = open_work(
      "food101", settings, run,
      {options.picture_encoder, options.text_encoder, options.vocabulary, options.merges});
  check_all_pictures(set, options, run, bad);
  bad.throw_unless_skipped(run.skip_bad, "row");
  if (set.test.empty()) throw DataError(run.data + ": no row to test on is left.");

  Food101Study study(options, run, work, set);
  std::vector<Job> jobs;
  for (const FoodMethod& method : methods) {
    for (int r = 0; r < repetitions; ++r) {
      const std::string key = fmt::format("{}, seed {}", method.name, r);
      const bool knock_out = std::string_view(method.name) == "knockout";
      jobs.push_back({key,
                      [&study, key, knock_out, seed = repetition_seed(run.seed, r)](
                          const std::function<void(double)>& progress) -> nlohmann::json {
                        return study.train_and_test(key, knock_out, seed, progress);
                      }});
    }
  }
  StudyContext one_at_a_time = run.run;
  one_at_a_time.threads = 1;
  const std::vector<nlohmann::json> results = run_jobs(jobs, *work.journal, one_at_a_time);
  study.finish();

  const std::string stand_in = stand_in_note(run.data);
  const Scores scores = scores_of(methods, results, repetitions, stand_in.empty());
  StudyResult result;
  result.journal = work.journal;
  report::Document& document = result.document;
  document.title = "Missing modalities in Food-101 classification";
  const std::string data_text =
      fmt::format("{} dishes, {} to train on ({} of them to validate), {} to test.",
                  set.classes.size(), plural(set.training.size(), "row"),
                  with_thousands(options.validation_rows), plural(set.test.size(), "row"));
  document.summary =
      fmt::format("{} {}", verdict(scores, "knockout", {"common-baseline"}), data_text);
  if (!stand_in.empty()) document.summary += "\n\n" + stand_in;
  document.sections.push_back(
      {"Accuracy",
       {score_table(scores, "Test accuracy (%)"), score_chart(scores, "Test accuracy")}});
  if (stand_in.empty()) {
    document.sections.push_back(
        {"Other work, as the paper cites it",
         {report::Table{.caption = "Accuracy with picture and text (%)",
                        .header = {"Method", "Image + Text"},
                        .rows = {{"Wang et al. 2015: VGG19, TF-IDF", "85.1"},
                                 {"Kiela et al. 2018: ResNet152, FastText", "90.8"},
                                 {"Gallo et al. 2020: Inception-v3, BERT-LSTM", "92.5"}}}}});
  }
  if (!bad.empty()) document.sections.push_back({"Left out", {bad.table("row")}});
  document.sections.push_back({"Settings", {table_of_settings(settings)}});
  result.data = {{"study", "food101"},
                 {"settings", settings},
                 {"stand_in", stand_in},
                 {"repetitions", repetitions},
                 {"classes", set.classes.size()},
                 {"training_rows", set.training.size()},
                 {"test_rows", set.test.size()},
                 {"scores", scores_json(scores, "knockout")},
                 {"results", results},
                 {"bad", bad.json()}};
  return result;
}

}  // namespace knockout::experiments
