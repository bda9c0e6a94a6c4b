// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/predictor.h"
#include "knockout/schema/schema.h"

// Tables for models that want numbers and a mask, and know no placeholders. LibTorch-free.
namespace knockout::nn {

/// The order of the inputs: first the numbers, then the indicators of one category after the other.
struct InputLayout {
  struct Block {
    std::int64_t begin = 0, width = 0;
  };
  std::int64_t numbers = 0;
  std::vector<Block> categories = {};

  std::int64_t width() const {
    return categories.empty() ? numbers : categories.back().begin + categories.back().width;
  }
};

/// Rows of inputs, row-major; 0 where a cell is missing.
struct MaskedRows {
  std::size_t rows = 0;
  std::vector<float> values;    ///< rows x inputs.
  std::vector<float> observed;  ///< rows x inputs, 1 or 0.
};

/// Turns tables into plain rows: numbers as Z-scores, categories one-hot, why a cell is missing of
/// no interest. Learned once from training data; applying it learns nothing.
class MaskedInputs {
 public:
  MaskedInputs(const Table& table, const Schema& schema);

  /// Throws DataError as Encoder::encode() does.
  MaskedRows encode(const Table& table, int threads) const;

  const InputLayout& layout() const { return layout_; }
  /// The knockout unit of every input: its column or its column's group.
  const std::vector<std::int64_t>& unit_of_input() const { return unit_of_input_; }
  /// p(M) over these units at the paper's rate.
  const KnockoutPlan& plan() const { return plan_; }

 private:
  /// Where a feature's inputs are, there and here.
  struct Place {
    std::size_t encoded_begin = 0, encoded_width = 0;
    std::size_t begin = 0, width = 0;
    bool is_category = false;
  };

  Encoder encoder_;
  std::vector<Place> places_;
  InputLayout layout_;
  std::vector<std::int64_t> unit_of_input_;
  KnockoutPlan plan_;
};

/// A target as outputs of a network: one for a number, which is standardised, one per class.
struct TargetOutputs {
  Target target;
  double mean = 0.0, stddev = 1.0;  ///< Of the training labels, regression only.
  std::int64_t begin = 0, width = 1;
};

/// Outputs for the targets of a schema, numbers standardised by the labels of `table`. Throws
/// DataError for labels that cannot be computed with.
std::vector<TargetOutputs> outputs_for(const Table& table, const Schema& schema);

/// Labels of rows: standardised numbers and positions of classes; a weight of 0 is a missing label.
struct TargetLabels {
  std::vector<float> values;   ///< rows x targets.
  std::vector<float> weights;  ///< rows x targets, with mean 1 over the labels of a target.
};
/// Throws DataError for classes that the schema does not know and targets without labels.
TargetLabels labels_of(const Table& table, const Schema& schema,
                       const std::vector<TargetOutputs>& targets);

}  // namespace knockout::nn
