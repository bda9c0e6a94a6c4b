// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/base/stage.h"
#include "knockout/base/wording.h"
#include "knockout/impute/imputer.h"
#include "knockout/impute/imputer_arrays.h"
#include "knockout/impute/input_matrix.h"
#include "knockout/model/sealed_file.h"

namespace knockout {

inline constexpr SealedFormat kImputerFormat = {
    .name = "knockout-imputer",
    .version = 1,
    .thing = "imputer",
    .origin = "An imputer is what Imputer::save wrote.",
    .remedy = "Fit the imputer again, or restore the file from a copy."};

/// What all imputers share: how the inputs looked in training, and the way into a file.
class FittedImputer : public Imputer {
 public:
  std::string to_bytes() const final;

 protected:
  explicit FittedImputer(ImputerInputs space) : space_(std::move(space)) {}
  virtual ImputerKind kind() const = 0;
  /// What the file says of it besides its inputs, an object; adds its arrays.
  virtual nlohmann::json write(ImputerArrays& arrays) const = 0;

  const ImputerInputs space_;
};

/// An imputer that works on numbers: all but the simplest.
class MatrixImputer : public FittedImputer {
 public:
  Table apply(const Table& table, int threads) const final {
    const Stage stage("filling the gaps of " + plural(table.rows(), "row"));
    InputMatrix inputs = space_.read(table, threads);
    fill(inputs, threads);
    return space_.write(table, inputs, threads);
  }

 protected:
  using FittedImputer::FittedImputer;
  /// Writes into the values of every gap, each row by itself; leaves `gaps` as it is.
  virtual void fill(InputMatrix& inputs, int threads) const = 0;
};

/// Where an imputer is read from: its part of a file, which nobody has checked yet.
struct ImputerSource {
  ImputerInputs space;
  const nlohmann::json& json;  ///< What write() returned.
  ImputerArrays& arrays;       ///< What is used of it is taken out.
};

}  // namespace knockout
