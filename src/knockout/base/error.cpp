// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/error.h"

#include <algorithm>
#include <numeric>

#include "knockout/base/ascii.h"

namespace knockout {
namespace {

char lower(char c) { return ascii_lower(c); }

/// Cells of the tables below, over all names: a tenth of a second. Names come from files.
constexpr std::size_t kMostCells = 50'000'000;

/// Levenshtein distance, ignoring case: what people mistype most is the case. Any number above
/// `most` where it is above.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    std::size_t least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
      least = std::min(least, row[j]);
    }
    if (least > most) return least;
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view unknown, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  // Among names of one or two letters, all are near to each other.
  std::size_t nearest_distance = (unknown.size() < 3 ? 0 : unknown.size() / 3) + 1;
  std::size_t cells_left = kMostCells;
  for (const std::string& name : known) {
    const auto [shorter, longer] = std::minmax({unknown.size(), name.size()});
    if (longer - shorter >= nearest_distance) continue;
    if (longer > cells_left / (shorter + 1)) continue;
    cells_left -= longer * shorter;
    const std::size_t distance = edit_distance(unknown, name, nearest_distance - 1);
    if (distance < nearest_distance) {
      nearest_distance = distance;
      nearest = &name;
    }
  }
  return nearest == nullptr ? "" : " Did you mean \"" + *nearest + "\"?";
}

}  // namespace knockout
