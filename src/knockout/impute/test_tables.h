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

/// 240 patients: age, sex (words), stage (numbers used as names), a date, and a target. The date is
/// late where age is high, sex is "m" where age is above 50, and stage is 1, 2 or 3 by age.
inline Table patients(double gap_share) {
  const Random random(3, Stream::kSimulation), coins(4, Stream::kAmpute);
  std::vector<double> age, stage, outcome;
  std::vector<std::string> sex, admitted;
  for (std::uint32_t row = 0; row < 240; ++row) {
    const double years = 20 + std::floor(60 * random.uniform(0, row, 0));
    const auto gap = [&](std::uint32_t unit) { return coins.uniform(0, row, unit) < gap_share; };
    age.push_back(gap(0) ? kGap : years);
    sex.push_back(gap(1) ? "" : years > 50 ? "m" : "f");
    stage.push_back(gap(2) ? kGap : years < 40 ? 1 : years < 60 ? 2 : 3);
    const int day = static_cast<int>(years - 20) / 5 + 10;
    admitted.push_back(gap(3) ? "" : fmt::format("2020-01-{}", day));
    outcome.push_back(row % 3 == 0 ? kGap : years);
  }
  return Table({numbers("age", age), words("sex", sex), numbers("stage", stage),
                words("admitted", admitted), numbers("outcome", outcome)});
}

inline Schema patient_schema() {
  Schema schema;
  schema.features = {
      {.name = "age", .lower = 0.0, .upper = 120.0},
      {.name = "sex", .kind = ColumnKind::kCategorical, .categories = {"f", "m"}},
      {.name = "stage", .kind = ColumnKind::kCategorical, .categories = {"1", "2", "3"}},
      {.name = "admitted", .kind = ColumnKind::kDate}};
  schema.targets = {{.name = "outcome"}};
  return schema;
}

}  // namespace knockout::test
