// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_list.h"

#include <algorithm>
#include <string_view>

#include "knockout/base/seeded_hash.h"

namespace knockout {
namespace {

void add_trimmed(std::vector<std::string>& items, std::string_view item) {
  const std::size_t begin = item.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return;  // as in "age,bmi,"
  const std::size_t end = item.find_last_not_of(" \t") + 1;
  items.emplace_back(item.substr(begin, end - begin));
}

}  // namespace

std::vector<std::string> split_column_list(const std::vector<std::string>& lists,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> items;
  // One list is looked for quicker than names are indexed.
  HashSet<std::string_view> known;
  if (lists.size() > 1) known.insert(names.begin(), names.end());
  const auto is_name = [&](const std::string& list) {
    return lists.size() > 1 ? known.contains(list)
                            : std::find(names.begin(), names.end(), list) != names.end();
  };
  for (const std::string& list : lists) {
    if (is_name(list)) {
      items.push_back(list);
      continue;
    }
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      add_trimmed(items, std::string_view(list).substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return items;
}

std::vector<std::string> split_assignments(const std::vector<std::string>& lists) {
  std::vector<std::string> items;
  for (const std::string& list : lists) {
    std::size_t begin = 0;
    while (begin < list.size()) {
      const std::size_t equals = list.find('=', begin);
      const std::size_t comma = equals == std::string::npos ? equals : list.find(',', equals);
      const std::size_t end = std::min(comma, list.size());
      add_trimmed(items, std::string_view(list).substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return items;
}

}  // namespace knockout
