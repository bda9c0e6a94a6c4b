// SPDX-License-Identifier: Apache-2.0
// Tables for tests of imputers.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/random.h"
#include "knockout/schema/schema.h"
#include "knockout/schema/test_columns.h"

namespace knockout::test {

/// Rows of numbers, one vector per column.
using Columns = std::vector<std::vector<double>>;

inline std::string column_name(std::size_t index) { return fmt::format("x{}", index); }

inline Table table_of(const Columns& columns) {
  std::vector<Column> made;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    made.push_back(numbers(column_name(c), columns[c]));
  }
  return Table(std::move(made));
}

inline Schema schema_of(const Columns& columns) {
  Schema schema;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    schema.features.push_back({.name = column_name(c)});
  }
  return schema;
}

/// Three Gaussian columns: x0 is standard normal, x1 = 0.8 x0 + 0.6 e, x2 = x0 - x1 + 0.5 e, moved
/// and stretched to 10 + 2 x0, -3 + x1 and 5 x2.
inline Columns gaussian_columns(std::size_t rows, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  Columns columns(3);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double x0 = random.normal(0, row, 0);
    const double x1 = 0.8 * x0 + 0.6 * random.normal(0, row, 1);
    const double x2 = x0 - x1 + 0.5 * random.normal(0, row, 2);
    columns[0].push_back(10 + 2 * x0);
    columns[1].push_back(-3 + x1);
    columns[2].push_back(5 * x2);
  }
  return columns;
}

/// The same with that share of cells removed, each by its own coin.
inline Columns with_gaps(Columns columns, double share, std::uint64_t seed) {
  const Random random(seed, Stream::kAmpute);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t row = 0; row < columns[c].size(); ++row) {
      const double coin =
          random.uniform(0, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(c));
      if (coin < share) columns[c][row] = kGap;
    }
  }
  return columns;
}

/// The root of the mean squared error of the cells that `gappy` lacks.
inline double filling_error(const Table& filled, const Columns& truth, const Columns& gappy) {
  double squares = 0, cells = 0;
  for (std::size_t c = 0; c < truth.size(); ++c) {
    const Column& column = filled.at(column_name(c));
    for (std::size_t row = 0; row < truth[c].size(); ++row) {
      if (!std::isnan(gappy[c][row])) continue;
      squares += std::pow(column.number(row) - truth[c][row], 2.0);
      ++cells;
    }
  }
  return std::sqrt(squares / cells);
}

/// A column as words, whatever its form, with "" for gaps: tables are equal when these are.
inline std::vector<std::string> spelled(const Column& column) {
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < column.size(); ++row) {
    cells.push_back(!column.observed(row) ? ""
                    : column.is_text()    ? column.word(row)
                                          : label_of_number(column.number(row)));
  }
  return cells;
}

inline std::vector<std::vector<std::string>> spelled(const Table& table) {
  std::vector<std::vector<std::string>> columns;
  for (const Column& column : table.columns()) columns.push_back(spelled(column));
  return columns;
}

}  // namespace knockout::test
