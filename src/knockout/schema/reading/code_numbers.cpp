// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/code_numbers.h"

#include <algorithm>
#include <cmath>

#include "knockout/base/seeded_hash.h"
#include "knockout/schema/column_names.h"

namespace knockout {
namespace {

constexpr double kShortestBarcode = 1e11;  ///< Twelve digits.
constexpr double kSmallestCode = 100.0;    ///< Smaller ones are counts: phone = 2.
constexpr std::size_t kFewCodes = 3;       ///< Different ones; yes and no need no code.

bool are_whole(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double number) { return number >= 0.0 && number == std::trunc(number); });
}

bool have_one_length(double low, double high) {
  return std::floor(std::log10(low)) == std::floor(std::log10(high));
}

std::size_t different_numbers(std::span<const double> numbers) {
  return HashSet<double>(numbers.begin(), numbers.end()).size();
}

/// 1.2, 1.10: whole numbers are steps, and a version per row names the row.
bool are_versions(std::span<const double> numbers) {
  const bool whole = std::all_of(numbers.begin(), numbers.end(),
                                 [](double number) { return number == std::trunc(number); });
  return !whole && different_numbers(numbers) < numbers.size();
}

}  // namespace

bool are_code_numbers(std::string_view column, std::span<const double> numbers) {
  if (numbers.empty()) return false;
  const auto [lowest, highest] = std::minmax_element(numbers.begin(), numbers.end());
  const double low = *lowest, high = *highest;
  const bool long_ones = low >= kShortestBarcode && have_one_length(low, high);
  if (name_says_version(column)) return are_versions(numbers);
  const bool coded = name_says_code(column) && high >= kSmallestCode;
  const bool keys = name_says_key(column) && !name_says_subject_id(column);
  if ((!long_ones && !coded && !keys) || !are_whole(numbers)) return false;
  const std::size_t different = different_numbers(numbers);
  if (different < kFewCodes) return false;
  if (different < numbers.size()) return true;
  // Without repeats, an id names the row itself, which the schema finds out.
  return (long_ones || coded) && !name_says_identifier(column);
}

}  // namespace knockout
