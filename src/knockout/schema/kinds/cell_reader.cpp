// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/cell_reader.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/option.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {

std::shared_ptr<const LabelIndex> labels_for(const Feature& feature) {
  if (!codec_of(feature).has_categories()) return nullptr;
  return std::make_shared<const LabelIndex>(feature.categories);
}

CellReader::CellReader(const Feature& feature, const Column* column, const LabelIndex* labels)
    : feature_(&feature),
      column_(column),
      labels_(labels),
      is_text_(column != nullptr && column->is_text()),
      reads_numbers_(codec_of(feature).reads_numbers()),
      lower_(labels != nullptr ? 0.0
                               : feature.lower.value_or(std::numeric_limits<double>::lowest())),
      upper_(feature.upper.value_or(std::numeric_limits<double>::max())) {
  if (!is_text_) return;
  const ColumnCodec& codec = codec_of(feature);
  word_readings_.reserve(column->words().size());
  for (const std::string& word : column->words()) {
    word_readings_.push_back(labels != nullptr ? reading_of_label(labels->find(word))
                                               : codec.read_word(word));
    codec.add_details(word_readings_.back(), word_details_);
  }
  if (!word_readings_.empty()) detail_count_ = word_details_.size() / word_readings_.size();
}

void throw_bad_cell(const Table& table, const CellReader& cells, std::size_t row) {
  const Feature& feature = cells.feature();
  const Column& column = *cells.column();
  const std::string where = fmt::format("{}, column \"{}\"", table.where(row), feature.name);
  if (!column.observed(row)) {
    throw DataError(
        fmt::format("{}: the cell is empty, but the column was declared never missing "
                    "when the model was fitted.\n"
                    "  Fill it in, or fit again without {}.",
                    where, field("never_missing", feature.name)));
  }
  const std::string value =
      column.is_text() ? column.word(row) : label_of_number(column.number(row));
  throw DataError(
      fmt::format("{}: {}", where, codec_of(feature).fault_of(value, cells.reading(row), feature)));
}

}  // namespace knockout
