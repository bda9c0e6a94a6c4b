// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "knockout/base/clock.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/random.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/stage.h"
#include "knockout/base/wording.h"
#include "knockout/data/split.h"
#include "knockout/eval/compare_cost.h"
#include "knockout/eval/patterns.h"
#include "knockout/model/finite.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

constexpr std::uint64_t kSeedsApart = 1'000'003;  ///< So that seeds share no repeats.

/// Rows with a label for every target: the others can neither teach nor test.
std::vector<std::size_t> labelled_rows(const std::vector<std::vector<double>>& labels) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < labels.front().size(); ++row) {
    if (std::none_of(labels.begin(), labels.end(),
                     [&](const std::vector<double>& of) { return std::isnan(of[row]); })) {
      rows.push_back(row);
    }
  }
  return rows;
}

/// One training of one method, and what it was tested on.
struct Job {
  std::size_t method = 0;
  int repeat = 0, fold = 0;
};

/// Everything about the folds that the methods share.
class Folds {
 public:
  Folds(const Table& table, const InferredSchema& whole, const CompareOptions& options)
      : table_(table), whole_(whole), options_(options) {
    std::vector<int> strata;
    const Target& first = whole.schema.targets.front();
    if (first.task == Task::kClassification) {
      for (const double label : labels_of(table, first)) strata.push_back(static_cast<int>(label));
    }
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
      fold_of_row_.push_back(
          assign_folds(table.rows(), options.folds,
                       options.seed * kSeedsApart + static_cast<std::uint64_t>(repeat), strata));
    }
  }

  std::vector<std::size_t> test_rows(int repeat, int fold) const {
    return rows_where(repeat, [fold](int of_row) { return of_row == fold; });
  }

  Table training(int repeat, int fold) const {
    const Table part =
        table_.take_rows(rows_where(repeat, [fold](int of_row) { return of_row != fold; }));
    return remove_cells(part, whole_.schema, options_.training, seed_of(repeat, fold),
                        options_.seed);
  }

  Table test(int repeat, int fold, std::size_t testing) const {
    return remove_cells(table_.take_rows(test_rows(repeat, fold)), whole_.schema,
                        options_.testing[testing], seed_of(repeat, fold) + 1 + testing,
                        options_.seed);
  }

  /// What the columns are is learned from the training part, as it would be in earnest; only the
  /// classes to predict are known from the start.
  InferredSchema infer(const Table& training) const {
    InferredSchema inferred = infer_schema(training, options_.schema);
    inferred.schema.targets = whole_.schema.targets;
    return inferred;
  }

  std::uint64_t seed_of(int repeat, int fold) const {
    constexpr std::uint64_t kSpread = 1009;  // folds do not share the draws of their removals
    return options_.seed + kSpread * static_cast<std::uint64_t>(1 + repeat * options_.folds + fold);
  }

 private:
  template <typename Chosen>
  std::vector<std::size_t> rows_where(int repeat, const Chosen& chosen) const {
    const std::vector<int>& fold_of_row = fold_of_row_[static_cast<std::size_t>(repeat)];
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < fold_of_row.size(); ++row) {
      if (chosen(fold_of_row[row])) rows.push_back(row);
    }
    return rows;
  }

  const Table& table_;
  const InferredSchema& whole_;
  const CompareOptions& options_;
  std::vector<std::vector<int>> fold_of_row_;
};

/// Predictions of one method under one removal, all repeats one after the other.
using Pooled = std::vector<TargetPrediction>;

Pooled empty_predictions(const std::vector<Target>& targets, std::size_t rows) {
  Pooled pooled;
  for (const Target& target : targets) {
    pooled.push_back({.target = target, .values = {}});
    pooled.back().values.assign(rows * pooled.back().width(), 0.0);
  }
  return pooled;
}

void put(const Pooled& answers, const std::vector<std::size_t>& rows, std::size_t offset,
         Pooled& pooled) {
  for (std::size_t t = 0; t < answers.size(); ++t) {
    const std::size_t width = answers[t].width();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(answers[t].values.data() + i * width, width,
                  pooled[t].values.data() + (offset + rows[i]) * width);
    }
  }
}

/// A row appears once per repeat; its influences are added up, so that repeats do not pass for
/// more data.
ScoredRows over_targets_and_repeats(const Pooled& pooled,
                                    const std::vector<std::vector<double>>& labels,
                                    std::size_t rows, int repeats) {
  ScoredRows sum;
  sum.least = 0;
  sum.influence.assign(rows, 0.0);
  sum.labelled = rows;
  const double share = 1.0 / static_cast<double>(pooled.size() * static_cast<std::size_t>(repeats));
  for (std::size_t t = 0; t < pooled.size(); ++t) {
    const std::size_t width = pooled[t].width();
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const auto begin =
          pooled[t].values.begin() +
          static_cast<std::ptrdiff_t>(static_cast<std::size_t>(repeat) * rows * width);
      const TargetPrediction one{pooled[t].target,
                                 {begin, begin + static_cast<std::ptrdiff_t>(rows * width)}};
      const ScoredRows scored = score_relative_loss(one, labels[t]);
      sum.value += share * scored.value;
      for (std::size_t row = 0; row < rows; ++row) {
        sum.influence[row] += share * scored.influence[row];
      }
    }
  }
  return sum;
}

void rank(std::vector<MethodScore>& scores) {
  for (MethodScore& score : scores) {
    const double loss = score.relative_loss.value;
    if (std::isnan(loss)) {
      score.rank = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    double lower = 0, equal = 0;
    for (const MethodScore& other : scores) {
      lower += other.relative_loss.value < loss;
      equal += other.relative_loss.value == loss;
    }
    score.rank = 1 + lower + (equal - 1) / 2;
  }
}

/// Runs the jobs and keeps what they predicted.
class JobRunner {
 public:
  JobRunner(const std::vector<std::shared_ptr<const Method>>& methods, const Folds& folds,
            const CompareOptions& options, const std::vector<Target>& targets, std::size_t rows,
            Comparison& comparison)
      : methods_(methods),
        folds_(folds),
        options_(options),
        rows_(rows),
        comparison_(comparison),
        share_done_(jobs().size(), 0.0),
        failures_(methods.size()) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      pooled_.emplace_back(
          options.testing.size(),
          empty_predictions(targets, rows * static_cast<std::size_t>(options.repeats)));
    }
  }

  void run() {
    const std::vector<Job> all = jobs();
    parallel_for(all.size(), options_.threads, [&](std::size_t j) { run(all[j], j); });
    // Of several reasons the first job's, whichever thread was faster.
    for (std::size_t m = 0; m < methods_.size(); ++m) {
      if (!failures_[m].empty()) comparison_.methods[m].failure = failures_[m].begin()->second;
    }
  }

  const Pooled& pooled(std::size_t method, std::size_t testing) const {
    return pooled_[method][testing];
  }

 private:
  /// Fold by fold, so that a first impression is there early.
  std::vector<Job> jobs() const {
    std::vector<Job> all;
    for (int repeat = 0; repeat < options_.repeats; ++repeat) {
      for (int fold = 0; fold < options_.folds; ++fold) {
        for (std::size_t method = 0; method < methods_.size(); ++method) {
          all.push_back({method, repeat, fold});
        }
      }
    }
    return all;
  }

  void run(const Job& job, std::size_t index) {
    const Comparison::MethodInfo& info = comparison_.methods[job.method];
    if (!failed(job.method)) {
      // Outside of what a method can be blamed for.
      const Table training = folds_.training(job.repeat, job.fold);
      const InferredSchema inferred = folds_.infer(training);
      try {
        train_and_test(job, index, training, inferred);
      } catch (const DataError& error) {
        const std::scoped_lock lock(mutex_);
        failures_[job.method].emplace(index, error.what());
      }
    }
    report(index, 1.0, info.label);
  }

  void train_and_test(const Job& job, std::size_t index, const Table& training,
                      const InferredSchema& inferred) {
    Comparison::MethodInfo& info = comparison_.methods[job.method];
    const Stage stage(fmt::format("comparing, fold {} by {}", job.fold + 1, info.label));
    const auto start = std::chrono::steady_clock::now();
    const auto predictor = methods_[job.method]->fit(
        training, inferred,
        {.seed = options_.seed * kSeedsApart + static_cast<std::uint64_t>(job.repeat),
         .threads = 1,
         .progress = [&](double share) { report(index, 0.95 * share, info.label); }});
    const double fit_seconds = seconds_since(start);
    double predict_seconds = 0;
    const std::vector<std::size_t> rows = folds_.test_rows(job.repeat, job.fold);
    for (std::size_t testing = 0; testing < options_.testing.size(); ++testing) {
      const Table test = folds_.test(job.repeat, job.fold, testing);
      const auto start_predicting = std::chrono::steady_clock::now();
      const Pooled answers = predictor->predict(test, {}, 1);
      predict_seconds += seconds_since(start_predicting);
      for (const TargetPrediction& answer : answers) {
        if (all_finite(std::span<const double>(answer.values))) continue;
        throw DataError(fmt::format("its answers for \"{}\" are not finite.", answer.target.name));
      }
      // Folds have disjoint rows, so no two jobs write the same place.
      put(answers, rows, static_cast<std::size_t>(job.repeat) * rows_,
          pooled_[job.method][testing]);
    }
    const std::scoped_lock lock(mutex_);
    const double trainings = options_.folds * options_.repeats;
    info.fit_seconds += fit_seconds / trainings;
    info.predict_seconds +=
        predict_seconds / trainings / static_cast<double>(options_.testing.size());
  }

  bool failed(std::size_t method) {
    const std::scoped_lock lock(mutex_);
    return !failures_[method].empty();
  }

  void report(std::size_t job, double share, const std::string& label) {
    if (!options_.progress) return;
    const std::scoped_lock lock(mutex_);
    share_done_[job] = share;
    const double sum = std::accumulate(share_done_.begin(), share_done_.end(), 0.0);
    options_.progress(sum / static_cast<double>(share_done_.size()), label);
  }

  const std::vector<std::shared_ptr<const Method>>& methods_;
  const Folds& folds_;
  const CompareOptions& options_;
  std::size_t rows_;
  Comparison& comparison_;
  std::vector<std::vector<Pooled>> pooled_;  ///< [method][testing]
  std::vector<double> share_done_;
  std::vector<std::map<std::size_t, std::string>> failures_;  ///< Per method: job and reason.
  std::mutex mutex_;
};

/// Every metric of the first repeat: one prediction per row, with intervals over rows.
void add_metrics(const Pooled& pooled, const std::vector<std::vector<double>>& labels,
                 MethodScore& scored) {
  for (std::size_t t = 0; t < pooled.size(); ++t) {
    const std::size_t values = labels[t].size() * pooled[t].width();
    const TargetPrediction first{
        pooled[t].target,
        {pooled[t].values.begin(), pooled[t].values.begin() + static_cast<std::ptrdiff_t>(values)}};
    scored.metrics.push_back(metrics_of(first.target.task));
    scored.estimates.emplace_back();
    for (const Metric metric : scored.metrics.back()) {
      scored.estimates.back().push_back(estimate(score(metric, first, labels[t])));
    }
  }
}

void check(const std::vector<std::shared_ptr<const Method>>& methods,
           const CompareOptions& options) {
  if (methods.empty()) throw ConfigError("There is no method to compare.");
  if (options.testing.empty()) throw ConfigError("There is nothing to test under.");
  check_ranges(options);
}

}  // namespace

std::string to_string(const RemovalRule& removal) {
  if (const auto* const cells = std::get_if<RemoveCells>(&removal)) {
    return fmt::format("{}:{}", name_of(cells->mechanism), cells->rate);
  }
  const auto* const groups = std::get_if<RemoveGroups>(&removal);
  return groups == nullptr ? "none" : fmt::format("groups:{}", groups->rate);
}

Table remove_cells(const Table& table, const Schema& schema, const RemovalRule& removal,
                   std::uint64_t seed, std::uint64_t mechanism_seed) {
  const std::vector<MissingUnit> units = missing_units(schema);
  HashMap<std::string_view, std::uint32_t> unit_of;
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    for (const std::string& column : units[u].columns) unit_of.emplace(column, u);
  }
  if (const auto* const cells = std::get_if<RemoveCells>(&removal);
      cells != nullptr && cells->rate > 0) {
    AmputeOptions options{.mechanism = cells->mechanism, .rate = cells->rate};
    options.seed = seed;
    options.mechanism_seed = mechanism_seed;
    for (const Column& column : table.columns()) {
      if (!unit_of.contains(column.name())) options.keep.push_back(column.name());
    }
    return ampute(table, options);
  }
  const auto* const groups = std::get_if<RemoveGroups>(&removal);
  if (groups == nullptr || groups->rate == 0) return table;
  if (!(groups->rate > 0 && groups->rate < 1)) {
    throw ConfigError(fmt::format(
        "The rate at which groups go missing is {}: expected a number from 0 to below 1.",
        groups->rate));
  }
  Table removed = table;
  const Random random(seed, Stream::kAmpute);
  const std::uint64_t threshold = threshold_of_rate(groups->rate);
  for (std::size_t c = 0; c < removed.column_count(); ++c) {
    const auto unit = unit_of.find(removed.column(c).name());
    if (unit == unit_of.end()) continue;
    for (std::size_t row = 0; row < removed.rows(); ++row) {
      if (random.bits(0, static_cast<std::uint32_t>(row), unit->second) < threshold) {
        removed.set_missing(row, c);
      }
    }
  }
  return removed;
}

Comparison compare(const Table& given_table,
                   const std::vector<std::shared_ptr<const Method>>& methods,
                   const CompareOptions& given) {
  const auto start = std::chrono::steady_clock::now();
  check(methods, given);
  CompareOptions options = given;
  // Folds of small tables miss rare categories; an error would only say that the table is small.
  options.schema.unseen_category = UnseenCategory::kMissing;

  const UnderstoodTable understood = understand(given_table, options.schema, options.threads);
  const Table& table = understood.table;
  InferredSchema whole = understood.inferred;
  // Folds are parts of a table that is read already.
  options.schema.reading = {};
  if (whole.schema.targets.empty()) {
    throw ConfigError("Nothing to predict: name the target column:  `targets`");
  }
  std::vector<std::vector<double>> labels;
  for (const Target& target : whole.schema.targets) labels.push_back(labels_of(table, target));
  const std::vector<std::size_t> rows = labelled_rows(labels);
  const Table labelled = rows.size() == table.rows() ? table : table.take_rows(rows);
  labels.clear();
  for (const Target& target : whole.schema.targets) labels.push_back(labels_of(labelled, target));

  Comparison comparison;
  comparison.targets = whole.schema.targets;
  comparison.rows = labelled.rows();
  comparison.folds = options.folds;
  comparison.repeats = options.repeats;
  comparison.training = options.training;
  comparison.warnings = texts_of(whole.notes);
  if (labelled.rows() < table.rows()) {
    const std::size_t unlabelled = table.rows() - labelled.rows();
    comparison.warnings.push_back(
        fmt::format("{} of {} {} no label and {} left out: {} can neither teach nor test.",
                    unlabelled, plural(table.rows(), "row"), agreeing(unlabelled, "has", "have"),
                    agreeing(unlabelled, "was", "were"), agreeing(unlabelled, "it", "they")));
  }
  if (options.schema.weight_column) {
    comparison.warnings.push_back(
        fmt::format("\"{}\" weighs rows in training only; every row counts alike in the scores.",
                    *options.schema.weight_column));
  }
  for (const auto& method : methods) {
    comparison.methods.push_back(
        {.name = method->name(), .label = method->label(), .description = method->description()});
  }
  comparison.testing = options.testing;

  const Folds folds(labelled, whole, options);
  const ComparisonCost cost = comparison_cost(labelled, whole, methods, options);
  check_cost(cost, options.limits);
  comparison.cost = cost.text();
  if (options.on_prepared) options.on_prepared(whole, comparison);
  JobRunner runner(methods, folds, options, whole.schema.targets, labelled.rows(), comparison);
  runner.run();
  if (std::none_of(comparison.methods.begin(), comparison.methods.end(),
                   [](const Comparison::MethodInfo& method) { return method.failure.empty(); })) {
    throw DataError(fmt::format("No method could be used. {}: {}", comparison.methods.front().label,
                                comparison.methods.front().failure));
  }

  for (std::size_t testing = 0; testing < options.testing.size(); ++testing) {
    std::vector<MethodScore> scores(methods.size());
    std::vector<ScoredRows> relative(methods.size());
    for (std::size_t m = 0; m < methods.size(); ++m) {
      scores[m].relative_loss = scores[m].difference = kNoEstimate;
      if (!comparison.methods[m].failure.empty()) continue;
      const Pooled& pooled = runner.pooled(m, testing);
      relative[m] = over_targets_and_repeats(pooled, labels, labelled.rows(), options.repeats);
      scores[m].relative_loss = estimate(relative[m]);
      add_metrics(pooled, labels, scores[m]);
      if (comparison.methods.front().failure.empty()) {
        scores[m].difference = difference_estimate(relative[m], relative.front());
      }
    }
    rank(scores);
    comparison.scores.push_back(std::move(scores));
  }
  comparison.seconds = seconds_since(start);
  return comparison;
}

nlohmann::ordered_json to_json(const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json targets = Json::array(), methods = Json::array(), results = Json::array();
  for (const Target& target : comparison.targets) {
    targets.push_back({{"name", target.name},
                       {"task", std::string(to_string(target.task))},
                       {"classes", target.classes}});
  }
  for (const Comparison::MethodInfo& method : comparison.methods) {
    methods.push_back({{"name", method.name},
                       {"label", method.label},
                       {"description", method.description},
                       {"fit_seconds", method.fit_seconds},
                       {"predict_seconds", method.predict_seconds},
                       {"failure", method.failure.empty() ? Json() : Json(method.failure)}});
  }
  for (std::size_t s = 0; s < comparison.testing.size(); ++s) {
    Json of_methods = Json::array();
    for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
      const MethodScore& score = comparison.scores[s][m];
      Json per_target = Json::array();
      for (std::size_t t = 0; t < score.metrics.size(); ++t) {
        Json metrics = Json::object();
        for (std::size_t i = 0; i < score.metrics[t].size(); ++i) {
          metrics[std::string(to_string(score.metrics[t][i]))] = to_json(score.estimates[t][i]);
        }
        per_target.push_back({{"target", comparison.targets[t].name}, {"metrics", metrics}});
      }
      of_methods.push_back({{"method", comparison.methods[m].name},
                            {"relative_loss", to_json(score.relative_loss)},
                            {"difference", to_json(score.difference)},
                            {"rank", number_or_null(score.rank)},
                            {"targets", per_target}});
    }
    results.push_back(
        {{"removed_from_test", to_string(comparison.testing[s])}, {"methods", of_methods}});
  }
  return {{"rows", comparison.rows},
          {"folds", comparison.folds},
          {"repeats", comparison.repeats},
          {"removed_from_training", to_string(comparison.training)},
          {"targets", targets},
          {"methods", methods},
          {"results", results},
          {"warnings", comparison.warnings},
          {"seconds", comparison.seconds}};
}

}  // namespace knockout
