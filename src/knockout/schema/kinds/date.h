// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/schema/kinds/number_codec.h"

namespace knockout {

/// ISO dates, perhaps with a time: the days since 1970, the season and, where training showed more
/// than one of them, the weekday and the time of day. All but the first are cycles: two inputs
/// each.
class DateCodec : public NumberCodec {
 public:
  ColumnKind kind() const override { return ColumnKind::kDate; }
  std::string_view name() const override { return "date"; }
  std::string counted(std::size_t columns) const override;
  std::string_view phrase() const override { return "a date"; }

  bool looks_like(const Column& column, const ColumnProfile& profile) const override;

  bool reads_numbers() const override { return false; }
  double read_word(std::string_view word) const override;
  /// Sines and cosines of season, weekday and time.
  void add_details(double reading, std::vector<float>& details) const override;
  std::string fault_of(const std::string& value, double reading,
                       const Feature& feature) const override;

  ScaledRange fit(const Feature& feature, std::span<const double> readings,
                  const CodingOptions& options, FeatureCoding& coding) const override;
  int value_inputs(const Feature& feature, const FeatureCoding& coding) const override;
  std::size_t encode(const FeatureCoding& coding, const CellReader& cells,
                     const FeatureBlock& out) const override;

  /// The calendar ends somewhere: nothing is filled in beyond what training showed.
  std::pair<double, double> fillable_range(const Feature& feature, double lowest,
                                           double highest) const override;
  bool writes_numbers(const Feature& feature, const Column& column) const override;
  std::string word_of(const Feature& feature, double reading) const override;  ///< An ISO day.

  void summarise(const Column& column, const Feature* feature,
                 ColumnSummary& summary) const override;
};

}  // namespace knockout
