// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/input_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "knockout/base/parallel.h"
#include "knockout/encode/encoder.h"
#include "knockout/encode/feature_cells.h"
#include "knockout/impute/column_writer.h"
#include "knockout/impute/number_sums.h"

namespace knockout {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Starting threads costs more than reading a small table.
int worthwhile_threads(std::size_t cells, int threads) {
  constexpr std::size_t kCells = 200000;
  return cells < kCells ? 1 : threads;
}

/// The first cell that could not be used, by row and then by feature, as Encoder::encode names it.
struct BadCell {
  std::size_t row = std::numeric_limits<std::size_t>::max(), feature = 0;
};

}  // namespace

/// One feature of the table that is being read.
struct ImputerInputs::Reading {
  const Feature& feature;
  const Column* column;  ///< nullptr = not in the table.
  FeatureCells cells;
  bool unseen_is_missing;

  /// Whether cells are simply numbers.
  bool is_plain() const {
    return column != nullptr && !column->is_text() && feature.kind == ColumnKind::kContinuous;
  }
  /// Whether all numbers of a column with these extremes may be used; there may be none.
  bool cells_accept(double lowest, double highest) const {
    return lowest > highest || (cells.accepts(lowest) && cells.accepts(highest));
  }

  /// Calls `on_value(row, number or category)` or `on_gap(row)` for rows [begin, end). Returns the
  /// first row that it cannot use, or `end`.
  template <typename OnValue, typename OnGap>
  std::size_t visit(std::size_t begin, std::size_t end, const OnValue& on_value,
                    const OnGap& on_gap) const {
    if (column == nullptr) {
      for (std::size_t row = begin; row < end; ++row) on_gap(row);
      return end;
    }
    if (feature.kind == ColumnKind::kCategorical) {
      for (std::size_t row = begin; row < end; ++row) {
        const bool observed = cells.state(row) == CellState::kObserved;
        const int category = observed ? cells.category(row) : -1;
        if (category >= 0) {
          on_value(row, category);
        } else if (!observed || unseen_is_missing) {
          on_gap(row);
        } else {
          return row;
        }
      }
      return end;
    }
    for (std::size_t row = begin; row < end; ++row) {
      if (cells.state(row) != CellState::kObserved) {
        on_gap(row);
        continue;
      }
      const double number = cells.number(row);
      if (!cells.accepts(number)) return row;
      on_value(row, number);
    }
    return end;
  }
};

ImputerInputs::ImputerInputs(const Schema& schema) : schema_(schema) {
  for (const Feature& feature : schema_.features) {
    const bool categorical = feature.kind == ColumnKind::kCategorical;
    label_indexes_.push_back(categorical ? std::make_shared<const LabelIndex>(feature.categories)
                                         : nullptr);
    Input input;
    input.categorical = categorical;
    input.begin = width_;
    input.width = categorical ? feature.categories.size() : 1;
    width_ += input.width;
    inputs_.push_back(std::move(input));
  }
}

std::vector<ImputerInputs::Reading> ImputerInputs::open(const Table& table) const {
  std::unordered_map<std::string_view, const Column*> column_of;
  for (const Column& column : table.columns()) column_of.emplace(column.name(), &column);
  std::vector<Reading> readings;
  readings.reserve(inputs_.size());
  for (std::size_t f = 0; f < inputs_.size(); ++f) {
    const Feature& feature = schema_.features[f];
    const auto found = column_of.find(feature.name);
    const Column* const column = found == column_of.end() ? nullptr : found->second;
    readings.push_back({feature, column, FeatureCells(feature, column, label_indexes_[f].get()),
                        schema_.unseen_category == UnseenCategory::kMissing});
  }
  return readings;
}

ImputerInputs ImputerInputs::fit(const Table& train, const Schema& schema, int threads) {
  ImputerInputs space(schema);
  const std::vector<Reading> readings = space.open(train);
  std::vector<std::size_t> bad_rows(readings.size());
  parallel_for(readings.size(), worthwhile_threads(train.rows() * readings.size(), threads),
               [&](std::size_t f) { bad_rows[f] = space.learn(f, readings[f], train.rows()); });
  throw_first_bad(train, readings, bad_rows);
  return space;
}

void ImputerInputs::throw_first_bad(const Table& table, const std::vector<Reading>& readings,
                                    const std::vector<std::size_t>& bad_rows) {
  const auto bad = std::min_element(bad_rows.begin(), bad_rows.end());
  if (bad == bad_rows.end() || *bad >= table.rows()) return;
  const Reading& reading = readings[static_cast<std::size_t>(bad - bad_rows.begin())];
  throw_bad_cell(table, reading.feature, *reading.column, *bad);
}

/// Learns one input. Returns the first row that it cannot use, or `rows`.
std::size_t ImputerInputs::learn(std::size_t feature, const Reading& reading, std::size_t rows) {
  Input& input = inputs_[feature];
  const auto ignore_gap = [](std::size_t) {};
  if (input.categorical) {
    std::vector<double> counts(input.width, 0.0);
    const std::size_t end = reading.visit(
        0, rows,
        [&](std::size_t, double category) { ++counts[static_cast<std::size_t>(category)]; },
        ignore_gap);
    double total = 0;
    for (const double count : counts) total += count;
    // A column without a single cell says nothing: all categories are alike.
    for (double& count : counts) count = total > 0 ? count / total : 1.0 / counts.size();
    input.mode = static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    input.shares = std::move(counts);
    return end;
  }

  NumberSums sums;
  std::size_t end = rows;
  if (reading.is_plain()) sums = sums_of(*reading.column);
  if (!reading.is_plain() || !reading.cells_accept(sums.lowest, sums.highest)) {
    sums = {};
    end = reading.visit(
        0, rows, [&](std::size_t, double number) { sums.add(number); }, ignore_gap);
  }
  if (sums.count == 0) {
    const Feature& declared = schema_.features[feature];
    input.mean =
        std::clamp(0.0, declared.lower.value_or(-kInfinity), declared.upper.value_or(kInfinity));
    input.lowest = input.highest = input.mean;
    return end;
  }
  const double n = static_cast<double>(sums.count);
  const double variance = (sums.squares - sums.sum * sums.sum / n) / n;
  input.mean = std::clamp(sums.first + sums.sum / n, sums.lowest, sums.highest);
  if (sums.lowest < sums.highest && variance > 0 && std::isfinite(variance)) {
    input.stddev = std::sqrt(variance);
  }
  const Feature& declared = schema_.features[feature];
  const bool is_date = declared.kind == ColumnKind::kDate;  // the calendar ends somewhere
  input.lowest = is_date ? sums.lowest : declared.lower.value_or(-kInfinity);
  input.highest = is_date ? sums.highest : declared.upper.value_or(kInfinity);
  return end;
}

InputMatrix ImputerInputs::read(const Table& table, int threads) const {
  const std::vector<Reading> readings = open(table);
  InputMatrix out;
  out.rows = table.rows();
  out.features = inputs_.size();
  out.values.resize(out.rows * out.features);
  out.gaps.resize(out.rows * out.features);
  out.gap_counts.resize(out.features);

  // Column by column within blocks of rows that stay in cache while all columns are written.
  const std::size_t block_rows = std::clamp<std::size_t>(65536 / (out.features + 1), 64, 8192);
  const std::size_t blocks = (out.rows + block_rows - 1) / block_rows;
  std::vector<BadCell> bad_cells(blocks);
  std::vector<std::size_t> gap_counts(blocks * out.features);
  parallel_for(blocks, worthwhile_threads(out.values.size(), threads), [&](std::size_t block) {
    const std::size_t begin = block * block_rows;
    const std::size_t end = std::min(begin + block_rows, out.rows);
    for (std::size_t f = 0; f < out.features; ++f) {
      const Input& input = inputs_[f];
      float* const values = out.values.data() + f;
      std::uint8_t* const gaps = out.gaps.data() + f;
      std::size_t gap_count = 0;
      const auto on_gap = [&](std::size_t row) {
        gaps[row * out.features] = 1;
        ++gap_count;
      };
      const std::size_t bad = readings[f].visit(
          begin, end,
          [&](std::size_t row, double number) {
            const double scaled = (number - input.mean) / input.stddev;
            values[row * out.features] =
                static_cast<float>(std::clamp(scaled, -kLargestScaled, kLargestScaled));
          },
          on_gap);
      if (bad < end && bad < bad_cells[block].row) bad_cells[block] = {bad, f};
      gap_counts[block * out.features + f] = gap_count;
    }
  });
  for (const BadCell& bad : bad_cells) {
    if (bad.row < out.rows) {
      throw_bad_cell(table, readings[bad.feature].feature, *readings[bad.feature].column, bad.row);
    }
  }
  for (std::size_t i = 0; i < gap_counts.size(); ++i) {
    out.gap_counts[i % out.features] += gap_counts[i];
  }
  return out;
}

Table ImputerInputs::filled_copy(
    const Table& table, int threads,
    const std::function<void(std::size_t feature, ColumnWriter& writer)>& fill) const {
  Table out = table;
  for (const Feature& feature : schema_.features) {
    if (table.find(feature.name) == nullptr) {
      out.add_column(Column::missing(feature.name, table.rows()));
    }
  }
  std::vector<Column> columns = out.take_columns();
  std::unordered_map<std::string_view, std::size_t> index_of;
  for (std::size_t c = 0; c < columns.size(); ++c) index_of.emplace(columns[c].name(), c);
  parallel_for(inputs_.size(), worthwhile_threads(table.rows() * inputs_.size(), threads),
               [&](std::size_t f) {
                 const Feature& feature = schema_.features[f];
                 ColumnWriter writer(feature, inputs_[f], label_indexes_[f].get(),
                                     columns[index_of.at(feature.name)]);
                 fill(f, writer);
                 writer.finish();
               });
  out.replace_columns(std::move(columns));
  return out;
}

Table ImputerInputs::write(const Table& table, const InputMatrix& filled, int threads) const {
  return filled_copy(table, threads, [&](std::size_t f, ColumnWriter& writer) {
    if (filled.gap_counts[f] == 0) return;
    for (std::size_t row = 0; row < filled.rows; ++row) {
      if (filled.gaps_of(row)[f] != 0) writer.write(row, filled.values_of(row)[f]);
    }
  });
}

Table ImputerInputs::fill_with_means(const Table& table, int threads) const {
  const std::vector<Reading> readings = open(table);
  std::vector<std::size_t> bad_rows(inputs_.size());
  Table filled = filled_copy(table, threads, [&](std::size_t f, ColumnWriter& writer) {
    const Input& input = inputs_[f];
    const Reading& reading = readings[f];
    if (reading.is_plain() && !reading.feature.lower && !reading.feature.upper) {
      writer.write_mean();
      bad_rows[f] = table.rows();
      return;
    }
    const float value = input.categorical ? static_cast<float>(input.mode) : 0.0F;
    bad_rows[f] = reading.visit(
        0, table.rows(), [](std::size_t, double) {},
        [&](std::size_t row) { writer.write(row, value); });
  });
  throw_first_bad(table, readings, bad_rows);
  return filled;
}

void ImputerInputs::expand(const InputMatrix& matrix, std::size_t begin, std::size_t end,
                           float* out) const {
  for (std::size_t row = begin; row < end; ++row, out += width_) {
    const float* const values = matrix.values_of(row);
    const std::uint8_t* const gaps = matrix.gaps_of(row);
    for (std::size_t f = 0; f < inputs_.size(); ++f) {
      const Input& input = inputs_[f];
      float* const at = out + input.begin;
      if (!input.categorical) {
        *at = gaps[f] != 0 ? 0.0F : values[f];
        continue;
      }
      for (std::size_t k = 0; k < input.width; ++k) {
        at[k] = gaps[f] != 0 ? 0.0F : -static_cast<float>(input.shares[k]);
      }
      if (gaps[f] == 0) at[static_cast<std::size_t>(values[f])] += 1.0F;
    }
  }
}

float ImputerInputs::collapse(std::size_t feature, const float* coordinates) const {
  const Input& input = inputs_[feature];
  if (!input.categorical) return *coordinates;
  std::size_t best = 0;
  double best_score = -kInfinity;
  for (std::size_t k = 0; k < input.width; ++k) {
    const double score = input.shares[k] + coordinates[k];
    if (score > best_score) best_score = score, best = k;
  }
  return static_cast<float>(best);
}

}  // namespace knockout
