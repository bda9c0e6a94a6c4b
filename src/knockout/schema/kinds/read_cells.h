// SPDX-License-Identifier: Apache-2.0
// Cells into a matrix: what encoders, imputers and trees share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "knockout/schema/kinds/cell_reader.h"

namespace knockout {

/// labels_for() of every feature. Shared, because they never change.
using FeatureLabels = std::vector<std::shared_ptr<const LabelIndex>>;
FeatureLabels labels_for(const Schema& schema);

/// A reader for every feature. Holds references to all three.
std::vector<CellReader> open_cells(const Table& table, const Schema& schema,
                                   const FeatureLabels& labels);

/// Blocks of rows that stay in cache while all columns are written.
struct RowBlocks {
  /// `width` numbers are written per row.
  RowBlocks(std::size_t all_rows, std::size_t width)
      : rows(all_rows),
        block_rows(std::clamp<std::size_t>(65536 / (width + 1), 64, 8192)),
        count((all_rows + block_rows - 1) / block_rows) {}

  std::size_t begin_of(std::size_t block) const { return block * block_rows; }
  std::size_t end_of(std::size_t block) const { return std::min(rows, (block + 1) * block_rows); }

  std::size_t rows, block_rows, count;
};

/// Reads some rows of a feature. Returns the first bad row, or the block's end.
using ReadBlock = std::function<std::size_t(std::size_t feature, std::size_t block)>;

/// Reads a table column by column within blocks of rows. Throws DataError for a bad cell: of
/// several the first by row and then by feature, whatever the thread count.
void read_in_blocks(const Table& table, const std::vector<CellReader>& readers,
                    const RowBlocks& blocks, int threads, const ReadBlock& read);

/// Throws for the first bad cell. `bad_rows` holds the first bad row of every feature, or any row
/// beyond the table.
void throw_first_bad(const Table& table, const std::vector<CellReader>& readers,
                     const std::vector<std::size_t>& bad_rows);

}  // namespace knockout
