// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// Predictions for one target. Row-major, in the order of the rows.
struct TargetPrediction {
  Target target;
  /// Regression: one number per row. Classification: one probability per row and class.
  std::vector<double> values;

  std::size_t width() const { return target.task == Task::kRegression ? 1 : target.classes.size(); }
  std::size_t rows() const { return width() == 0 ? 0 : values.size() / width(); }
  /// The index of the most probable class of a row; the first of equals. Throws ConfigError for a
  /// regression, and for a row that is not there.
  std::size_t best_class(std::size_t row) const;
  /// That class by its name. Throws as best_class() does.
  const std::string& label(std::size_t row) const { return target.classes[best_class(row)]; }
  /// How probable a class is in a row. Throws ConfigError for a regression, for a row that is not
  /// there and, with the nearest name, for a class that the target does not have.
  double probability(std::size_t row, std::string_view label) const;
  /// The predicted number. Throws ConfigError for a classification and for a row that is not there.
  double number(std::size_t row) const;
};

/// Inputs that are missing together.
struct MissingPattern {
  std::vector<std::string> columns;  ///< In the order of the schema; none = nothing is hidden.
  bool operator==(const MissingPattern&) const = default;
};

/// Takes the predictions of one pattern: its position in the list, one prediction per target.
using PatternReceiver =
    std::function<void(std::size_t pattern, const std::vector<TargetPrediction>& predictions)>;

/// Anything that predicts from a table with gaps: the native network, a LibTorch network, an
/// imputer followed by either. One evaluator serves them all. Thread-safe once built.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual const Schema& schema() const = 0;
  /// What a person should hear about a table that is to be predicted: notes_on_columns().
  std::vector<std::string> notes_on(const Table& table) const;

  /// One prediction per target and row; always finite. Throws DataError for cells the model cannot
  /// read, and ModelFileError rather than answer with what is not finite.
  virtual std::vector<TargetPrediction> predict(const Table& table,
                                                const GapOverrides& overrides = {},
                                                int threads = 0) const = 0;

  /// The same rows under many patterns: pattern p hides its columns in every row, on top of the
  /// gaps that are there. `receive` is called once per pattern, in order, from the caller's thread.
  /// Equal to predict() on a table in which those cells are missing, up to rounding; engines that
  /// can do better than one prediction after the other override it. Throws ConfigError for columns
  /// that the schema lacks or that are never missing.
  virtual void predict_patterns(const Table& table, std::span<const MissingPattern> patterns,
                                const PatternReceiver& receive, const GapOverrides& overrides = {},
                                int threads = 0) const;

 protected:
  /// Throws as predict_patterns() does.
  void check_patterns(std::span<const MissingPattern> patterns) const;
};

/// Inputs of a model that a table with these columns lacks, told in whole sentences: how many they
/// are and, where a column has nearly the same name, that it may be misspelt. Empty when all are
/// there. `source` names the table; "" = "The table".
std::vector<std::string> notes_on_columns(const Schema& schema,
                                          const std::vector<std::string>& columns,
                                          const std::string& source);

/// A copy of the table whose cells of those columns are missing; columns it lacks are passed over.
Table hide_columns(const Table& table, std::span<const std::string> columns);

/// Predictions as `predict` writes them: `prediction` and, for classification, one
/// `probability_<class>` column per class; with several targets `prediction_<target>` and
/// `probability_<target>_<class>`.
Table predictions_to_table(const std::vector<TargetPrediction>& predictions);

}  // namespace knockout
