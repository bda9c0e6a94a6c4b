// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

/// What kinds share whose readings are scaled as one number.
class NumberCodec : public ColumnCodec {
 public:
  ScaledRange fit(const Feature& feature, std::span<const double> readings,
                  const CodingOptions& options, FeatureCoding& coding) const override;
  std::size_t encode(const FeatureCoding& coding, const CellReader& cells,
                     const FeatureBlock& out) const override;

 protected:
  /// Scales readings as a coding says.
  class Scaler {
   public:
    explicit Scaler(const FeatureCoding& coding);
    float operator()(double reading) const {
      const double scaled = (reading - center_) / spread_;
      return static_cast<float>(scaled < low_ ? low_ : scaled > high_ ? high_ : scaled);
    }

   private:
    double center_, spread_, low_, high_;
  };

  static std::string unreadable_text(const std::string& value, const char* expected,
                                     const char* known_as);
};

}  // namespace knockout
