// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"
#include "knockout/encode/placeholder.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// How columns become numbers.
struct EncodeOptions {
  int max_one_hot = 32;       ///< Categories with more values than this are embedded.
  double clip_stddevs = 6.0;  ///< Z-scores are clipped to +-this; 0 = never clip.
  /// User placeholders in scaled units, "income=20" or "*=10"; "mean" = the mean or mode of the
  /// column (Knockout*).
  std::map<std::string, std::string> placeholders;
  std::map<std::string, std::string> reason_placeholders;
  bool force_placeholders = false;  ///< Allow placeholders inside the support (Knockout* needs it).
};

/// A unit is what is knocked out at once: a column or a whole group. Its inputs are contiguous.
struct Unit {
  std::string name;                    ///< Column or group name.
  std::vector<std::size_t> features;   ///< Positions in Schema::features.
  int begin = 0, width = 0;            ///< Its dense inputs.
  int code_begin = 0, code_count = 0;  ///< Its embedded categories.
  bool never_missing = false;
};

/// A column whose categories are embedded: codes 0..categories-1, then "missing", then "missing for
/// a reason".
struct EmbeddedColumn {
  std::string name;
  int categories = 0;
  int missing_code() const { return categories; }
  int reason_code() const { return categories + 1; }
  int table_rows() const { return categories + 2; }
};

/// Encoded rows: dense values and codes, both row-major.
struct EncodedRows {
  std::size_t rows = 0;
  int width = 0;
  int code_count = 0;
  std::vector<float> values;        ///< rows x width. Gaps already hold their placeholder.
  std::vector<std::int32_t> codes;  ///< rows x code_count.
};

/// What a gap means at prediction, where a caller knows better than the model. Column names, or
/// "all".
struct GapOverrides {
  std::vector<std::string> missing_at_random;
  std::vector<std::string> missing_for_a_reason;
};

/// Turns tables into network inputs. Learned once from training data; applying it learns nothing.
///   Encoder encoder = Encoder::fit(train, schema, {});
///   EncodedRows rows = encoder.encode(test);
class Encoder {
 public:
  /// Learns centres, spreads and placeholders from the observed cells. REQUIRES: `schema` was
  /// inferred from a table with these columns.
  static Encoder fit(const Table& table, const Schema& schema, const EncodeOptions& options = {});

  /// Absent columns are missing. Throws DataError with the line for a word in a continuous column,
  /// an unseen category (unless the schema says otherwise), a value outside its declared range, and
  /// a gap in a never-missing column.
  EncodedRows encode(const Table& table, const GapOverrides& overrides = {}, int threads = 0) const;

  const Schema& schema() const { return schema_; }
  int width() const { return width_; }
  const std::vector<Unit>& units() const { return units_; }
  const std::vector<EmbeddedColumn>& embedded() const { return embedded_; }

  /// The first placeholders: what knocking a unit out writes into its inputs and codes.
  const std::vector<float>& missing_values() const { return missing_values_; }
  const std::vector<std::int32_t>& missing_codes() const { return missing_codes_; }

  /// What a person should hear: placeholders that moved out of the data's range, clipped columns.
  const std::vector<std::string>& notes() const { return notes_; }

  nlohmann::json to_json() const;
  /// Throws ModelFileError on anything unexpected.
  static Encoder from_json(const nlohmann::json& json);

  /// How one feature is scaled and filled, in schema order: for `inspect` and for exports.
  struct FeatureCoding {
    Support support = Support::kRealLine;
    double center =
        0.0;  ///< scaled = (x - center) / spread, then clipped to [clip_low, clip_high].
    double spread = 1.0;  ///< Negative for (-inf, b]: the half line is turned round.
    double clip_low = 0.0, clip_high = 0.0;  ///< Equal = no clipping.
    PlaceholderPair placeholders;            ///< Scaled units; unused by categories.
    int begin = 0,
        width = 0;  ///< Its dense inputs, the reason flag of a one-hot category included.
    int code = -1;  ///< Its embedded column, or -1.
    bool has_reason_flag =
        false;  ///< One-hot categories: the last input is 1 for "missing for a reason".
  };
  const std::vector<FeatureCoding>& coding() const { return coding_; }

 private:
  Schema schema_;
  std::vector<FeatureCoding> coding_;
  std::vector<Unit> units_;
  std::vector<int> reason_flag_of_unit_;  ///< Structured groups: the input that flags "missing for
                                          ///< a reason"; -1 = none.
  std::vector<EmbeddedColumn> embedded_;
  std::vector<float> missing_values_;
  std::vector<std::int32_t> missing_codes_;
  std::vector<std::string> notes_;
  int width_ = 0;
};

}  // namespace knockout
