// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/input_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include "knockout/base/parallel.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/impute/column_writer.h"
#include "knockout/impute/number_sums.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Starting threads costs more than reading a small table.
int worthwhile_threads(std::size_t cells, int threads) {
  constexpr std::size_t kCells = 200000;
  return cells < kCells ? 1 : threads;
}

/// Whether all numbers of a column with these extremes may be used; there may be none.
bool accepts_all(const CellReader& cells, double lowest, double highest) {
  return lowest > highest || (cells.accepts(lowest) && cells.accepts(highest));
}

}  // namespace

ImputerInputs::ImputerInputs(const Schema& schema) : schema_(schema), labels_(labels_for(schema)) {
  for (const Feature& feature : schema_.features) {
    Input input;
    input.categorical = codec_of(feature).is_choice();
    input.begin = width_;
    input.width = input.categorical ? feature.categories.size() : 1;
    width_ += input.width;
    inputs_.push_back(std::move(input));
  }
}

ImputerInputs ImputerInputs::fit(const Table& train, const Schema& schema, int threads) {
  ImputerInputs space(schema);
  const std::vector<CellReader> cells = open_cells(train, space.schema_, space.labels_);
  std::vector<std::size_t> bad_rows(cells.size());
  parallel_for(cells.size(), worthwhile_threads(train.rows() * cells.size(), threads),
               [&](std::size_t f) { bad_rows[f] = space.learn(f, cells[f], train.rows()); });
  throw_first_bad(train, cells, bad_rows);
  return space;
}

/// Learns one input. Returns the first row that it cannot use, or `rows`.
std::size_t ImputerInputs::learn(std::size_t feature, const CellReader& cells, std::size_t rows) {
  Input& input = inputs_[feature];
  const auto ignore_gap = [](std::size_t, CellState) {};
  if (input.categorical) {
    std::vector<double> counts(input.width, 0.0);
    const std::size_t end = cells.visit(
        0, rows, rules(),
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
  if (cells.is_plain()) sums = sums_of(*cells.column());
  if (!cells.is_plain() || !accepts_all(cells, sums.lowest, sums.highest)) {
    sums = {};
    end = cells.visit(
        0, rows, rules(), [&](std::size_t, double number) { sums.add(number); }, ignore_gap);
  }
  const Feature& declared = schema_.features[feature];
  if (sums.count == 0) {
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
  std::tie(input.lowest, input.highest) =
      codec_of(declared).fillable_range(declared, sums.lowest, sums.highest);
  return end;
}

InputMatrix ImputerInputs::read(const Table& table, int threads) const {
  const std::vector<CellReader> cells = open_cells(table, schema_, labels_);
  InputMatrix out;
  out.rows = table.rows();
  out.features = inputs_.size();
  out.values.resize(out.rows * out.features);
  out.gaps.resize(out.rows * out.features);
  out.gap_counts.resize(out.features);

  const RowBlocks blocks(out.rows, out.features);
  std::vector<std::size_t> gap_counts(blocks.count * out.features);
  const auto read_block = [&](std::size_t f, std::size_t block) {
    const Input& input = inputs_[f];
    float* const values = out.values.data() + f;
    std::uint8_t* const gaps = out.gaps.data() + f;
    std::size_t& gap_count = gap_counts[block * out.features + f];
    return cells[f].visit(
        blocks.begin_of(block), blocks.end_of(block), rules(),
        [&](std::size_t row, double reading) {
          const double scaled = (reading - input.mean) / input.stddev;
          values[row * out.features] =
              static_cast<float>(std::clamp(scaled, -kLargestScaled, kLargestScaled));
        },
        [&](std::size_t row, CellState) {
          gaps[row * out.features] = 1;
          ++gap_count;
        });
  };
  read_in_blocks(table, cells, blocks, worthwhile_threads(out.values.size(), threads), read_block);
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
  HashMap<std::string_view, std::size_t> index_of;
  for (std::size_t c = 0; c < columns.size(); ++c) index_of.emplace(columns[c].name(), c);
  parallel_for(inputs_.size(), worthwhile_threads(table.rows() * inputs_.size(), threads),
               [&](std::size_t f) {
                 const Feature& feature = schema_.features[f];
                 ColumnWriter writer(feature, inputs_[f], labels_[f].get(),
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
  const std::vector<CellReader> cells = open_cells(table, schema_, labels_);
  std::vector<std::size_t> bad_rows(inputs_.size());
  Table filled = filled_copy(table, threads, [&](std::size_t f, ColumnWriter& writer) {
    const Input& input = inputs_[f];
    const Feature& feature = schema_.features[f];
    if (cells[f].is_plain() && !feature.lower && !feature.upper) {
      writer.write_mean();
      bad_rows[f] = table.rows();
      return;
    }
    const float value = input.categorical ? static_cast<float>(input.mode) : 0.0F;
    bad_rows[f] = cells[f].visit(
        0, table.rows(), rules(), [](std::size_t, double) {},
        [&](std::size_t row, CellState) { writer.write(row, value); });
  });
  throw_first_bad(table, cells, bad_rows);
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
