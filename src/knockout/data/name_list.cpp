// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/name_list.h"

#include <algorithm>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/csv_reader.h"

namespace knockout {

NameList::NameList(const std::vector<std::string>& words, const std::vector<std::string>& columns) {
  if (words.empty()) return;
  const HashSet<std::string_view> known(columns.begin(), columns.end());
  for (const std::string& word : words) {
    if (known.contains(word)) {
      names_.insert(word);
    } else if (word.find('*') != std::string::npos) {
      patterns_.push_back(word);
    }
  }
}

bool NameList::contains(std::string_view name) const {
  return names_.contains(name) ||
         std::any_of(patterns_.begin(), patterns_.end(),
                     [&](std::string_view pattern) { return matches_pattern(name, pattern); });
}

}  // namespace knockout
