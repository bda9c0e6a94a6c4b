// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"
#include "knockout/impute/imputer_arrays.h"
#include "knockout/schema/kinds/read_cells.h"
#include "knockout/schema/schema.h"

namespace knockout {

class ColumnWriter;

/// The inputs of a table, one number each: a standardised reading or, where a cell is a choice, the
/// position among the categories.
struct InputMatrix {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<float> values;       ///< rows x features, row-major; 0 in gaps until they are filled.
  std::vector<std::uint8_t> gaps;  ///< rows x features; 1 = to be filled.
  std::vector<std::size_t> gap_counts;  ///< Per feature.

  const std::uint8_t* gaps_of(std::size_t row) const { return gaps.data() + row * features; }
  float* values_of(std::size_t row) { return values.data() + row * features; }
  const float* values_of(std::size_t row) const { return values.data() + row * features; }
};

/// One input as the training table showed it. In the coordinates of linear methods it is one number
/// or, for a category, one indicator per category less that category's share: 0 is always the mean.
struct Input {
  bool categorical = false;          ///< A cell is a choice (ColumnCodec::is_choice).
  std::size_t begin = 0, width = 1;  ///< Its coordinates.
  double mean = 0.0, stddev = 1.0;   ///< Numbers: of their readings.
  /// Nothing beyond is filled in.
  double lowest = 0.0, highest = 0.0;
  std::vector<double> shares = {};  ///< Per category, of the observed cells; sums to 1.
  int mode = 0;                     ///< The most frequent category; of several, the first.
};

/// What imputers share: reads tables into numbers and writes numbers into the gaps of tables.
/// Learned once from training data; applying it learns nothing. Thread-safe.
///   ImputerInputs space = ImputerInputs::fit(train, schema, threads);
///   InputMatrix inputs = space.read(test, threads);
///   ...
///   Table filled = space.write(test, inputs, threads);
class ImputerInputs {
 public:
  /// Throws DataError, as Encoder::encode does, for cells that the schema cannot read; read() and
  /// fill_with_means() too.
  static ImputerInputs fit(const Table& train, const Schema& schema, int threads);

  InputMatrix read(const Table& table, int threads) const;
  /// The table with its gaps taken from `filled`. REQUIRES: `filled` was read from `table`.
  Table write(const Table& table, const InputMatrix& filled, int threads) const;
  /// read() and write() at once, with the mean or the mode in every gap.
  Table fill_with_means(const Table& table, int threads) const;

  /// As an imputer's file holds them. Reading throws ModelFileError for anything unexpected.
  nlohmann::json to_json() const;
  static ImputerInputs from_json(const nlohmann::json& json);
  /// Rows that an imputer keeps.
  static void put_matrix(const InputMatrix& matrix, ImputerArrays& arrays);
  InputMatrix take_matrix(ImputerArrays& arrays) const;

  const std::vector<Input>& inputs() const { return inputs_; }
  std::size_t width() const { return width_; }  ///< Coordinates of all inputs.

  /// Writes the coordinates of rows [begin, end), row-major; those of gaps are 0.
  void expand(const InputMatrix& matrix, std::size_t begin, std::size_t end, float* out) const;
  /// The value that coordinates stand for: the number, or the category with the highest score.
  float collapse(std::size_t feature, const float* coordinates) const;

 private:
  explicit ImputerInputs(const Schema& schema);
  std::size_t learn(std::size_t feature, const CellReader& cells, std::size_t rows);
  GapRules rules() const {
    return {.unseen_is_missing = schema_.unseen_category == UnseenCategory::kMissing};
  }
  /// A copy with all features, into whose gaps `fill` writes.
  Table filled_copy(
      const Table& table, int threads,
      const std::function<void(std::size_t feature, ColumnWriter& writer)>& fill) const;

  Schema schema_;
  std::vector<Input> inputs_;
  FeatureLabels labels_;
  std::size_t width_ = 0;
};

}  // namespace knockout
