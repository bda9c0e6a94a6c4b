// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/marginals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "knockout/base/error.h"
#include "knockout/impute/imputer.h"
#include "knockout/model/targets.h"

namespace knockout {
namespace {

/// One character per feature: 'x' where it is missing.
using PatternKey = std::string;

class FittedMarginals : public Predictor {
 public:
  FittedMarginals(Table training, InferredSchema inferred, const FitOptions& options,
                  const FitContext& run, std::size_t most_networks)
      : training_(std::move(training)),
        inferred_(std::move(inferred)),
        options_(options_for(options, run)),
        most_networks_(most_networks) {
    options_.train.stop = {};  // it trains when it is asked to predict, long after this training
  }

  const Schema& schema() const override { return inferred_.schema; }

  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides&,
                                        int threads) const override {
    std::vector<TargetPrediction> predictions;
    for (const Target& target : inferred_.schema.targets) {
      predictions.push_back({.target = target, .values = {}});
      predictions.back().values.resize(table.rows() * predictions.back().width());
    }
    const auto patterns = rows_by_pattern(table);
    check_count(patterns);
    for (const auto& [key, rows] : patterns) {
      const auto answers = model(key).predict(table.take_rows(rows), {}, threads);
      for (std::size_t t = 0; t < answers.size(); ++t) {
        const std::size_t width = answers[t].width();
        for (std::size_t i = 0; i < rows.size(); ++i) {
          std::copy_n(answers[t].values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                      predictions[t].values.begin() + static_cast<std::ptrdiff_t>(rows[i] * width));
        }
      }
    }
    return predictions;
  }

 private:
  std::map<PatternKey, std::vector<std::size_t>> rows_by_pattern(const Table& table) const {
    const auto& features = inferred_.schema.features;
    std::vector<PatternKey> keys(table.rows(), PatternKey(features.size(), '.'));
    for (std::size_t f = 0; f < features.size(); ++f) {
      const Column* column = table.find(features[f].name);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (column == nullptr || !column->observed(row)) {
          keys[row][f] = 'x';
        }
      }
    }
    std::map<PatternKey, std::vector<std::size_t>> rows;
    for (std::size_t row = 0; row < keys.size(); ++row) rows[keys[row]].push_back(row);
    return rows;
  }

  /// Before any of them is trained.
  void check_count(const std::map<PatternKey, std::vector<std::size_t>>& patterns) const {
    const std::scoped_lock lock(mutex_);
    std::size_t needed = models_.size();
    for (const auto& [key, rows] : patterns) needed += !models_.contains(key);
    if (needed <= most_networks_) return;
    throw DataError(fmt::format(
        "One network per pattern: there are {} patterns of gaps, and at most {} are trained.",
        needed, most_networks_));
  }

  const Model& model(const PatternKey& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = models_.find(key);
    if (found != models_.end()) return found->second;
    return models_.emplace(key, train(key)).first->second;
  }

  Model train(const PatternKey& key) const {
    InferredSchema kept = inferred_;
    kept.schema.features.clear();
    for (std::size_t f = 0; f < key.size(); ++f) {
      if (key[f] == '.') kept.schema.features.push_back(inferred_.schema.features[f]);
    }
    Table training = training_;
    if (!kept.schema.features.empty()) {
      training = fit_imputer(ImputerKind::kMean, training, kept.schema)->apply(training);
    }
    for (Feature& feature : kept.schema.features) feature.training_gaps = GapMeaning::kNone;
    return fit(training, kept, options_).model;
  }

  Table training_;
  InferredSchema inferred_;
  FitOptions options_;
  std::size_t most_networks_;
  mutable std::mutex mutex_;
  mutable std::map<PatternKey, Model> models_;
};

}  // namespace

std::unique_ptr<Predictor> MarginalsMethod::fit(const Table& table, const InferredSchema& inferred,
                                                const FitContext& run) const {
  return std::make_unique<FittedMarginals>(table, inferred, fit_, run, most_networks_);
}

MethodCost MarginalsMethod::cost(const Table& table, const InferredSchema& inferred) const {
  return network_cost(table, inferred, fit_);
}

}  // namespace knockout
