// SPDX-License-Identifier: Apache-2.0
#include "knockout/encode/row_encoder.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "knockout/encode/encoder_reading.h"

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
  readings_ = encoder.read_columns(row_, {});
  encoded_.rows = 1;
  encoded_.width = encoder.width();
  encoded_.code_count = static_cast<int>(encoder.embedded().size());
  encoded_.values.resize(static_cast<std::size_t>(encoded_.width));
  encoded_.codes.resize(static_cast<std::size_t>(encoded_.code_count));
}

RowEncoder::~RowEncoder() = default;
RowEncoder::RowEncoder(RowEncoder&&) noexcept = default;

void RowEncoder::replace(Column column) {
  row_.replace_column(std::move(column));
  readings_ = encoder_.read_columns(row_, {});
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
    set_missing(feature, std::isnan(number) ? CellState::kMissing : CellState::kMissingForAReason);
    return;
  }
  const Feature& known = encoder_.schema().features[feature];
  const LabelIndex* const labels = encoder_.label_indexes_[feature].get();
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
  const LabelIndex* const labels = encoder_.label_indexes_[feature].get();
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
  const std::optional<Encoder::BadCell> bad = encoder_.encode_block(readings_, 0, 1, encoded_);
  if (bad) {
    const Encoder::Reading& reading = readings_[bad->feature];
    throw_bad_cell(row_, reading.feature, *reading.column, bad->row);
  }
  return encoded_;
}

}  // namespace knockout
