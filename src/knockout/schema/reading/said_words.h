// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/column.h"
#include "knockout/schema/reading/reading_options.h"

namespace knockout {

/// The words that were said to mean missing, or missing for a reason. Words are equal, numbers by
/// value: -999 is also -999.0. A word said to be both is missing for a reason.
class SaidWords {
 public:
  SaidWords(const std::vector<std::string>& missing, const std::vector<std::string>& reason);

  bool empty() const { return states_.empty(); }
  /// Whether a word means missing for a reason.
  bool has_reasons() const { return has_reasons_; }
  bool has_numbers() const { return !number_states_.empty(); }
  /// The gap that a cell stands for; nullopt for a value.
  std::optional<CellState> state_of(std::string_view word) const;
  std::optional<CellState> state_of(double number) const;

 private:
  bool has_reasons_ = false;
  HashMap<std::string, CellState> states_;
  HashMap<double, CellState> number_states_;
};

/// The same by column, since some words mean missing in one column alone.
class SaidWordsByColumn {
 public:
  SaidWordsByColumn(const std::vector<std::string>& missing, const std::vector<std::string>& reason,
                    const std::vector<MissingIn>& missing_in);

  const SaidWords& of(std::string_view column) const;

 private:
  struct OfSome {
    std::string column;  ///< Name or pattern.
    SaidWords said;      ///< Those of all columns too.
  };
  SaidWords everywhere_;
  std::vector<OfSome> of_some_;
};

}  // namespace knockout
