// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/data/column.h"

namespace knockout {

/// A column that holds the same as an earlier one.
struct DuplicateColumn {
  const Column* column = nullptr;
  const Column* earlier = nullptr;
  bool renamed = false;  ///< Other values, one for each of the earlier column's: yes/no and 1/0.
};

/// The columns that have the same gaps and values as an earlier one, in the order given. Columns of
/// few rows agree by chance and are no duplicates. Linear in the cells.
std::vector<DuplicateColumn> find_duplicates(const std::vector<const Column*>& columns);

}  // namespace knockout
