// SPDX-License-Identifier: Apache-2.0
#include "knockout/encode/encoder.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

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
      dimension += codec_of(schema_.features[f]).value_inputs(schema_.features[f], coding_[f]);
      learned_reason |= coding_[f].learned_reason;
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
        embedded_.push_back({feature.name, static_cast<int>(feature.categories.size())});
      }
    }
    if (unit.structured && learned_reason) unit.reason_flag = width_++;
    unit.width = width_ - unit.begin;
    unit.code_count = static_cast<int>(embedded_.size()) - unit.code_begin;
  }
}

std::vector<float> Encoder::gap_inputs(std::size_t feature, bool for_a_reason) const {
  std::vector<float> inputs(static_cast<std::size_t>(coding_[feature].width), 0.0F);
  codec_of(schema_.features[feature])
      .write_gap(schema_.features[feature], coding_[feature], for_a_reason, inputs);
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
  labels_ = labels_for(schema_);
  for (std::size_t f = 0; f < coding_.size(); ++f) {
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

std::vector<GapInputs> Encoder::gaps_in(const std::vector<CellReader>& cells,
                                        const GapOverrides& overrides) const {
  const std::vector<std::optional<bool>> said = read_overrides(schema_, overrides);
  std::vector<GapInputs> gaps;
  gaps.reserve(cells.size());
  for (std::size_t f = 0; f < cells.size(); ++f) {
    const bool policy = cells[f].column() != nullptr &&
                        schema_.features[f].training_gaps == GapMeaning::kForAReason;
    const bool learned = coding_[f].learned_reason;
    gaps.push_back({.values = {gap_inputs(f, false), gap_inputs(f, true)},
                    .codes = {gap_code(f, false), gap_code(f, true)},
                    // An unseen category says nothing about why: the first, as for kObserved.
                    .placeholder_of_state = {0, learned && said[f].value_or(policy), learned}});
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

void Encoder::write_reason_flags(const std::vector<CellReader>& cells,
                                 const std::vector<GapInputs>& gaps, std::size_t begin,
                                 std::size_t end, EncodedRows& out) const {
  for (const KnockoutUnit& unit : units_) {
    if (unit.reason_flag < 0) continue;
    for (std::size_t row = begin; row < end; ++row) {
      const bool flagged =
          std::all_of(unit.features.begin(), unit.features.end(), [&](std::size_t f) {
            const auto state = static_cast<std::size_t>(cells[f].state(row));
            return gaps[f].placeholder_of_state[state] == 1;
          });
      out.values[row * static_cast<std::size_t>(width_) +
                 static_cast<std::size_t>(unit.reason_flag)] = flagged ? 1.0F : 0.0F;
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
    write_reason_flags(cells, gaps, blocks.begin_of(block), blocks.end_of(block), out);
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
