// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/feature_coding.h"
#include "knockout/schema/kinds/cell_reader.h"
#include "knockout/schema/schema.h"

namespace knockout {

struct ColumnProfile;
struct ColumnRequest;
struct ColumnSummary;
struct RowNames;
struct SchemaOptions;

/// Columns that an option says are of a kind.
struct KindRequest {
  std::string column;                    ///< A name or a pattern.
  std::vector<std::string> levels = {};  ///< Kinds with an order: lowest first.
};

/// An input column whose kind was just found.
struct InferredColumn {
  const Table& table;
  const Column& column;
  const ColumnRequest& request;
  const ColumnProfile& profile;

  /// "file.csv:118, column \"age\"".
  std::string at(std::size_t row) const;
};

/// What the placeholders of a feature write, by GapKind, and which of them a gap takes.
struct GapInputs {
  std::array<std::vector<float>, kGapKinds> values;
  std::array<std::int32_t, kGapKinds> codes = {};
  std::array<GapKind, kCellStates> kind_of_state = {};  ///< By CellState.

  GapKind kind_of(CellState state) const { return kind_of_state[static_cast<std::size_t>(state)]; }
};

/// Rows [begin, end) of a matrix and where a feature stands in them.
struct FeatureBlock {
  std::size_t begin = 0, end = 0;
  GapRules rules;
  const GapInputs& gaps;
  float* values = nullptr;  ///< The feature's first input in row 0.
  std::size_t stride = 0;
  std::int32_t* codes = nullptr;  ///< Its code in row 0; nullptr unless it is embedded.
  std::size_t code_stride = 0;

  float* values_of(std::size_t row) const { return values + row * stride; }
  void write_gap(std::size_t row, CellState state) const {
    const auto placeholder = static_cast<std::size_t>(gaps.kind_of(state));
    float* const out = values_of(row);
    const std::vector<float>& gap = gaps.values[placeholder];
    for (std::size_t i = 0; i < gap.size(); ++i) out[i] = gap[i];
    if (codes != nullptr) codes[row * code_stride] = gaps.codes[placeholder];
  }
};

/// All that depends on the kind of a column. A codec has no state: what differs between columns of
/// a kind stands in their Feature and FeatureCoding. The defaults suit a kind whose cells are one
/// number each. Thread-safe.
class ColumnCodec {
 public:
  virtual ~ColumnCodec() = default;

  virtual ColumnKind kind() const = 0;
  /// Shown, and part of the model format: never change one. Where options can say that a column is
  /// of this kind, the option has the same name.
  virtual std::string_view name() const = 0;
  /// "2 dates": so many columns of this kind.
  virtual std::string counted(std::size_t columns) const;

  // --- what it has ---

  /// The fewest categories that make sense; 0 = a feature of this kind has none.
  virtual std::size_t least_categories() const { return 0; }
  bool has_categories() const { return least_categories() > 0; }
  /// Whether a range of possible values can be declared.
  virtual bool takes_range() const { return false; }
  /// Whether a cell is a choice among categories without an order, and not a number. Imputers vote
  /// for a choice, trees and density models have an indicator for each.
  virtual bool is_choice() const { return false; }

  // --- asked for and inferred ---

  /// The columns that options say are of this kind.
  virtual std::vector<KindRequest> requests(const SchemaOptions& options) const;
  /// What a target is that is said to be of this kind; absent = this kind is for inputs only.
  virtual std::optional<Task> task_of_target() const { return std::nullopt; }
  /// Whether a column that is said to be of this kind becomes one, or what it looks like.
  virtual bool keeps_request(const Column& column, const ColumnProfile& profile) const;
  /// Whether a column of which nothing is said is of this kind. At most one kind says yes.
  virtual bool looks_like(const Column& column, const ColumnProfile& profile) const = 0;
  /// Why a column of this kind names rows rather than describes them; absent = it does not.
  virtual std::optional<RowNames> row_names(const Column& column,
                                            const ColumnProfile& profile) const;
  /// Whether the values may be codes for categories, taken for amounts.
  virtual bool may_be_codes(const ColumnProfile& profile) const;
  /// Fills in what the kind needs to know. Throws DataError for cells that are not of this kind.
  virtual void describe(const InferredColumn& found, Feature& feature,
                        std::vector<Note>& notes) const;

  // --- read ---

  /// Whether the cells of a file are best read as numbers; otherwise as words.
  virtual bool wants_numbers() const { return false; }
  /// Whether a column of numbers can be read at all.
  virtual bool reads_numbers() const { return true; }
  /// The reading of a word, or kUnreadable. Kinds with categories need none.
  virtual double read_word(std::string_view word) const;
  /// Appends what else encode() needs of a word: equally many numbers for every word.
  virtual void add_details(double reading, std::vector<float>& details) const;
  /// What is wrong with an observed cell that CellReader::accepts() refuses, and how to mend it:
  /// the text of the DataError after the place.
  virtual std::string fault_of(const std::string& value, double reading,
                               const Feature& feature) const = 0;

  // --- scaled and encoded ---

  /// Learns how readings are scaled. The placeholders come later, when the groups are known.
  virtual ScaledRange fit(const Feature& feature, std::span<const double> readings,
                          const CodingOptions& options, FeatureCoding& coding) const = 0;
  /// Which of the paper's rules scales it.
  virtual Support support(const Feature& feature) const;
  /// Dense inputs of an observed cell: the dimension that Table 1 of the paper counts.
  virtual int value_inputs(const Feature& feature, const FeatureCoding& coding) const;
  virtual bool can_be_embedded() const { return false; }
  /// Whether a placeholder is a number on the value's axis that a user may choose.
  virtual bool takes_placeholder_numbers() const { return true; }
  /// Sets `width` and the flags. `structured`: within a group that has its own flag.
  virtual void lay_out(const Feature& feature, bool structured, FeatureCoding& coding) const;
  /// What a gap writes. REQUIRES: `inputs` are `coding.width` zeros, and the coding knows `kind`
  /// (FeatureCoding::known_as).
  virtual void write_gap(const Feature& feature, const FeatureCoding& coding, GapKind kind,
                         std::span<float> inputs) const;
  /// Encodes some rows. Returns the first bad row, or the block's end.
  virtual std::size_t encode(const FeatureCoding& coding, const CellReader& cells,
                             const FeatureBlock& out) const = 0;

  // --- imputed into ---

  /// Nothing beyond is filled in. `lowest` and `highest` are the readings that training showed.
  virtual std::pair<double, double> fillable_range(const Feature& feature, double lowest,
                                                   double highest) const;
  /// Whether filled cells of this column are written as numbers; otherwise as words.
  virtual bool writes_numbers(const Feature& feature, const Column& column) const = 0;
  /// A filled reading as the number or the word that stands for it.
  virtual double number_of(const Feature& feature, double reading) const;
  virtual std::string word_of(const Feature& feature, double reading) const = 0;

  // --- shown ---

  /// Adds what a person wants to see of the values. `feature` is nullptr for a column that is no
  /// input.
  virtual void summarise(const Column& column, const Feature* feature,
                         ColumnSummary& summary) const = 0;
  /// How values are scaled: "Z-score".
  virtual std::string_view scaling_text(const FeatureCoding& coding) const;
  /// What it is, in a sentence: "is {a date}".
  virtual std::string_view phrase() const { return name(); }

 protected:
  static std::vector<KindRequest> requests_for(const std::vector<std::string>& columns);
  /// Inputs that only gaps use.
  static int own_gap_inputs(const Feature& feature, const FeatureCoding& coding);
};

}  // namespace knockout
