// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/boosting.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "knockout/base/random.h"
#include "knockout/data/split.h"
#include "knockout/model/targets.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/kinds/read_cells.h"

namespace knockout {
namespace {

constexpr std::size_t kMostOneHot = 32;  ///< Columns of more categories become one number.
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Turns tables into what trees read: a number, or an indicator per category; NaN where missing.
class TreeInputs {
 public:
  explicit TreeInputs(Schema schema) : schema_(std::move(schema)), labels_(labels_for(schema_)) {
    for (const Feature& feature : schema_.features) {
      const std::size_t categories = feature.categories.size();
      const bool one_hot = codec_of(feature).is_choice() && categories <= kMostOneHot;
      places_.push_back({width_, one_hot ? categories : 0});
      width_ += static_cast<int>(one_hot ? categories : 1);
    }
  }

  const Schema& schema() const { return schema_; }
  int width() const { return width_; }

  std::vector<float> encode(const Table& table, int threads) const {
    const auto stride = static_cast<std::size_t>(width_);
    const std::vector<CellReader> cells = open_cells(table, schema_, labels_);
    const GapRules rules{.unseen_is_missing = schema_.unseen_category == UnseenCategory::kMissing};
    const RowBlocks blocks(table.rows(), stride);
    std::vector<float> values(table.rows() * stride, kNan);
    read_in_blocks(table, cells, blocks, threads, [&](std::size_t f, std::size_t block) {
      const Place& place = places_[f];
      float* const first = values.data() + place.begin;
      return cells[f].visit(
          blocks.begin_of(block), blocks.end_of(block), rules,
          [&](std::size_t row, double reading) {
            float* const out = first + row * stride;
            if (place.indicators == 0) {
              *out = static_cast<float>(reading);
              return;
            }
            std::fill_n(out, place.indicators, 0.0F);
            out[static_cast<std::size_t>(reading)] = 1.0F;
          },
          [](std::size_t, CellState) {});
    });
    return values;
  }

 private:
  struct Place {
    int begin = 0;
    std::size_t indicators = 0;  ///< 0 = one number.
  };

  Schema schema_;
  FeatureLabels labels_;
  std::vector<Place> places_;
  int width_ = 0;
};

class BoostedTrees : public Predictor {
 public:
  BoostedTrees(TreeInputs inputs, std::vector<TargetCoding> targets, std::vector<TreeModel> models)
      : inputs_(std::move(inputs)), targets_(std::move(targets)), models_(std::move(models)) {}

  const Schema& schema() const override { return inputs_.schema(); }

  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides&,
                                        int threads) const override {
    const std::vector<float> values = inputs_.encode(table, threads);
    const TreeRows rows{values.data(), table.rows(), inputs_.width()};
    std::vector<TargetPrediction> predictions;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      std::vector<float> out(table.rows() * static_cast<std::size_t>(models_[t].outputs()));
      if (table.rows() > 0) models_[t].predict(rows, out, threads);
      predictions.push_back(in_own_unit(targets_[t], out));
    }
    return predictions;
  }

 private:
  static TargetPrediction in_own_unit(const TargetCoding& coding, const std::vector<float>& out) {
    TargetPrediction prediction{.target = coding.target, .values = {}};
    prediction.values.reserve(out.size() * (coding.head.loss == Loss::kLogistic ? 2 : 1));
    for (const float number : out) {
      if (coding.head.loss == Loss::kSquaredError) {
        prediction.values.push_back(coding.mean + coding.stddev * number);
      } else if (coding.head.loss == Loss::kLogistic) {
        prediction.values.push_back(1.0 - number);
        prediction.values.push_back(number);
      } else {
        prediction.values.push_back(number);
      }
    }
    return prediction;
  }

  TreeInputs inputs_;
  std::vector<TargetCoding> targets_;
  std::vector<TreeModel> models_;
};

/// The rows that have a label and count, in random order.
struct LabelledRows {
  std::vector<float> values, labels, weights;
  std::size_t rows = 0;
};

LabelledRows labelled_rows(const std::vector<float>& values, int width, const Examples& examples,
                           std::size_t head, std::uint64_t seed) {
  const std::size_t heads = examples.heads.size();
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row * heads < examples.labels.size(); ++row) {
    if (examples.weights[row * heads + head] > 0) order.push_back(row);
  }
  const Random random(seed, Stream::kSplit);
  shuffle(std::span(order), [&](std::uint32_t count) { return random.below(count, 0, count, 0); });
  LabelledRows chosen;
  chosen.rows = order.size();
  chosen.values.reserve(order.size() * static_cast<std::size_t>(width));
  for (const std::size_t row : order) {
    const float* begin = values.data() + row * static_cast<std::size_t>(width);
    chosen.values.insert(chosen.values.end(), begin, begin + width);
    chosen.labels.push_back(examples.labels[row * heads + head]);
    chosen.weights.push_back(examples.weights[row * heads + head]);
  }
  return chosen;
}

TreeOptions options_of(const TreeOptions& options, const Head& head, const FitContext& run) {
  TreeOptions changed = options;
  changed.objective = head.loss == Loss::kSquaredError ? TreeObjective::kSquaredError
                      : head.loss == Loss::kLogistic   ? TreeObjective::kLogistic
                                                       : TreeObjective::kSoftmax;
  changed.classes = head.output_width;
  changed.seed = run.seed;
  changed.threads = run.threads;
  return changed;
}

}  // namespace

std::unique_ptr<Predictor> BoostingMethod::fit(const Table& table, const InferredSchema& inferred,
                                               const FitContext& run) const {
  constexpr std::size_t kHeldOutOneIn = 5;
  constexpr int kPatience = 30;
  TreeInputs inputs(inferred.schema);
  const std::vector<float> values = inputs.encode(table, run.threads);
  std::vector<TargetCoding> targets = code_targets(table, inferred.schema);
  Examples examples;
  label_examples(table, inferred.schema, targets, class_weights_, examples);

  std::vector<TreeModel> models;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const LabelledRows chosen = labelled_rows(values, inputs.width(), examples, t, run.seed);
    const TreeRows rows{chosen.values.data(), chosen.rows, inputs.width()};
    TreeOptions options = options_of(options_, targets[t].head, run);
    const std::size_t held_out = chosen.rows / kHeldOutOneIn;
    if (held_out > 0) {
      options.patience = kPatience;
      options.rounds = grow_trees(rows, chosen.labels, chosen.weights, held_out, options).rounds();
      options.patience = 0;
    }
    models.push_back(grow_trees(rows, chosen.labels, chosen.weights, 0, options));
    if (run.progress) {
      run.progress(static_cast<double>(t + 1) / static_cast<double>(targets.size()));
    }
  }
  return std::make_unique<BoostedTrees>(std::move(inputs), std::move(targets), std::move(models));
}

}  // namespace knockout
