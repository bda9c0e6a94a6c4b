// SPDX-License-Identifier: Apache-2.0
// A model's way to try many missing patterns on the same rows, whatever its learners.
#include <algorithm>

#include "knockout/base/seeded_hash.h"
#include "knockout/model/model.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

/// Predictions made before they are handed over, in numbers: enough work for all threads.
constexpr std::size_t kGroupValues = std::size_t{1} << 20;

/// What hiding a pattern's columns overwrites.
struct Overwrites {
  struct InputRange {
    int begin, width;
  };
  std::vector<InputRange> inputs;
  std::vector<int> codes;
  /// Part of a group with a flag for "missing as a whole" is hidden. Whether the flag stays up
  /// depends on the other cells of each row, so such a pattern is encoded anew.
  bool encodes_anew = false;
};

class OverwriteFinder {
 public:
  explicit OverwriteFinder(const Encoder& encoder) : encoder_(encoder) {
    const auto& features = encoder.schema().features;
    for (std::size_t f = 0; f < features.size(); ++f) position_[features[f].name] = f;
  }

  Overwrites find(const MissingPattern& pattern) const {
    Overwrites found;
    std::vector<bool> hidden(position_.size(), false);
    for (const std::string& column : pattern.columns) {
      const std::size_t f = position_.at(column);
      if (hidden[f]) continue;
      hidden[f] = true;
      const Encoder::FeatureCoding& coding = encoder_.coding()[f];
      if (coding.width > 0) found.inputs.push_back({coding.begin, coding.width});
      if (coding.code >= 0) found.codes.push_back(coding.code);
    }
    for (const KnockoutUnit& unit : encoder_.units()) {
      if (unit.reason_flag < 0 && unit.said_flag < 0) continue;
      const auto gone = std::count_if(unit.features.begin(), unit.features.end(),
                                      [&](std::size_t f) { return hidden[f]; });
      const bool whole = gone == static_cast<std::ptrdiff_t>(unit.features.size());
      for (const int flag : {unit.reason_flag, unit.said_flag}) {
        if (whole && flag >= 0) found.inputs.push_back({flag, 1});
      }
      found.encodes_anew |= gone > 0 && !whole;
    }
    return found;
  }

 private:
  const Encoder& encoder_;
  HashMap<std::string_view, std::size_t> position_;
};

/// One row in which every column that may be missing is. It is the table's first row, because a
/// column that is never missing needs a value, and because a column that the table lacks must stay
/// absent: its gaps may look different.
EncodedRows encode_nothing(const Encoder& encoder, const Table& table,
                           const GapOverrides& overrides) {
  std::vector<std::string> hidden;
  for (const Feature& feature : encoder.schema().features) {
    if (!feature.never_missing) hidden.push_back(feature.name);
  }
  return encoder.encode(hide_columns(table.take_rows({0}), hidden), overrides);
}

std::vector<TargetPrediction> rows_of(const std::vector<TargetPrediction>& predictions,
                                      std::size_t first, std::size_t rows) {
  std::vector<TargetPrediction> part;
  for (const TargetPrediction& prediction : predictions) {
    const double* const begin = prediction.values.data() + first * prediction.width();
    part.push_back({prediction.target, {begin, begin + rows * prediction.width()}});
  }
  return part;
}

}  // namespace

void Model::predict_patterns(const Table& given, std::span<const MissingPattern> patterns,
                             const PatternReceiver& receive, const GapOverrides& overrides,
                             int threads) const {
  require_whole();
  check_patterns(patterns);
  Table room;
  const Table& table = read_as(schema(), given, room, threads);
  const EncodedRows encoded = encoder_.encode(table, overrides, threads);
  const std::size_t rows = encoded.rows;
  if (rows == 0) {
    Predictor::predict_patterns(table, patterns, receive, overrides, threads);
    return;
  }
  const EncodedRows gaps = encode_nothing(encoder_, table, overrides);
  std::vector<Overwrites> overwrites;
  const OverwriteFinder finder(encoder_);
  for (const MissingPattern& pattern : patterns) overwrites.push_back(finder.find(pattern));

  std::size_t width = 0;
  for (const TargetCoding& coding : targets_) width += coding.answer_width();
  const std::size_t group_limit = std::max<std::size_t>(1, kGroupValues / (rows * width));
  for (std::size_t begin = 0, end = 0; begin < patterns.size(); begin = end) {
    end = begin + 1;
    if (overwrites[begin].encodes_anew) {
      receive(begin, predict(hide_columns(table, patterns[begin].columns), overrides, threads));
      continue;
    }
    while (end < patterns.size() && end - begin < group_limit && !overwrites[end].encodes_anew) {
      ++end;
    }
    const auto hide = [&](std::size_t first, int count, EncodedRows& buffer) -> EncodedBlock {
      const auto inputs = static_cast<std::size_t>(encoded.width);
      const auto codes = static_cast<std::size_t>(encoded.code_count);
      buffer.values.resize(count * inputs);
      buffer.codes.resize(count * codes);
      for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
        const std::size_t from = (first + r) % rows;
        float* const values = buffer.values.data() + r * inputs;
        std::copy_n(encoded.values.data() + from * inputs, inputs, values);
        std::copy_n(encoded.codes.data() + from * codes, codes, buffer.codes.data() + r * codes);
        const Overwrites& hidden = overwrites[begin + (first + r) / rows];
        for (const Overwrites::InputRange& range : hidden.inputs) {
          std::copy_n(gaps.values.data() + range.begin, range.width, values + range.begin);
        }
        for (const int code : hidden.codes) {
          buffer.codes[r * codes + code] = gaps.codes[static_cast<std::size_t>(code)];
        }
      }
      return {.rows = count, .values = buffer.values.data(), .codes = buffer.codes.data()};
    };
    const auto predictions = predict_blocks((end - begin) * rows, hide, threads);
    for (std::size_t p = begin; p < end; ++p) {
      receive(p, rows_of(predictions, (p - begin) * rows, rows));
    }
  }
}

}  // namespace knockout
