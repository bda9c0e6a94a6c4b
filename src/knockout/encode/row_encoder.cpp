// SPDX-License-Identifier: Apache-2.0
#include "knockout/encode/row_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "knockout/schema/kinds/read_cells.h"

namespace knockout {
namespace {

/// A gap in a column that can take any number, or any known category, later on.
Column usual_column(const Feature& feature) {
  if (feature.categories.empty()) return Column::missing(feature.name, 1);
  return Column::coded(feature.name, {-1}, feature.categories);
}

}  // namespace

RowEncoder::RowEncoder(const Encoder& encoder)
    : encoder_(encoder), usual_(encoder.schema().features.size(), true) {
  std::vector<Column> columns;
  for (const Feature& feature : encoder.schema().features) {
    columns.push_back(usual_column(feature));
  }
  row_ = Table(std::move(columns), "", 1);
  cells_ = open_cells(row_, encoder.schema(), encoder.labels_);
  gaps_ = encoder.gaps_in(cells_, {});
  encoded_ = encoder.empty_rows(1);
}

void RowEncoder::replace(Column column) {
  row_.replace_column(std::move(column));
  cells_ = open_cells(row_, encoder_.schema(), encoder_.labels_);
}

bool RowEncoder::set_category(std::size_t feature, int category) {
  if (category < 0) return false;
  if (!usual_[feature]) replace(usual_column(encoder_.schema().features[feature]));
  usual_[feature] = true;
  row_.set_code(0, feature, category);
  return true;
}

void RowEncoder::set(std::size_t feature, double number) {
  if (!std::isfinite(number)) {
    set_missing(feature, state_of_number(number));
    return;
  }
  const Feature& known = encoder_.schema().features[feature];
  const LabelIndex* const labels = encoder_.labels_[feature].get();
  if (labels == nullptr) {
    if (!usual_[feature]) replace(usual_column(known));
    usual_[feature] = true;
    row_.set_number(0, feature, number);
  } else if (!set_category(feature, labels->find(number))) {
    usual_[feature] = false;
    replace(Column::numbers(known.name, {number}));
  }
}

void RowEncoder::set(std::size_t feature, std::string_view word) {
  const LabelIndex* const labels = encoder_.labels_[feature].get();
  if (labels != nullptr && set_category(feature, labels->find(word))) return;
  usual_[feature] = false;
  replace(Column::words(encoder_.schema().features[feature].name, {std::string(word)}));
}

void RowEncoder::set_missing(std::size_t feature, CellState state) {
  row_.set_missing(0, feature, state);
}

void RowEncoder::clear() {
  for (std::size_t f = 0; f < usual_.size(); ++f) row_.set_missing(0, f);
}

const EncodedRows& RowEncoder::encode() {
  std::fill(encoded_.values.begin(), encoded_.values.end(), 0.0F);
  for (std::size_t f = 0; f < cells_.size(); ++f) {
    if (encoder_.encode_feature(f, cells_[f], gaps_[f], 0, 1, encoded_) == 0) {
      throw_bad_cell(row_, cells_[f], 0);
    }
  }
  encoder_.write_group_flags(cells_, gaps_, 0, 1, encoded_);
  return encoded_;
}

}  // namespace knockout
