// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/read_cells.h"

#include <limits>
#include <string_view>

#include "knockout/base/parallel.h"
#include "knockout/base/seeded_hash.h"

namespace knockout {

FeatureLabels labels_for(const Schema& schema) {
  FeatureLabels labels;
  labels.reserve(schema.features.size());
  for (const Feature& feature : schema.features) labels.push_back(labels_for(feature));
  return labels;
}

std::vector<CellReader> open_cells(const Table& table, const Schema& schema,
                                   const FeatureLabels& labels) {
  HashMap<std::string_view, const Column*> column_of;
  for (const Column& column : table.columns()) column_of.emplace(column.name(), &column);
  std::vector<CellReader> readers;
  readers.reserve(schema.features.size());
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    const auto found = column_of.find(schema.features[f].name);
    const Column* const column = found == column_of.end() ? nullptr : found->second;
    readers.emplace_back(schema.features[f], column, labels[f].get());
  }
  return readers;
}

void read_in_blocks(const Table& table, const std::vector<CellReader>& readers,
                    const RowBlocks& blocks, int threads, const ReadBlock& read) {
  struct BadCell {
    std::size_t row = std::numeric_limits<std::size_t>::max(), feature = 0;
  };
  std::vector<BadCell> bad_cells(blocks.count);
  parallel_for(blocks.count, threads, [&](std::size_t block) {
    for (std::size_t f = 0; f < readers.size(); ++f) {
      const std::size_t row = read(f, block);
      if (row < blocks.end_of(block) && row < bad_cells[block].row) bad_cells[block] = {row, f};
    }
  });
  for (const BadCell& bad : bad_cells) {
    if (bad.row < blocks.rows) throw_bad_cell(table, readers[bad.feature], bad.row);
  }
}

void throw_first_bad(const Table& table, const std::vector<CellReader>& readers,
                     const std::vector<std::size_t>& bad_rows) {
  const auto bad = std::min_element(bad_rows.begin(), bad_rows.end());
  if (bad == bad_rows.end() || *bad >= table.rows()) return;
  throw_bad_cell(table, readers[static_cast<std::size_t>(bad - bad_rows.begin())], *bad);
}

}  // namespace knockout
