// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <variant>
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

/// Encoded rows with their labels. Labels of squared error are as TargetCoding scales them; classes
/// are indices; a weight of 0 is a missing label.
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

/// Codes for the targets of a schema, means and deviations taken from the labels of `table`; raw
/// ones are learned as they are.
std::vector<TargetCoding> code_targets(const Table& table, const Schema& schema,
                                       bool raw_targets = false);

/// All classes count alike.
struct EqualClasses {
  bool operator==(const EqualClasses&) const = default;
};
/// A class counts inversely to its frequency.
struct BalancedClasses {
  bool operator==(const BalancedClasses&) const = default;
};
/// How much each class counts; those that a list does not name count 1.
using ClassWeights = std::variant<EqualClasses, BalancedClasses, std::map<std::string, double>>;
void to_json(nlohmann::json& json, const ClassWeights& weights);
/// Whether the classes may count differently.
inline bool weighs_classes(const ClassWeights& weights) {
  return !std::holds_alternative<EqualClasses>(weights);
}

/// Fills labels and weights of `examples` (whose heads it sets); weights
/// have mean 1 over the labels of each target. Throws ConfigError for unknown classes, DataError
/// (with the line) for labels that the schema does not know.
void label_examples(const Table& table, const Schema& schema,
                    const std::vector<TargetCoding>& targets, const ClassWeights& class_weights,
                    Examples& examples);

nlohmann::json targets_to_json(const std::vector<TargetCoding>& targets);
/// Throws ModelFileError on anything unexpected. `schema` is the one the file holds.
std::vector<TargetCoding> targets_from_json(const nlohmann::json& json, const Schema& schema);

}  // namespace knockout
