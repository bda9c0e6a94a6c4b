// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/option.h"
#include "knockout/data/table.h"
#include "knockout/schema/feature_coding.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/schema.h"

namespace knockout {

class CellReader;
struct GapInputs;

/// The column's mean, or its most frequent category: the placeholder of Knockout*.
struct ColumnMean {
  bool operator==(const ColumnMean&) const = default;
};
/// What stands for a gap: a number in scaled units, or the mean.
using Placeholder = std::variant<double, ColumnMean>;
/// By column name or pattern; a column's own name wins over a pattern.
using Placeholders = std::map<std::string, Placeholder>;
void to_json(nlohmann::json& json, const Placeholder& placeholder);

/// How columns become numbers.
struct EncodeOptions {
  int max_one_hot = 32;  ///< Categories with more values than this are embedded.
  /// Categories in fewer training rows share one level. On public tables it helps those in one row;
  /// of two rows, the network learns something already.
  int rare_rows = 2;
  /// Absent = robust, but Z-scores where gaps are numbers on the column's own axis, as in the
  /// paper.
  std::optional<Scaling> scaling = {};
  /// Scaled values stay within +-this; absent = anywhere.
  std::optional<double> clip_stddevs = 6.0;
  /// How a gap of a continuous column looks. False: the value's input is 0 and an input of its own
  /// says "missing", another "missing for a reason": a placeholder outside the support because it
  /// lies on another axis. True: the paper's form, a number on the value's own axis (10 and -10 for
  /// Z-scores). There, the network bends between the data and the placeholder, and values beyond
  /// the training range are answered as if half missing: on the paper's MNAR simulation the error
  /// with nothing missing is eight times higher.
  bool inline_placeholders = false;
  /// Columns that have one of their own take the inline form.
  Placeholders placeholders = {};
  /// Absent where the other one is the mean: the mean too (Knockout* has one placeholder).
  Placeholders reason_placeholders = {};
  /// Allow placeholders inside the support (Knockout* needs it). Structured groups need no force:
  /// their mean is itself improbable.
  bool force_placeholders = false;
};

constexpr auto descriptions_of(const EncodeOptions*) {
  using E = EncodeOptions;
  constexpr std::string_view kCoding = "How columns become numbers";
  return std::tuple(
      option(&E::inline_placeholders,
             {.name = "inline_placeholders",
              .help = "A gap is a number that data never take, on the column's own axis, as in the "
                      "paper. By default a gap has an input of its own",
              .group = kCoding}),
      option(&E::placeholders,
             {.name = "placeholders",
              .value = "COL=VALUE",
              .help = "What stands for \"missing\", on the column's own axis in scaled units; mean "
                      "= the mean or mode",
              .group = kCoding,
              .unsaid = "the paper's",
              .flag = "placeholder"}),
      option(&E::reason_placeholders, {.name = "reason_placeholders",
                                       .value = "COL=VALUE",
                                       .help = "What stands for \"missing for a reason\"",
                                       .group = kCoding,
                                       .unsaid = "the paper's; mean where the other is",
                                       .flag = "reason-placeholder"}),
      option(&E::force_placeholders, {.name = "force_placeholders",
                                      .help = "Allow placeholders that real data take",
                                      .group = kCoding}),
      option(&E::max_one_hot, {.name = "max_one_hot",
                               .value = "N",
                               .help = "Columns of more categories than this are embedded",
                               .group = kCoding,
                               .range = {.low = 0}}),
      option(&E::rare_rows, {.name = "rare_rows",
                             .value = "N",
                             .help = "Categories that fewer rows than this have share one level",
                             .group = kCoding,
                             .range = {.low = 0}}),
      option(&E::scaling,
             {.name = "scaling",
              .value = "robust|zscore|none",
              .help = "How numbers are scaled. robust: by mean and standard deviation or, where "
                      "outliers make up most of it, by median and quartiles with the tails "
                      "squashed; zscore: always by mean and standard deviation; none: they are "
                      "scaled already",
              .group = kCoding,
              .unsaid = "robust; zscore where placeholders are inline"}),
      option(&E::clip_stddevs,
             {.name = "clip_stddevs",
              .value = "N",
              .help = "Scaled values stay within so many standard deviations; absent = anywhere",
              .range = {.low = 0, .low_excluded = true}}));
}

/// A unit is what is knocked out at once: a column or a whole group. Its inputs are contiguous.
struct KnockoutUnit {
  std::string name;                    ///< Column or group name.
  std::vector<std::size_t> features;   ///< Positions in Schema::features.
  int begin = 0, width = 0;            ///< Its dense inputs.
  int code_begin = 0, code_count = 0;  ///< Its embedded categories.
  bool never_missing = false;
  bool structured = false;  ///< A group of more than kStructuredDimension inputs: gaps are zeros.
  /// Structured: the inputs that are 1 when the whole group is missing for an unknown cause, and
  /// when all of it is said to be for a reason; -1 = none, training showed no such gap.
  int reason_flag = -1, said_flag = -1;
};

/// A column whose categories are embedded: codes 0..levels-1, then one for each kind of gap.
struct EmbeddedColumn {
  std::string name;
  int levels = 0;              ///< The categories; rare ones are one level.
  bool has_said_code = false;  ///< Where training showed gaps said to be for a reason.
  int gap_code(GapKind kind) const { return levels + static_cast<int>(kind); }
  int table_rows() const { return levels + 2 + (has_said_code ? 1 : 0); }
};

/// Encoded rows: dense values and codes, both row-major.
struct EncodedRows {
  std::size_t rows = 0;
  int width = 0;
  int code_count = 0;
  std::vector<float> values;        ///< rows x width, all finite. Gaps hold their placeholder.
  std::vector<std::int32_t> codes;  ///< rows x code_count.
};

/// What a gap means at prediction, where a caller knows better than the model. Column names,
/// patterns, or "all". A cell that says itself that it is missing for a reason is believed first.
struct GapOverrides {
  std::vector<std::string> missing_at_random = {};
  std::vector<std::string> missing_for_a_reason = {};
};

constexpr auto descriptions_of(const GapOverrides*) {
  using G = GapOverrides;
  constexpr std::string_view kGaps = "What gaps mean (the model knows, unless said here)";
  return std::tuple(
      option(&G::missing_at_random, {.name = "missing_at_random",
                                     .value = "COLS",
                                     .help = "Columns whose gaps say nothing here, or all",
                                     .group = kGaps,
                                     .unsaid = "none",
                                     .learned = Learned::kNo}),
      option(&G::missing_for_a_reason,
             {.name = "missing_for_a_reason",
              .value = "COLS",
              .help = "Columns whose gaps mean what they meant in the training data, or all",
              .group = kGaps,
              .unsaid = "none",
              .learned = Learned::kNo}));
}

/// Turns tables into network inputs. Learned once from training data; applying it learns nothing.
///   Encoder encoder = Encoder::fit(train, schema, {});
///   EncodedRows rows = encoder.encode(test);
class Encoder {
 public:
  /// Learns centres, spreads and placeholders from the observed cells. REQUIRES: `schema` was
  /// inferred from a table with these columns. Throws ConfigError for placeholders that cannot be
  /// told from data, DataError for cells that contradict the schema.
  static Encoder fit(const Table& table, const Schema& schema, const EncodeOptions& options = {});

  /// Absent columns are missing. Throws DataError with the line for a word in a continuous column,
  /// an unseen category (unless the schema says otherwise), a value outside its declared range, and
  /// a gap in a never-missing column: of several, the first by row, whatever the thread count.
  ///
  /// A gap that is said to be for a reason (by the cell or by an override) takes the third
  /// placeholder, one of a column whose training gaps were of unknown cause the second, every other
  /// the first. Where training showed no gap that is said to be for a reason, one counts as of
  /// unknown cause; where it showed none of these either, as at random. An unseen category that
  /// counts as missing takes the first. Overrides that name a column twice are a ConfigError.
  EncodedRows encode(const Table& table, const GapOverrides& overrides = {}, int threads = 0) const;

  const Schema& schema() const { return schema_; }
  /// What encode() does from now on with a category that training never saw.
  void set_unseen_category(UnseenCategory policy) { schema_.unseen_category = policy; }
  int width() const { return width_; }
  /// In the order of their first feature.
  const std::vector<KnockoutUnit>& units() const { return units_; }
  const std::vector<EmbeddedColumn>& embedded() const { return embedded_; }

  /// The first placeholders: what knocking a unit out writes into its inputs and codes.
  const std::vector<float>& missing_values() const { return missing_values_; }
  const std::vector<std::int32_t>& missing_codes() const { return missing_codes_; }
  /// The second placeholders, where training showed gaps of unknown cause; elsewhere the first.
  /// Knocked-out units take either of these, never the third.
  const std::vector<float>& reason_values() const { return reason_values_; }
  const std::vector<std::int32_t>& reason_codes() const { return reason_codes_; }

  /// What a person should hear: placeholders that moved out of the data's range, values far out,
  /// rare categories.
  const std::vector<std::string>& notes() const { return notes_; }

  nlohmann::json to_json() const;
  /// Throws ModelFileError on anything unexpected. What it returns encodes bit for bit as the
  /// encoder that was saved.
  static Encoder from_json(const nlohmann::json& json);

  using FeatureCoding = knockout::FeatureCoding;
  /// How the features are scaled and filled, in schema order: for `inspect` and for exports.
  const std::vector<FeatureCoding>& coding() const { return coding_; }

 private:
  friend class RowEncoder;

  /// Gives every feature its inputs and codes. REQUIRES: `learned_reason` is set, and `code` is -1
  /// for columns that are not embedded.
  void lay_out();
  /// Derives what is not stored: what gaps write and labels_.
  void finish();
  /// What a gap of a feature writes into its inputs, and into its code.
  std::vector<float> gap_inputs(std::size_t feature, GapKind kind) const;
  std::int32_t gap_code(std::size_t feature, GapKind kind) const;

  /// What gaps of every feature write, where a table is encoded.
  std::vector<GapInputs> gaps_in(const std::vector<CellReader>& cells,
                                 const GapOverrides& overrides) const;
  EncodedRows empty_rows(std::size_t rows) const;
  /// Encodes rows [begin, end) of one feature. Returns the first bad row, or `end`.
  std::size_t encode_feature(std::size_t feature, const CellReader& cells, const GapInputs& gaps,
                             std::size_t begin, std::size_t end, EncodedRows& out) const;
  /// Raises the flags of structured groups that are missing as a whole, in rows [begin, end).
  void write_group_flags(const std::vector<CellReader>& cells, const std::vector<GapInputs>& gaps,
                         std::size_t begin, std::size_t end, EncodedRows& out) const;

  Schema schema_;
  std::vector<FeatureCoding> coding_;
  std::vector<KnockoutUnit> units_;
  std::vector<EmbeddedColumn> embedded_;
  std::vector<float> missing_values_;
  std::vector<std::int32_t> missing_codes_;
  std::vector<float> reason_values_;
  std::vector<std::int32_t> reason_codes_;
  std::vector<std::shared_ptr<const LabelIndex>> labels_;  ///< One per feature.
  std::vector<std::string> notes_;
  int width_ = 0;
};

}  // namespace knockout
