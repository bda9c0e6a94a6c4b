// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/schema/kinds/label_codec.h"

namespace knockout {

/// Categories with an order, the lowest first: none, mild, severe. N levels are N - 1 thresholds:
/// input j is 1 where the level is at least j + 1. The network need not learn the order, and what
/// it learns of one step it can use for all above.
class OrderedCodec : public LabelCodec {
 public:
  ColumnKind kind() const override { return ColumnKind::kOrdered; }
  std::string_view name() const override { return "ordered"; }
  std::size_t least_categories() const override { return 2; }

  /// Throws ConfigError for levels that are no order.
  std::vector<KindRequest> requests(const SchemaOptions& options) const override;
  /// Only on request: no column shows its order.
  bool looks_like(const Column& column, const ColumnProfile& profile) const override;
  void describe(const InferredColumn& found, Feature& feature,
                std::vector<Note>& notes) const override;

  ScaledRange fit(const Feature& feature, std::span<const double> readings,
                  const CodingOptions& options, FeatureCoding& coding) const override;
  Support support(const Feature& feature) const override;
  int value_inputs(const Feature& feature, const FeatureCoding& coding) const override;
  /// Inline, every threshold takes the placeholder.
  void write_gap(const Feature& feature, const FeatureCoding& coding, GapKind kind,
                 std::span<float> inputs) const override;
  std::size_t encode(const FeatureCoding& coding, const CellReader& cells,
                     const FeatureBlock& out) const override;

  std::pair<double, double> fillable_range(const Feature& feature, double lowest,
                                           double highest) const override;

  /// Every level in its order.
  void summarise(const Column& column, const Feature* feature,
                 ColumnSummary& summary) const override;
  std::string_view scaling_text(const FeatureCoding& coding) const override;

 protected:
  std::string unknown_text(const std::string& value) const override;
};

}  // namespace knockout
