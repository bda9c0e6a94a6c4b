// SPDX-License-Identifier: Apache-2.0
// For tests: words with counts from a list of cells.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knockout/schema/reading/word_counts.h"
#include "knockout/schema/test_columns.h"

namespace knockout::test {

/// The words of a column and what they look at.
class CountedCells {
 public:
  explicit CountedCells(const std::vector<std::string>& cells)
      : column_(words("x", cells)), counts_(count_words(column_)) {}

  const std::vector<WordCount>& counts() const { return counts_; }

 private:
  Column column_;
  std::vector<WordCount> counts_;
};

/// `count` cells made by a function of their number.
template <typename Make>
std::vector<std::string> many(int count, Make make) {
  std::vector<std::string> cells;
  for (int i = 0; i < count; ++i) cells.push_back(make(i));
  return cells;
}

inline std::vector<std::string> joined(std::vector<std::string> a,
                                       const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace knockout::test
