// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/duplicates.h"

#include <cstdint>
#include <map>
#include <optional>

#include "knockout/base/seeded_hash.h"
#include "knockout/base/stop.h"

namespace knockout {
namespace {

constexpr std::size_t kRowsToBeSame = 5;
constexpr std::size_t kRowsToBeRenamed = 20;
constexpr std::size_t kMostCategories = 100;  ///< More different numbers are amounts.

constexpr std::uint32_t kFirstValue = 3;  ///< Above the states of gaps.

/// Gaps by their state, values by the order in which they first appear: the same for yes/no and
/// 1/0. Nothing for amounts.
std::optional<std::vector<std::uint32_t>> places_of(const Column& column, std::size_t& different,
                                                    std::size_t& values) {
  HashMap<double, std::uint32_t> number_place;
  std::vector<std::uint32_t> word_place(column.words().size(), 0);
  std::vector<std::uint32_t> places;
  different = values = 0;
  places.reserve(column.size());
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) {
      places.push_back(static_cast<std::uint32_t>(column.state(row)));
      continue;
    }
    std::uint32_t& place = column.is_text()
                               ? word_place[static_cast<std::size_t>(column.codes()[row])]
                               : number_place[column.number(row)];
    if (place == 0) place = static_cast<std::uint32_t>(different++) + kFirstValue;
    if (!column.is_text() && different > kMostCategories) return std::nullopt;
    ++values;
    places.push_back(place);
  }
  return places;
}

/// The same for equal columns and for renamed ones; other for nearly all others, so that few
/// columns are compared cell by cell.
struct Fingerprint {
  std::uint64_t hash = 0;
  bool categories = false;  ///< Which may be renamed.

  void add(std::uint64_t number) { hash = SeededHash{}(hash ^ number); }
};

Fingerprint fingerprint_of(const Column& column) {
  Fingerprint print;
  std::size_t different = 0, values = 0;
  if (const auto places = places_of(column, different, values)) {
    // Where most values appear once, any two columns with the same gaps go together.
    print.categories = values >= kRowsToBeRenamed && 2 * different <= values;
    if (print.categories) {
      for (const std::uint32_t place : *places) print.add(place);
      return print;
    }
  }
  for (std::size_t row = 0; row < column.size(); ++row) {
    print.add(static_cast<std::uint64_t>(column.state(row)));
    if (!column.observed(row)) continue;
    print.add(column.is_text() ? SeededHash{}(column.word(row)) : SeededHash{}(column.number(row)));
  }
  return print;
}

bool have_same_values(const Column& a, const Column& b) {
  if (a.is_text() != b.is_text()) return false;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (a.state(row) != b.state(row)) return false;
    if (!a.observed(row)) continue;
    if (a.is_text() ? a.word(row) != b.word(row) : a.number(row) != b.number(row)) return false;
  }
  return true;
}

bool have_same_places(const Column& a, const Column& b) {
  std::size_t different = 0, values = 0;
  const auto places = places_of(a, different, values);
  return places && places == places_of(b, different, values);
}

}  // namespace

std::vector<DuplicateColumn> find_duplicates(const std::vector<const Column*>& columns) {
  std::vector<DuplicateColumn> duplicates;
  std::multimap<std::uint64_t, const Column*> seen;
  for (const Column* const column : columns) {
    throw_if_stopped();
    if (column->size() < kRowsToBeSame) continue;
    const Fingerprint print = fingerprint_of(*column);
    bool is_duplicate = false;
    for (auto [other, end] = seen.equal_range(print.hash); other != end && !is_duplicate; ++other) {
      const bool same = have_same_values(*column, *other->second);
      const bool renamed = !same && print.categories && have_same_places(*column, *other->second);
      is_duplicate = same || renamed;
      if (is_duplicate) duplicates.push_back({column, other->second, renamed});
    }
    if (!is_duplicate) seen.emplace(print.hash, column);
  }
  return duplicates;
}

}  // namespace knockout
