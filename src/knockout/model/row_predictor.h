// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/model/predictor.h"

namespace knockout {

class Model;

/// Predicts one row at a time, without a table: for a service that answers one question after the
/// other. Bit for bit what Model::predict() says of a table of that row in which every column is
/// there. Cells that were not set are gaps, which mean what gaps of their column meant in training.
///   RowPredictor predictor(model);
///   predictor.set("age", 71.0);
///   predictor.set("sex", "f");
///   double risk = predictor.predict().front().probability(0, "high");
///   predictor.clear();
///
/// predict() allocates nothing, and neither does setting a number, a known category or a gap; other
/// words, those of dates among them, do. One thread at a time: make one for each.
class RowPredictor {
 public:
  /// Keeps a copy of the model; what was learned is shared, not copied. What happens to `model`
  /// later on does not matter. Throws ConfigError for a model that was moved from.
  explicit RowPredictor(const Model& model);
  ~RowPredictor();
  RowPredictor(RowPredictor&&) noexcept;
  RowPredictor& operator=(RowPredictor&&) noexcept;

  /// Where an input stands in Schema::features: setting by position is faster. Throws ConfigError,
  /// with the nearest name, when the model has no such input.
  std::size_t position_of(std::string_view column) const;

  // Setting throws ConfigError for inputs that the model does not have.

  /// NaN is missing, an infinity is missing for a reason.
  void set(std::string_view column, double number) { set(position_of(column), number); }
  void set(std::size_t column, double number);
  /// The text is read as a cell of a text column is.
  void set(std::string_view column, std::string_view word) { set(position_of(column), word); }
  void set(std::size_t column, std::string_view word);
  /// `state` says why; not kObserved (DataError).
  void set_missing(std::string_view column, CellState state = CellState::kMissing) {
    set_missing(position_of(column), state);
  }
  void set_missing(std::size_t column, CellState state = CellState::kMissing);
  /// All cells are gaps again.
  void clear();

  /// One prediction per target, of one row: row 0. Valid until the next call. Cells stay set.
  /// Throws DataError as Model::predict() does, for a cell that cannot be read, say.
  const std::vector<TargetPrediction>& predict();

 private:
  struct State;
  State& whole() const;

  std::unique_ptr<State> state_;
};

}  // namespace knockout
