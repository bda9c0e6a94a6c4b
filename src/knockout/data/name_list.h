// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/seeded_hash.h"

namespace knockout {

/// A list of column names as the user gives it. A word that is the name of a column means that
/// column alone, whatever stars it contains; another word with a star is a pattern. Refers to the
/// words, which must outlive it.
class NameList {
 public:
  NameList(const std::vector<std::string>& words, const std::vector<std::string>& columns);
  bool contains(std::string_view name) const;

 private:
  HashSet<std::string_view> names_;
  std::vector<std::string_view> patterns_;
};

}  // namespace knockout
