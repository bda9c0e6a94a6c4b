// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/seeded_hash.h"

namespace knockout {

/// The finite number that the whole word spells ("-3", "+1.5e3"), or nullopt.
std::optional<double> parse_number(std::string_view word);

/// The shortest text that reads back as the same number: how a number is written when it is used as
/// a label.
std::string label_of_number(double number);

/// The same for sentences: with six digits where the number has more behind the point.
std::string shown_number(double number);

/// Sorts categories or classes: numbers by value, then words by their bytes.
void sort_labels(std::vector<std::string>& labels);

/// Position in `labels` of a word as a person or another program may have written it: the same text
/// or, where both are numbers, the same number ("1.0" is "1"). -1 when it is none of them.
int find_label(const std::vector<std::string>& labels, std::string_view word);

/// find_label for many words: built once, then constant time.
class LabelIndex {
 public:
  explicit LabelIndex(std::vector<std::string> labels);
  LabelIndex(LabelIndex&&) = default;  // a copy would look at the original's labels

  int find(std::string_view word) const;  ///< As find_label.
  int find(double number) const;          ///< The label that is this number, or -1.

 private:
  std::vector<std::string> labels_;  ///< Owns what by_text_ looks at.
  HashMap<std::string_view, int> by_text_;
  HashMap<double, int> by_number_;
};

/// A range in a sentence: "0:5", "of 5 or more" and "up to 5" where one side is open.
std::string range_phrase(std::optional<double> lower, std::optional<double> upper);

}  // namespace knockout
