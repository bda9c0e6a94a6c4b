// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/training.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/model/f1.h"

namespace knockout::experiments {
namespace {

const std::string kLabel = "label";

std::string column_name(const View& view, std::size_t column) {
  return fmt::format("{}_{}", view.name, column);
}

/// Every feature is a number, whatever its values look like; `grouped` makes units of the views.
Schema schema_of(const ViewSet& set, bool grouped) {
  Schema schema;
  for (const View& view : set.views) {
    for (std::size_t c = 0; c < view.width; ++c) {
      schema.features.push_back({.name = column_name(view, c), .group = grouped ? view.name : ""});
    }
  }
  schema.targets.push_back({.name = kLabel, .task = Task::kClassification, .classes = set.classes});
  return schema;
}

Table table_of(const ViewSet& set, const std::vector<std::size_t>& rows) {
  std::vector<Column> columns;
  for (const View& view : set.views) {
    for (std::size_t c = 0; c < view.width; ++c) {
      std::vector<double> numbers;
      numbers.reserve(rows.size());
      for (const std::size_t row : rows) numbers.push_back(view.values[row * view.width + c]);
      columns.push_back(Column::numbers(column_name(view, c), std::move(numbers)));
    }
  }
  std::vector<std::int32_t> labels;
  labels.reserve(rows.size());
  for (const std::size_t row : rows) labels.push_back(set.labels[row]);
  columns.push_back(Column::coded(kLabel, std::move(labels), set.classes));
  return Table(std::move(columns), set.name);
}

std::vector<std::size_t> rows_where(const std::vector<Part>& parts, bool test) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < parts.size(); ++row) {
    if ((parts[row] == Part::kTest) == test) rows.push_back(row);
  }
  return rows;
}

/// What is knocked out in training. The paper's rule is for whatever goes missing by itself: views,
/// or single features.
KnockoutOptions knockout_of(const ViewSet& set, const std::string& method,
                            const TreesOptions& options) {
  KnockoutOptions knockout{.rate = 0.0, .reason_share = 0};
  if (method == kCommonBaseline) return knockout;
  knockout.rate = knockout_rate_of(options.knockout_rate);
  if (method == kKnockoutStructured) return knockout;
  if (options.feature_rate != "same") {
    knockout.rate = knockout_rate_of(options.feature_rate);
    return knockout;
  }
  std::vector<std::string> names;
  for (const View& view : set.views) names.push_back(view.name);
  const std::vector<double> rates =
      make_plan(names, std::vector<bool>(names.size(), false), knockout).expected_rates();
  knockout.rate =
      std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  return knockout;
}

}  // namespace

std::vector<NamedPattern> view_patterns(const ViewSet& set) {
  const auto most = static_cast<int>(set.views.size()) - 1;
  return patterns_up_to(schema_of(set, true), most).patterns;
}

FitResult fit_views(const ViewSet& set, const std::vector<Part>& parts, const std::string& method,
                    const TreesOptions& options, std::uint64_t seed, const StudyContext& run,
                    const std::function<void(double)>& progress) {
  const std::vector<std::size_t> rows = rows_where(parts, false);
  if (rows.empty() || rows.size() == parts.size()) {
    throw DataError(fmt::format("{}: no row is left {}.", set.name,
                                rows.empty() ? "to train on" : "to test on"));
  }
  const auto held_out = std::count(parts.begin(), parts.end(), Part::kValidation);
  FitOptions fit_options;
  // The mean of a Z-score is 0: the paper's placeholder of latent vectors, here of any view.
  fit_options.encode.placeholders = {{"*", ColumnMean{}}};
  fit_options.encode.reason_placeholders = {{"*", ColumnMean{}}};
  fit_options.encode.force_placeholders = true;
  fit_options.knockout = knockout_of(set, method, options);
  TrainOptions& train = fit_options.train;
  train.hidden = options.hidden;
  train.networks = 1;
  train.batch_rows = options.batch_rows;
  train.steps = options.steps;
  train.patience = options.patience;
  train.learning_rate = options.learning_rate;
  train.weight_decay = options.weight_decay;
  train.dropout = options.dropout;
  // The engine draws the validation part itself, as many rows as the split holds out.
  constexpr double kMostHeldOut = 0.5;
  train.validation_share =
      std::min(kMostHeldOut, static_cast<double>(held_out) / static_cast<double>(rows.size()));
  train.seed = seed;
  train.threads = run.processes != nullptr ? run.threads : 1;
  train.processes = run.processes;
  const InferredSchema inferred{
      .schema = schema_of(set, method != kKnockoutFeatures), .set_aside = {}, .notes = {}};
  return fit(table_of(set, rows), inferred, fit_options, [&](const TrainProgress& at) {
    if (progress) progress(at.share_done);
  });
}

nlohmann::json train_and_score(const ViewSet& set, const std::string& method,
                               const TreesOptions& options, std::uint64_t seed,
                               const StudyContext& run,
                               const std::function<void(double)>& progress) {
  const std::vector<Part> parts =
      split_rows(set, options.validation_share, options.test_share, seed);
  const FitResult fitted = fit_views(set, parts, method, options, seed, run, progress);
  const std::vector<std::size_t> rows = rows_where(parts, true);
  std::vector<int> truth;
  truth.reserve(rows.size());
  for (const std::size_t row : rows) truth.push_back(set.labels[row]);
  std::vector<MissingPattern> patterns;
  for (const NamedPattern& named : view_patterns(set)) patterns.push_back(named.pattern);
  std::vector<double> scores;
  fitted.model.predict_patterns(
      table_of(set, rows), patterns,
      [&](std::size_t, const std::vector<TargetPrediction>& predictions) {
        std::vector<int> predicted;
        for (std::size_t row = 0; row < truth.size(); ++row) {
          predicted.push_back(static_cast<int>(predictions[0].best_class(row)));
        }
        scores.push_back(
            f1_score(truth, predicted, static_cast<int>(set.classes.size()), options.f1));
      },
      {}, run.processes != nullptr ? run.threads : 1);
  return {{"f1", scores},
          {"steps", fitted.report.members[0].steps},
          {"seconds", fitted.report.seconds}};
}

double f1_score(const std::vector<int>& truth, const std::vector<int>& predicted, int classes,
                const std::string& average) {
  std::vector<ClassCounts> counts(static_cast<std::size_t>(classes));
  for (std::size_t row = 0; row < truth.size(); ++row) {
    ClassCounts& there = counts[static_cast<std::size_t>(truth[row])];
    there.there += 1;
    there.hits += truth[row] == predicted[row] ? 1 : 0;
    counts[static_cast<std::size_t>(predicted[row])].named += 1;
  }
  return f1_of(counts, average == "micro"      ? F1Average::kMicro
                       : average == "weighted" ? F1Average::kWeighted
                                               : F1Average::kMacro);
}

std::vector<Part> split_rows(const ViewSet& set, double validation_share, double test_share,
                             std::uint64_t seed) {
  const bool has_split = !set.parts.empty();
  std::vector<Part> parts = has_split ? set.parts : std::vector(set.rows(), Part::kTraining);
  if (std::find(parts.begin(), parts.end(), Part::kValidation) != parts.end()) return parts;
  const Random random(seed, Stream::kSplit);
  std::vector<std::vector<std::size_t>> of_class(set.classes.size());
  for (std::size_t row = 0; row < set.rows(); ++row) {
    if (parts[row] != Part::kTraining) continue;
    of_class[static_cast<std::size_t>(set.labels[row])].push_back(row);
  }
  for (auto& rows : of_class) {
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      const auto draw = [&](std::size_t row) {
        return std::pair(random.bits(0, static_cast<std::uint32_t>(row), 0), row);
      };
      return draw(a) < draw(b);
    });
    const auto count = static_cast<double>(rows.size());
    const auto test = has_split ? 0 : static_cast<std::size_t>(std::lround(count * test_share));
    const auto validation = static_cast<std::size_t>(std::lround(count * validation_share));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i < test) {
        parts[rows[i]] = Part::kTest;
      } else if (i < test + validation) {
        parts[rows[i]] = Part::kValidation;
      }
    }
  }
  return parts;
}

}  // namespace knockout::experiments
