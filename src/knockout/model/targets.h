// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// What a learner minimises for a target.
enum class Loss { kSquaredError, kLogistic, kSoftmax };

/// One target's share of a learner's outputs.
struct Head {
  Loss loss = Loss::kSquaredError;
  int output_begin = 0;
  int output_width = 1;
};

/// Encoded rows with their labels. Labels of squared error are standardised; classes are indices; a
/// weight of 0 is a missing label.
struct Examples {
  EncodedRows inputs;
  std::vector<Head> heads;
  std::vector<float> labels;   ///< rows x heads.
  std::vector<float> weights;  ///< rows x heads.
};

/// How one target becomes outputs of a learner and back. Regression targets are standardised, so
/// that learning rates suit every unit of measure.
struct TargetCoding {
  Target target;
  double mean = 0.0, stddev = 1.0;  ///< Of the training labels, regression only.
  Head head;

  /// Numbers in an answer for one row: one, or the probability of each class.
  std::size_t answer_width() const { return target.classes.empty() ? 1 : target.classes.size(); }
};

/// Codes for the targets of a schema, means and deviations taken from the labels of `table`.
std::vector<TargetCoding> code_targets(const Table& table, const Schema& schema);

/// How much each class counts. "" = all alike; "balanced" = inversely to its frequency;
/// "yes=3,no=1" = as said. Fills labels and weights of `examples` (whose heads it sets); weights
/// have mean 1 over the labels of each target. Throws ConfigError for unknown classes, DataError
/// (with the line) for labels that the schema does not know.
void label_examples(const Table& table, const Schema& schema,
                    const std::vector<TargetCoding>& targets, const std::string& class_weights,
                    Examples& examples);

nlohmann::json targets_to_json(const std::vector<TargetCoding>& targets);
/// Throws ModelFileError on anything unexpected. `schema` is the one the file holds.
std::vector<TargetCoding> targets_from_json(const nlohmann::json& json, const Schema& schema);

}  // namespace knockout
