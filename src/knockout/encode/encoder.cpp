// SPDX-License-Identifier: Apache-2.0
#include "knockout/encode/encoder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/encode/encoder_reading.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

/// Dense inputs of a feature before any flag: the dimension that Table 1 of the paper counts.
int plain_width(const Feature& feature, bool embedded) {
  switch (feature.kind) {
    case ColumnKind::kCategorical:
      return embedded ? 0 : static_cast<int>(feature.categories.size());
    case ColumnKind::kDate:
      return 3;
    case ColumnKind::kContinuous:
      break;
  }
  return 1;
}

/// Inputs of a continuous column or date that only gaps use.
int own_gap_inputs(const Feature& feature, const Encoder::FeatureCoding& coding) {
  if (feature.kind == ColumnKind::kCategorical || coding.gaps_inline || feature.never_missing)
    return 0;
  return coding.learned_reason ? 2 : 1;
}

/// Per feature, what an override says about its gaps; nullopt = nothing.
std::vector<std::optional<bool>> read_overrides(const Schema& schema,
                                                const GapOverrides& overrides) {
  std::vector<std::optional<bool>> for_a_reason(schema.features.size());
  if (overrides.missing_at_random.empty() && overrides.missing_for_a_reason.empty()) {
    return for_a_reason;
  }
  std::unordered_map<std::string_view, std::size_t> position;
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    position[schema.features[f].name] = f;
  }
  const std::vector<std::string> names = schema.feature_names();
  const auto read = [&](const std::vector<std::string>& patterns, const char* where, bool reason) {
    for (const std::string& name : expand_columns(patterns, names, where)) {
      std::optional<bool>& said = for_a_reason[position.at(name)];
      if (said.has_value() && *said != reason) {
        throw ConfigError(
            fmt::format("\"{}\" is named by `missing_at_random` and by "
                        "`missing_for_a_reason`: its gaps cannot be both.",
                        name));
      }
      said = reason;
    }
  };
  read(overrides.missing_at_random, "missing_at_random", false);
  read(overrides.missing_for_a_reason, "missing_for_a_reason", true);
  return for_a_reason;
}

}  // namespace

Support support_of(const Feature& feature) {
  if (feature.lower && feature.upper) return Support::kInterval;
  return feature.lower || feature.upper ? Support::kHalfLine : Support::kRealLine;
}

void Encoder::lay_out() {
  std::unordered_map<std::string_view, std::size_t> unit_of_group;
  units_.clear();
  for (std::size_t f = 0; f < schema_.features.size(); ++f) {
    const Feature& feature = schema_.features[f];
    std::size_t unit = units_.size();
    if (!feature.group.empty()) unit = unit_of_group.emplace(feature.group, unit).first->second;
    if (unit == units_.size()) {
      units_.emplace_back();
      units_.back().name = feature.group.empty() ? feature.name : feature.group;
    }
    units_[unit].features.push_back(f);
    units_[unit].never_missing |= feature.never_missing;
  }

  width_ = 0;
  embedded_.clear();
  for (KnockoutUnit& unit : units_) {
    unit.begin = width_;
    unit.code_begin = static_cast<int>(embedded_.size());
    int dimension = 0;
    bool learned_reason = false;
    for (const std::size_t f : unit.features) {
      dimension += plain_width(schema_.features[f], coding_[f].code >= 0);
      learned_reason |= coding_[f].learned_reason;
    }
    unit.structured =
        !schema_.features[unit.features[0]].group.empty() && dimension > kStructuredDimension;
    for (const std::size_t f : unit.features) {
      const Feature& feature = schema_.features[f];
      FeatureCoding& coding = coding_[f];
      const bool embedded = coding.code >= 0;
      coding.has_reason_flag = feature.kind == ColumnKind::kCategorical && !embedded &&
                               !unit.structured && coding.learned_reason;
      coding.gaps_inline |= unit.structured;
      coding.begin = width_;
      coding.width = plain_width(feature, embedded) + (coding.has_reason_flag ? 1 : 0) +
                     own_gap_inputs(feature, coding);
      width_ += coding.width;
      if (embedded) {
        coding.code = static_cast<int>(embedded_.size());
        embedded_.push_back({feature.name, static_cast<int>(feature.categories.size())});
      }
    }
    if (unit.structured && learned_reason) unit.reason_flag = width_++;
    unit.width = width_ - unit.begin;
    unit.code_count = static_cast<int>(embedded_.size()) - unit.code_begin;
  }
}

std::vector<float> Encoder::gap_inputs(std::size_t feature, bool for_a_reason) const {
  const FeatureCoding& coding = coding_[feature];
  std::vector<float> inputs(static_cast<std::size_t>(coding.width), 0.0F);
  if (inputs.empty()) return inputs;
  if (schema_.features[feature].kind != ColumnKind::kCategorical) {
    if (!coding.gaps_inline) {
      // "Missing" comes right after the value's inputs, "for a reason" last.
      const int own = own_gap_inputs(schema_.features[feature], coding);
      if (own > 0) inputs[inputs.size() - (for_a_reason ? 1 : own)] = kGapInput;
      return inputs;
    }
    const PlaceholderPair& pair = coding.placeholders;
    inputs[0] = static_cast<float>(for_a_reason ? pair.for_a_reason : pair.missing);
    return inputs;
  }
  const int category = for_a_reason ? coding.reason_category : coding.missing_category;
  if (category >= 0) {
    inputs[static_cast<std::size_t>(category)] = 1.0F;
  } else if (for_a_reason && coding.has_reason_flag) {
    inputs.back() = 1.0F;
  }
  return inputs;
}

std::int32_t Encoder::gap_code(std::size_t feature, bool for_a_reason) const {
  const FeatureCoding& coding = coding_[feature];
  if (coding.code < 0) return 0;
  const EmbeddedColumn& column = embedded_[static_cast<std::size_t>(coding.code)];
  const int category = for_a_reason ? coding.reason_category : coding.missing_category;
  if (category >= 0) return category;
  return for_a_reason ? column.reason_code() : column.missing_code();
}

void Encoder::finish() {
  missing_values_.assign(static_cast<std::size_t>(width_), 0.0F);
  missing_codes_.assign(embedded_.size(), 0);
  reason_values_ = missing_values_;
  reason_codes_ = missing_codes_;
  label_indexes_.clear();
  for (std::size_t f = 0; f < coding_.size(); ++f) {
    const Feature& feature = schema_.features[f];
    label_indexes_.push_back(feature.kind == ColumnKind::kCategorical
                                 ? std::make_shared<const LabelIndex>(feature.categories)
                                 : nullptr);
    const std::vector<float> inputs = gap_inputs(f, false);
    const std::vector<float> reason_inputs = gap_inputs(f, coding_[f].learned_reason);
    std::copy(inputs.begin(), inputs.end(), missing_values_.begin() + coding_[f].begin);
    std::copy(reason_inputs.begin(), reason_inputs.end(),
              reason_values_.begin() + coding_[f].begin);
    if (coding_[f].code >= 0) {
      missing_codes_[static_cast<std::size_t>(coding_[f].code)] = gap_code(f, false);
      reason_codes_[static_cast<std::size_t>(coding_[f].code)] =
          gap_code(f, coding_[f].learned_reason);
    }
  }
  // As in encode(): the flag of a group goes up only when all of its columns are gone for a reason.
  for (const KnockoutUnit& unit : units_) {
    const bool all_learned = std::all_of(unit.features.begin(), unit.features.end(),
                                         [&](std::size_t f) { return coding_[f].learned_reason; });
    if (unit.reason_flag >= 0 && all_learned) {
      reason_values_[static_cast<std::size_t>(unit.reason_flag)] = 1.0F;
    }
  }
}

std::vector<Encoder::Reading> Encoder::read_columns(const Table& table,
                                                    const GapOverrides& overrides) const {
  const std::vector<std::optional<bool>> said = read_overrides(schema_, overrides);
  std::unordered_map<std::string_view, const Column*> column_of;
  for (const Column& column : table.columns()) column_of.emplace(column.name(), &column);

  std::vector<Reading> readings;
  readings.reserve(schema_.features.size());
  for (std::size_t f = 0; f < schema_.features.size(); ++f) {
    const Feature& feature = schema_.features[f];
    const auto found = column_of.find(feature.name);
    const Column* const column = found == column_of.end() ? nullptr : found->second;
    if (column == nullptr && feature.never_missing && table.rows() > 0) {
      throw DataError(
          fmt::format("{}: there is no column \"{}\", which was declared never missing "
                      "when the model was fitted.\n"
                      "  Add it, or fit again without {}.",
                      table.source().empty() ? "table" : table.source(), feature.name,
                      field("never_missing", feature.name)));
    }
    const bool policy = column != nullptr && feature.training_gaps == GapMeaning::kForAReason;
    const bool learned = coding_[f].learned_reason;
    readings.push_back({feature,
                        coding_[f],
                        column,
                        FeatureCells(feature, column, label_indexes_[f].get()),
                        {gap_inputs(f, false), gap_inputs(f, true)},
                        {gap_code(f, false), gap_code(f, true)},
                        {0, learned && said[f].value_or(policy), learned}});
  }
  return readings;
}

std::size_t Encoder::encode_feature(const Reading& reading, std::size_t begin, std::size_t end,
                                    EncodedRows& out) const {
  const Feature& feature = reading.feature;
  const FeatureCoding& coding = reading.coding;
  const FeatureCells& cells = reading.cells;
  const bool embedded = coding.code >= 0;
  const std::size_t stride = static_cast<std::size_t>(out.width);
  const std::size_t code_stride = static_cast<std::size_t>(out.code_count);
  // Where the feature's inputs and its code of the current row are.
  std::size_t at = begin * stride + static_cast<std::size_t>(coding.begin);
  std::size_t code_at = begin * code_stride + static_cast<std::size_t>(std::max(coding.code, 0));

  const auto write_gap = [&](std::size_t placeholder) {
    const std::vector<float>& gap = reading.gap_inputs[placeholder];
    for (std::size_t i = 0; i < gap.size(); ++i) out.values[at + i] = gap[i];
    if (embedded) out.codes[code_at] = reading.gap_codes[placeholder];
  };
  // `write_value(row)` writes an observed cell and says whether it could.
  const auto encode_rows = [&](const auto& write_value) {
    for (std::size_t row = begin; row < end; ++row, at += stride, code_at += code_stride) {
      const CellState state = cells.state(row);
      if (state == CellState::kObserved) {
        if (!write_value(row)) return row;
      } else if (feature.never_missing) {
        return row;
      } else {
        write_gap(reading.placeholder_of_state[static_cast<std::size_t>(state)]);
      }
    }
    return end;
  };

  if (feature.kind == ColumnKind::kCategorical) {
    const bool unseen_is_missing =
        schema_.unseen_category == UnseenCategory::kMissing && !feature.never_missing;
    return encode_rows([&](std::size_t row) {
      const int category = cells.category(row);
      if (category < 0) {
        if (unseen_is_missing) write_gap(0);  // it says nothing about why: not informative
        return unseen_is_missing;
      }
      if (embedded) {
        out.codes[code_at] = category;
      } else {
        out.values[at + static_cast<std::size_t>(category)] = 1.0F;
      }
      return true;
    });
  }

  const bool clips = coding.clip_low < coding.clip_high;
  const double low = clips ? coding.clip_low : -kLargestScaled;
  const double high = clips ? coding.clip_high : kLargestScaled;
  const auto write_number = [&](std::size_t row) {
    const double number = cells.number(row);
    if (!cells.accepts(number)) return false;
    const double scaled = std::clamp((number - coding.center) / coding.spread, low, high);
    out.values[at] = static_cast<float>(scaled);
    return true;
  };
  if (feature.kind == ColumnKind::kContinuous) return encode_rows(write_number);
  return encode_rows([&](std::size_t row) {
    if (!write_number(row)) return false;
    out.values[at + 1] = cells.season(row)[0];
    out.values[at + 2] = cells.season(row)[1];
    return true;
  });
}

std::optional<Encoder::BadCell> Encoder::encode_block(const std::vector<Reading>& readings,
                                                      std::size_t begin, std::size_t end,
                                                      EncodedRows& out) const {
  std::optional<BadCell> first;
  for (std::size_t f = 0; f < readings.size(); ++f) {
    const std::size_t bad = encode_feature(readings[f], begin, end, out);
    if (bad < end && (!first || bad < first->row)) first = BadCell{bad, f};
  }
  for (const KnockoutUnit& unit : units_) {
    if (unit.reason_flag < 0) continue;
    for (std::size_t row = begin; row < end; ++row) {
      const bool flagged =
          std::all_of(unit.features.begin(), unit.features.end(), [&](std::size_t f) {
            const auto state = static_cast<std::size_t>(readings[f].cells.state(row));
            return readings[f].placeholder_of_state[state] == 1;
          });
      out.values[row * static_cast<std::size_t>(width_) +
                 static_cast<std::size_t>(unit.reason_flag)] = flagged ? 1.0F : 0.0F;
    }
  }
  return first;
}

EncodedRows Encoder::encode(const Table& table, const GapOverrides& overrides, int threads) const {
  const std::vector<Reading> readings = read_columns(table, overrides);
  EncodedRows out;
  out.rows = table.rows();
  out.width = width_;
  out.code_count = static_cast<int>(embedded_.size());
  out.values.resize(out.rows * static_cast<std::size_t>(out.width));
  out.codes.resize(out.rows * static_cast<std::size_t>(out.code_count));

  // Column by column within blocks of rows that stay in cache while all columns are written.
  const std::size_t block_rows =
      std::clamp<std::size_t>(65536 / (static_cast<std::size_t>(width_) + 1), 64, 8192);
  const std::size_t blocks = (out.rows + block_rows - 1) / block_rows;
  std::vector<std::optional<BadCell>> bad_cells(blocks);
  parallel_for(blocks, threads, [&](std::size_t block) {
    const std::size_t begin = block * block_rows;
    const std::size_t end = std::min(begin + block_rows, out.rows);
    bad_cells[block] = encode_block(readings, begin, end, out);
  });
  for (const std::optional<BadCell>& bad : bad_cells) {
    if (bad) {
      const Reading& reading = readings[bad->feature];
      throw_bad_cell(table, reading.feature, *reading.column, bad->row);
    }
  }
  return out;
}

}  // namespace knockout
