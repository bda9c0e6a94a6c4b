// SPDX-License-Identifier: Apache-2.0
#include "knockout/encode/encoder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/kinds/read_cells.h"

namespace knockout {
namespace {

/// Per feature, what an override says about its gaps; nullopt = nothing.
std::vector<std::optional<GapKind>> read_overrides(const Schema& schema,
                                                   const GapOverrides& overrides) {
  std::vector<std::optional<GapKind>> kinds(schema.features.size());
  if (overrides.missing_at_random.empty() && overrides.missing_for_a_reason.empty()) return kinds;
  HashMap<std::string_view, std::size_t> position;
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    position[schema.features[f].name] = f;
  }
  const std::vector<std::string> names = schema.feature_names();
  const auto read = [&](const std::vector<std::string>& patterns, const char* where, GapKind kind) {
    for (const std::string& name : expand_columns(patterns, names, where)) {
      std::optional<GapKind>& said = kinds[position.at(name)];
      if (said.has_value() && *said != kind) {
        throw ConfigError(
            fmt::format("\"{}\" is named by `missing_at_random` and by "
                        "`missing_for_a_reason`: its gaps cannot be both.",
                        name));
      }
      said = kind;
    }
  };
  read(overrides.missing_at_random, "missing_at_random", GapKind::kAtRandom);
  read(overrides.missing_for_a_reason, "missing_for_a_reason", GapKind::kSaid);
  return kinds;
}

/// Throws DataError for a table without a column that it may not lack.
void refuse_absence_of(const Table& table, const Feature& feature) {
  if (!feature.never_missing || table.rows() == 0) return;
  throw DataError(
      fmt::format("{}: there is no column \"{}\", which was declared never missing "
                  "when the model was fitted.\n"
                  "  Add it, or fit again without {}.",
                  table.source().empty() ? "table" : table.source(), feature.name,
                  field("never_missing", feature.name)));
}

}  // namespace

void Encoder::lay_out() {
  HashMap<std::string_view, std::size_t> unit_of_group;
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
    bool learned_reason = false, learned_said = true;
    for (const std::size_t f : unit.features) {
      dimension += codec_of(schema_.features[f]).value_inputs(schema_.features[f], coding_[f]);
      learned_reason |= coding_[f].learned_reason;
      learned_said &= coding_[f].learned_any_said();
    }
    unit.structured =
        !schema_.features[unit.features[0]].group.empty() && dimension > kStructuredDimension;
    for (const std::size_t f : unit.features) {
      const Feature& feature = schema_.features[f];
      FeatureCoding& coding = coding_[f];
      coding.gaps_inline |= unit.structured;
      coding.begin = width_;
      codec_of(feature).lay_out(feature, unit.structured, coding);
      width_ += coding.width;
      if (coding.code >= 0) {
        coding.code = static_cast<int>(embedded_.size());
        embedded_.push_back(
            {feature.name, coding.levels(feature.categories.size()), coding.learned_said});
      }
    }
    if (unit.structured && learned_reason) unit.reason_flag = width_++;
    if (unit.structured && learned_said) unit.said_flag = width_++;
    unit.width = width_ - unit.begin;
    unit.code_count = static_cast<int>(embedded_.size()) - unit.code_begin;
  }
}

std::vector<float> Encoder::gap_inputs(std::size_t feature, GapKind kind) const {
  const FeatureCoding& coding = coding_[feature];
  std::vector<float> inputs(static_cast<std::size_t>(coding.width), 0.0F);
  codec_of(schema_.features[feature])
      .write_gap(schema_.features[feature], coding, coding.known_as(kind), inputs);
  return inputs;
}

std::int32_t Encoder::gap_code(std::size_t feature, GapKind kind) const {
  const FeatureCoding& coding = coding_[feature];
  if (coding.code < 0) return 0;
  const EmbeddedColumn& column = embedded_[static_cast<std::size_t>(coding.code)];
  const GapKind known = coding.known_as(kind);
  const int category = coding.category_of(known);
  if (category < 0) return column.gap_code(known);
  return coding.level_of(category, schema_.features[feature].categories.size());
}

void Encoder::finish() {
  missing_values_.assign(static_cast<std::size_t>(width_), 0.0F);
  missing_codes_.assign(embedded_.size(), 0);
  reason_values_ = missing_values_;
  reason_codes_ = missing_codes_;
  labels_ = labels_for(schema_);
  for (std::size_t f = 0; f < coding_.size(); ++f) {
    const std::vector<float> inputs = gap_inputs(f, GapKind::kAtRandom);
    const std::vector<float> reason_inputs = gap_inputs(f, GapKind::kUnknownCause);
    std::copy(inputs.begin(), inputs.end(), missing_values_.begin() + coding_[f].begin);
    std::copy(reason_inputs.begin(), reason_inputs.end(),
              reason_values_.begin() + coding_[f].begin);
    if (coding_[f].code >= 0) {
      const auto code = static_cast<std::size_t>(coding_[f].code);
      missing_codes_[code] = gap_code(f, GapKind::kAtRandom);
      reason_codes_[code] = gap_code(f, GapKind::kUnknownCause);
    }
  }
  // As in encode(): the flag of a group goes up only when all of its columns have such gaps.
  for (const KnockoutUnit& unit : units_) {
    const bool all_learned = std::all_of(unit.features.begin(), unit.features.end(),
                                         [&](std::size_t f) { return coding_[f].learned_reason; });
    if (unit.reason_flag >= 0 && all_learned) {
      reason_values_[static_cast<std::size_t>(unit.reason_flag)] = 1.0F;
    }
  }
}

std::vector<GapInputs> Encoder::gaps_in(const std::vector<CellReader>& cells,
                                        const GapOverrides& overrides) const {
  const std::vector<std::optional<GapKind>> said = read_overrides(schema_, overrides);
  std::vector<GapInputs> gaps;
  gaps.reserve(cells.size());
  for (std::size_t f = 0; f < cells.size(); ++f) {
    const bool unknown = cells[f].column() != nullptr &&
                         schema_.features[f].training_gaps == GapMeaning::kForAReason;
    const GapKind usual = unknown ? GapKind::kUnknownCause : GapKind::kAtRandom;
    GapInputs& inputs = gaps.emplace_back();
    // An unseen category, which is observed, says nothing about why: the first.
    inputs.kind_of_state = {GapKind::kAtRandom, coding_[f].known_as(said[f].value_or(usual)),
                            coding_[f].known_as(GapKind::kSaid),
                            coding_[f].known_as(GapKind::kBelow),
                            coding_[f].known_as(GapKind::kAbove)};
    for (std::size_t k = 0; k < kGapKinds; ++k) {
      inputs.values[k] = gap_inputs(f, static_cast<GapKind>(k));
      inputs.codes[k] = gap_code(f, static_cast<GapKind>(k));
    }
  }
  return gaps;
}

std::size_t Encoder::encode_feature(std::size_t feature, const CellReader& cells,
                                    const GapInputs& gaps, std::size_t begin, std::size_t end,
                                    EncodedRows& out) const {
  const Feature& known = schema_.features[feature];
  const FeatureCoding& coding = coding_[feature];
  const bool unseen_is_missing = schema_.unseen_category == UnseenCategory::kMissing;
  return codec_of(known).encode(
      coding, cells,
      {.begin = begin,
       .end = end,
       .rules = {.refuse_gaps = known.never_missing,
                 .unseen_is_missing = unseen_is_missing && !known.never_missing},
       .gaps = gaps,
       .values = out.values.data() + coding.begin,
       .stride = static_cast<std::size_t>(out.width),
       .codes = coding.code < 0 ? nullptr : out.codes.data() + coding.code,
       .code_stride = static_cast<std::size_t>(out.code_count)});
}

void Encoder::write_group_flags(const std::vector<CellReader>& cells,
                                const std::vector<GapInputs>& gaps, std::size_t begin,
                                std::size_t end, EncodedRows& out) const {
  for (const KnockoutUnit& unit : units_) {
    if (unit.reason_flag < 0 && unit.said_flag < 0) continue;
    for (std::size_t row = begin; row < end; ++row) {
      bool all_inform = true, all_said = true;
      for (const std::size_t f : unit.features) {
        const GapKind kind = gaps[f].kind_of(cells[f].state(row));
        all_inform &= kind != GapKind::kAtRandom;
        all_said &= kind >= GapKind::kSaid;
      }
      float* const inputs = out.values.data() + row * static_cast<std::size_t>(width_);
      if (unit.reason_flag >= 0) inputs[unit.reason_flag] = all_inform && !all_said ? 1.0F : 0.0F;
      if (unit.said_flag >= 0) inputs[unit.said_flag] = all_said ? 1.0F : 0.0F;
    }
  }
}

EncodedRows Encoder::encode(const Table& table, const GapOverrides& overrides, int threads) const {
  const std::vector<CellReader> cells = open_cells(table, schema_, labels_);
  for (const CellReader& reader : cells) {
    if (reader.column() == nullptr) refuse_absence_of(table, reader.feature());
  }
  const std::vector<GapInputs> gaps = gaps_in(cells, overrides);
  EncodedRows out = empty_rows(table.rows());

  const RowBlocks blocks(out.rows, static_cast<std::size_t>(width_));
  read_in_blocks(table, cells, blocks, threads, [&](std::size_t f, std::size_t block) {
    return encode_feature(f, cells[f], gaps[f], blocks.begin_of(block), blocks.end_of(block), out);
  });
  parallel_for(blocks.count, threads, [&](std::size_t block) {
    write_group_flags(cells, gaps, blocks.begin_of(block), blocks.end_of(block), out);
  });
  return out;
}

EncodedRows Encoder::empty_rows(std::size_t rows) const {
  EncodedRows out;
  out.rows = rows;
  out.width = width_;
  out.code_count = static_cast<int>(embedded_.size());
  out.values.resize(rows * static_cast<std::size_t>(out.width));
  out.codes.resize(rows * static_cast<std::size_t>(out.code_count));
  return out;
}

}  // namespace knockout
