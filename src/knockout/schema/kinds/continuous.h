// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/schema/kinds/number_codec.h"

namespace knockout {

/// Amounts: numbers, perhaps of a declared range.
class ContinuousCodec : public NumberCodec {
 public:
  ColumnKind kind() const override { return ColumnKind::kContinuous; }
  std::string_view name() const override { return "continuous"; }
  bool takes_range() const override { return true; }

  std::vector<KindRequest> requests(const SchemaOptions& options) const override;
  std::optional<Task> task_of_target() const override { return Task::kRegression; }
  /// Dates that are said to be continuous stay dates, which are continuous too.
  bool keeps_request(const Column& column, const ColumnProfile& profile) const override;
  bool looks_like(const Column& column, const ColumnProfile& profile) const override;
  std::optional<RowNames> row_names(const Column& column,
                                    const ColumnProfile& profile) const override;
  bool may_be_codes(const ColumnProfile& profile) const override;
  void describe(const InferredColumn& found, Feature& feature,
                std::vector<Note>& notes) const override;

  bool wants_numbers() const override { return true; }
  double read_word(std::string_view word) const override;
  std::string fault_of(const std::string& value, double reading,
                       const Feature& feature) const override;

  bool writes_numbers(const Feature& feature, const Column& column) const override;
  std::string word_of(const Feature& feature, double reading) const override;

  void summarise(const Column& column, const Feature* feature,
                 ColumnSummary& summary) const override;
};

}  // namespace knockout
