// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// Predictions for one target. Row-major, in the order of the rows.
struct TargetPrediction {
  Target target;
  std::vector<double> values;  ///< Regression: one number per row. Classification: one probability
                               ///< per row and class.

  std::size_t width() const { return target.task == Task::kRegression ? 1 : target.classes.size(); }
  std::size_t rows() const { return values.size() / width(); }
  /// Classification: the index of the most probable class of a row; the first of equals.
  std::size_t best_class(std::size_t row) const;
};

/// Anything that predicts from a table with gaps: the native network, a LibTorch network, an
/// imputer followed by either. One evaluator serves them all. Thread-safe once built.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual const Schema& schema() const = 0;

  /// One prediction per target and row; always finite. Throws DataError for cells the model cannot
  /// read.
  virtual std::vector<TargetPrediction> predict(const Table& table,
                                                const GapOverrides& overrides = {},
                                                int threads = 0) const = 0;
};

/// Predictions as `predict` writes them: `prediction` and, for classification, one
/// `probability_<class>` column per class; with several targets `prediction_<target>` and
/// `probability_<target>_<class>`.
Table predictions_to_table(const std::vector<TargetPrediction>& predictions);

}  // namespace knockout
