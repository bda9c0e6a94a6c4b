// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

/// What kinds share whose cells are one of a list of words: Feature::categories. The reading of a
/// cell is its position in the list.
class LabelCodec : public ColumnCodec {
 public:
  std::string fault_of(const std::string& value, double reading,
                       const Feature& feature) const override;

  /// As numbers where the column holds numbers and every category is one.
  bool writes_numbers(const Feature& feature, const Column& column) const override;
  double number_of(const Feature& feature, double reading) const override;
  std::string word_of(const Feature& feature, double reading) const override;

 protected:
  /// Why a value that is none of the categories is bad: "the category \"x\" was never seen".
  virtual std::string unknown_text(const std::string& value) const = 0;
  /// The most frequent position; of several, the first.
  static int mode_of(std::span<const double> readings, std::size_t categories);
  /// The category nearest to a reading.
  static std::size_t nearest(const Feature& feature, double reading);
};

}  // namespace knockout
