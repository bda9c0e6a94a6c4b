// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/tree_inputs.h"

#include <algorithm>
#include <limits>

#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

constexpr float kGap = std::numeric_limits<float>::quiet_NaN();

bool all_zero(const float* numbers, std::size_t count) {
  return std::all_of(numbers, numbers + count, [](float number) { return number == 0.0F; });
}

}  // namespace

TreeInputs::TreeInputs(const Encoder& encoder) : width_(static_cast<std::size_t>(encoder.width())) {
  const Schema& schema = encoder.schema();
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    const FeatureCoding& coding = encoder.coding()[f];
    if (coding.width == 0) continue;  // embedded
    const ColumnCodec& codec = codec_of(schema.features[f]);
    Source source{.begin = static_cast<std::size_t>(coding.begin)};
    source.values = static_cast<std::size_t>(codec.value_inputs(schema.features[f], coding));
    source.gap_inputs = static_cast<std::size_t>(coding.width) - source.values;
    source.zeros_are_a_gap = codec.is_choice() && coding.missing_category < 0;
    // What only says "missing at random" adds nothing to the NaN.
    for (std::size_t i = source.begin + source.values; i < source.begin + coding.width; ++i) {
      if (encoder.missing_values()[i] == 0.0F) source.kept.push_back(i);
    }
    columns_ += static_cast<int>(source.values + source.kept.size());
    sources_.push_back(std::move(source));
  }
  for (const KnockoutUnit& unit : encoder.units()) {
    for (const int flag : {unit.reason_flag, unit.said_flag}) {
      if (flag >= 0) group_flags_.push_back(static_cast<std::size_t>(flag));
    }
  }
  for (const EmbeddedColumn& column : encoder.embedded()) levels_.push_back(column.levels);
  // An embedded category has a number, and another that tells the kinds of gaps apart.
  columns_ += static_cast<int>(group_flags_.size() + 2 * levels_.size());
}

void TreeInputs::write(const EncodedBlock& block, const LevelNumbers& numbers, float* out) const {
  for (int row = 0; row < block.rows; ++row) {
    const float* const inputs = block.values + static_cast<std::size_t>(row) * width_;
    for (const Source& source : sources_) {
      const float* const values = inputs + source.begin;
      const bool is_gap = !all_zero(values + source.values, source.gap_inputs) ||
                          (source.zeros_are_a_gap && all_zero(values, source.values));
      if (is_gap) {
        out = std::fill_n(out, source.values, kGap);
      } else {
        out = std::copy_n(values, source.values, out);
      }
      for (const std::size_t flag : source.kept) *out++ = inputs[flag];
    }
    for (const std::size_t flag : group_flags_) *out++ = inputs[flag];
    for (std::size_t c = 0; c < levels_.size(); ++c) {
      const std::int32_t code = block.codes[static_cast<std::size_t>(row) * levels_.size() + c];
      const bool is_gap = code >= levels_[c];
      *out++ = is_gap ? kGap : numbers[c][static_cast<std::size_t>(code)];
      *out++ = is_gap ? static_cast<float>(code - levels_[c]) : 0.0F;  // 0 = at random, too
    }
  }
}

}  // namespace knockout
