// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/schema.h"

namespace knockout {

class ColumnWriter;

/// The inputs of a table, one number each: standardised for continuous columns and dates, the
/// position among its categories for categorical ones.
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
  bool categorical = false;
  std::size_t begin = 0, width = 1;  ///< Its coordinates.
  double mean = 0.0, stddev = 1.0;   ///< Numbers; dates in days since 1970.
  /// Nothing beyond is filled in: the declared range; of dates, what training showed.
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

  const std::vector<Input>& inputs() const { return inputs_; }
  std::size_t width() const { return width_; }  ///< Coordinates of all inputs.

  /// Writes the coordinates of rows [begin, end), row-major; those of gaps are 0.
  void expand(const InputMatrix& matrix, std::size_t begin, std::size_t end, float* out) const;
  /// The value that coordinates stand for: the number, or the category with the highest score.
  float collapse(std::size_t feature, const float* coordinates) const;

 private:
  struct Reading;

  explicit ImputerInputs(const Schema& schema);
  std::vector<Reading> open(const Table& table) const;
  std::size_t learn(std::size_t feature, const Reading& reading, std::size_t rows);
  /// `bad_rows` holds, per feature, the first row that could not be used.
  static void throw_first_bad(const Table& table, const std::vector<Reading>& readings,
                              const std::vector<std::size_t>& bad_rows);
  /// A copy with all features, into whose gaps `fill` writes.
  Table filled_copy(
      const Table& table, int threads,
      const std::function<void(std::size_t feature, ColumnWriter& writer)>& fill) const;

  Schema schema_;
  std::vector<Input> inputs_;
  /// Per feature; nullptr unless categorical. Shared, because they never change.
  std::vector<std::shared_ptr<const LabelIndex>> label_indexes_;
  std::size_t width_ = 0;
};

}  // namespace knockout
