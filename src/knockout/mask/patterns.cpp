// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/patterns.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/stage.h"

namespace knockout {
namespace {

/// One bit per row and slot, the slots of a row packed into words: equal rows are equal words.
class PackedRows {
 public:
  PackedRows(std::size_t rows, std::size_t slots)
      : slots_(slots), words_((slots + 63) / 64), bits_(rows * words_) {}

  void set(std::size_t row, std::size_t slot) {
    bits_[row * words_ + slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  /// Sets the slot in every row whose cell is not observed.
  void set_gaps(const Column& column, std::size_t slot) {
    const std::size_t stride = words_;
    std::uint64_t* word = bits_.data() + slot / 64;
    for (const CellState state : column.states()) {
      *word |= std::uint64_t{state != CellState::kObserved} << (slot % 64);
      word += stride;
    }
  }
  std::span<const std::uint64_t> row(std::size_t row) const {
    return {bits_.data() + row * words_, words_};
  }
  std::size_t slots() const { return slots_; }

 private:
  std::size_t slots_, words_;
  std::vector<std::uint64_t> bits_;
};

std::vector<std::size_t> set_slots(std::span<const std::uint64_t> words) {
  std::vector<std::size_t> slots;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t left = words[w]; left != 0; left &= left - 1) {
      slots.push_back(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
  return slots;
}

std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  return SeededHash{}({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

/// A pattern by its first row, and how many rows share it.
struct Counted {
  std::size_t first_row = 0;
  std::size_t rows = 0;
};

/// Every distinct row once, in order of first appearance (an open-addressing hash table).
std::vector<Counted> count_distinct(const PackedRows& packed, std::size_t rows) {
  std::vector<Counted> counted;
  std::vector<std::uint32_t> slots(1024, 0);  // position in `counted` plus 1; 0 = free
  const auto find = [&](std::size_t row) -> std::uint32_t& {
    const auto words = packed.row(row);
    std::size_t slot = hash_of(words) & (slots.size() - 1);
    while (slots[slot] != 0 &&
           !std::ranges::equal(words, packed.row(counted[slots[slot] - 1].first_row))) {
      slot = (slot + 1) & (slots.size() - 1);
    }
    return slots[slot];
  };
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint32_t& position = find(row);
    if (position != 0) {
      ++counted[position - 1].rows;
      continue;
    }
    counted.push_back({row, 1});
    position = static_cast<std::uint32_t>(counted.size());
    if (2 * counted.size() > slots.size()) {
      slots.assign(2 * slots.size(), 0);
      for (std::uint32_t i = 0; i < counted.size(); ++i) find(counted[i].first_row) = i + 1;
    }
  }
  return counted;
}

/// Orders patterns as the lists of their names would be ordered.
class LexicalOrder {
 public:
  LexicalOrder(const PackedRows& packed, const std::vector<std::string>& names)
      : packed_(packed), rank_(names.size()) {
    std::vector<std::size_t> sorted(names.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::sort(sorted, {}, [&](std::size_t i) { return names[i]; });
    for (std::size_t i = 0; i < sorted.size(); ++i) rank_[sorted[i]] = i;
  }

  bool operator()(const Counted& a, const Counted& b) const {
    if (a.rows != b.rows) return a.rows > b.rows;
    const auto left = packed_.row(a.first_row), right = packed_.row(b.first_row);
    for (std::size_t w = 0; w < left.size(); ++w) {
      if (left[w] == right[w]) continue;
      const int bit = std::countr_zero(left[w] ^ right[w]);
      // One of the two lists goes on with this slot, the other with a later one, or it ends here.
      const bool left_has_it = (left[w] >> bit) & 1;
      const std::size_t slot = 64 * w + static_cast<std::size_t>(bit);
      const std::size_t other = next_slot(left_has_it ? right : left, slot);
      const bool having_it_is_less = other < packed_.slots() && rank_[slot] < rank_[other];
      return left_has_it == having_it_is_less;
    }
    return false;
  }

 private:
  std::size_t next_slot(std::span<const std::uint64_t> words, std::size_t slot) const {
    std::uint64_t word = words[slot / 64] & (~std::uint64_t{0} << (slot % 64));
    for (std::size_t w = slot / 64;; word = words[w]) {
      if (word != 0) return 64 * w + static_cast<std::size_t>(std::countr_zero(word));
      if (++w == words.size()) return packed_.slots();
    }
  }

  const PackedRows& packed_;
  std::vector<std::size_t> rank_;
};

std::vector<Counted> sorted_patterns(const PackedRows& packed, std::size_t rows,
                                     const std::vector<std::string>& names, std::size_t limit) {
  std::vector<Counted> counted = count_distinct(packed, rows);
  const std::size_t kept = std::min(limit, counted.size());
  std::partial_sort(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(kept),
                    counted.end(), LexicalOrder(packed, names));
  counted.resize(kept);
  return counted;
}

/// At most `most` patterns: equally spaced rows of the sorted list, so that each pattern keeps its
/// share to within one part in `most` and rare patterns stand for their like.
std::vector<Counted> representative(const std::vector<Counted>& sorted, std::size_t rows,
                                    std::size_t most) {
  if (sorted.size() <= most) return sorted;
  std::vector<Counted> kept;
  std::size_t rows_so_far = 0, picked = 0;
  for (const Counted& pattern : sorted) {
    rows_so_far += pattern.rows;
    std::size_t hits = 0;
    // Pick number i stands at row (i + 1/2) * rows / most.
    while (picked < most && (2 * picked + 1) * rows < 2 * most * rows_so_far) {
      ++picked;
      ++hits;
    }
    if (hits > 0) kept.push_back({pattern.first_row, hits});
  }
  return kept;
}

}  // namespace

std::vector<PatternCount> count_patterns(const Table& table,
                                         const std::vector<std::string>& columns,
                                         std::size_t limit) {
  const Stage stage("counting which columns go missing together");
  PackedRows packed(table.rows(), columns.size());
  for (std::size_t slot = 0; slot < columns.size(); ++slot) {
    if (const Column* column = table.find(columns[slot])) {
      packed.set_gaps(*column, slot);
    } else {
      for (std::size_t row = 0; row < table.rows(); ++row) packed.set(row, slot);
    }
  }
  std::vector<PatternCount> patterns;
  for (const Counted& counted : sorted_patterns(packed, table.rows(), columns, limit)) {
    PatternCount& pattern = patterns.emplace_back();
    pattern.rows = counted.rows;
    for (const std::size_t slot : set_slots(packed.row(counted.first_row))) {
      pattern.missing_columns.push_back(columns[slot]);
    }
  }
  return patterns;
}

KnockoutPlan plan_from_reference(const Table& reference, const std::vector<std::string>& unit_names,
                                 const std::vector<std::vector<std::string>>& unit_columns,
                                 const std::vector<bool>& never_missing, double complete_share) {
  if (unit_names.size() != unit_columns.size() || unit_names.size() != never_missing.size()) {
    throw ConfigError(
        fmt::format("{} units with columns for {} and \"never missing\" for {}: expected one each.",
                    unit_names.size(), unit_columns.size(), never_missing.size()));
  }
  if (!(complete_share >= 0.0 && complete_share < 1.0)) {
    throw ConfigError(fmt::format("a share of complete rows of {}: expected 0 or more, below 1.",
                                  complete_share));
  }
  if (reference.rows() == 0) {
    throw DataError(
        fmt::format("{} has no rows, so it shows no missing patterns.", reference.source()));
  }
  PackedRows packed(reference.rows(), unit_names.size());
  bool any_column = false;
  for (std::size_t unit = 0; unit < unit_names.size(); ++unit) {
    for (const std::string& name : unit_columns[unit]) {
      const Column* column = reference.find(name);
      any_column |= column != nullptr;
      if (never_missing[unit]) continue;
      if (column != nullptr) {
        packed.set_gaps(*column, unit);
      } else {
        for (std::size_t row = 0; row < reference.rows(); ++row) packed.set(row, unit);
      }
    }
  }
  if (!any_column) {
    throw DataError(fmt::format(
        "{} has none of the model's input columns, so it cannot show how they go missing.\n"
        "  It needs the header of the training data.",
        reference.source()));
  }
  KnockoutPlan plan;
  plan.units = static_cast<int>(unit_names.size());
  plan.never_missing = never_missing;
  KnockoutPlan::Part patterns{.weight = 1.0 - complete_share};
  const std::vector<Counted> all =
      sorted_patterns(packed, reference.rows(), unit_names, reference.rows());
  for (const Counted& counted : representative(all, reference.rows(), kMaxReferencePatterns)) {
    const std::vector<std::size_t> units = set_slots(packed.row(counted.first_row));
    patterns.patterns.push_back(
        {std::vector<int>(units.begin(), units.end()), static_cast<double>(counted.rows)});
  }
  plan.parts.push_back(std::move(patterns));
  if (complete_share > 0.0) {
    plan.parts.push_back(
        {.weight = complete_share, .unit_rates = std::vector<double>(unit_names.size(), 0.0)});
  }
  return plan;
}

}  // namespace knockout
