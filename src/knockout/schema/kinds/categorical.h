// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/schema/kinds/label_codec.h"

namespace knockout {

/// One of a list of names. Few are one-hot, many are embedded. Those that hardly occur share a
/// level.
class CategoricalCodec : public LabelCodec {
 public:
  ColumnKind kind() const override { return ColumnKind::kCategorical; }
  std::string_view name() const override { return "categorical"; }
  std::size_t least_categories() const override { return 1; }
  bool is_choice() const override { return true; }

  std::vector<KindRequest> requests(const SchemaOptions& options) const override;
  std::optional<Task> task_of_target() const override { return Task::kClassification; }
  bool looks_like(const Column& column, const ColumnProfile& profile) const override;
  std::optional<RowNames> row_names(const Column& column,
                                    const ColumnProfile& profile) const override;
  void describe(const InferredColumn& found, Feature& feature,
                std::vector<Note>& notes) const override;

  ScaledRange fit(const Feature& feature, std::span<const double> readings,
                  const CodingOptions& options, FeatureCoding& coding) const override;
  int value_inputs(const Feature& feature, const FeatureCoding& coding) const override;
  bool can_be_embedded() const override { return true; }
  bool takes_placeholder_numbers() const override { return false; }
  void lay_out(const Feature& feature, bool structured, FeatureCoding& coding) const override;
  void write_gap(const Feature& feature, const FeatureCoding& coding, GapKind kind,
                 std::span<float> inputs) const override;
  std::size_t encode(const FeatureCoding& coding, const CellReader& cells,
                     const FeatureBlock& out) const override;

  void summarise(const Column& column, const Feature* feature,
                 ColumnSummary& summary) const override;

 protected:
  std::string unknown_text(const std::string& value) const override;
};

}  // namespace knockout
