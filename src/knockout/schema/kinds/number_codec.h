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
    float operator()(double reading) const { return static_cast<float>(exact(reading)); }
    double exact(double reading) const {
      const double scaled = (reading - center_) / spread_;
      if (scaled < low_) return low_ - bent(low_ - scaled, room_below_);
      if (scaled > high_) return high_ + bent(scaled - high_, room_above_);
      return scaled;
    }

   private:
    /// How far a value goes into the room beyond a bend: evenly at first, never to its end. Square
    /// roots are rounded alike everywhere, other functions that saturate are not.
    static double bent(double beyond, double room);

    double center_, spread_;
    double low_ = -kLargestScaled, high_ = kLargestScaled;
    double room_below_ = 0.0, room_above_ = 0.0;
  };

  static std::string unreadable_text(const std::string& value, const char* expected,
                                     const char* known_as);
};

}  // namespace knockout
