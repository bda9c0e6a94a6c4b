// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/limits.h"

#include <algorithm>
#include <array>
#include <string>

#include "knockout/schema/reading/plain_marks.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestLimit = 40;

/// Longer ones before those that they begin with.
constexpr std::array<std::string_view, 16> kBeyond = {
    "<=", "=<", ">=",         "=>",         "<",      ">",      "≤",      "≥",
    "⩽",  "⩾",  "less than ", "more than ", "below ", "above ", "under ", "over "};

/// What can stand after "<" or "below".
constexpr std::array<std::string_view, 14> kLimitNames = {"lod",
                                                          "llod",
                                                          "loq",
                                                          "lloq",
                                                          "uloq",
                                                          "llq",
                                                          "dl",
                                                          "mdl",
                                                          "rl",
                                                          "limit",
                                                          "detection",
                                                          "detection limit",
                                                          "limit of detection",
                                                          "limit of quantification"};

/// What says so by itself.
constexpr std::array<std::string_view, 8> kAlone = {"bdl",  "blq",  "bql", "bloq",
                                                    "blod", "aloq", "alq", "lod"};

template <std::size_t Size>
bool is_one_of(const std::array<std::string_view, Size>& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string in_lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

bool is_limit(std::string_view cell, const NumberFormat& format) {
  if (cell.size() < 2 || cell.size() > kLongestLimit) return false;
  const std::string plain = plain_marks(cell);
  const std::string lower = in_lower_case(plain);
  if (is_one_of(kAlone, lower)) return true;
  for (const std::string_view beyond : kBeyond) {
    if (!lower.starts_with(beyond)) continue;
    std::string_view rest = std::string_view(plain).substr(beyond.size());
    std::string_view name = std::string_view(lower).substr(beyond.size());
    while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1), name.remove_prefix(1);
    return is_one_of(kLimitNames, name) || read_new_number(rest, format).has_value();
  }
  // 90+ years, and "90 +"
  if (plain.empty() || plain.back() != '+') return false;
  return read_new_number(std::string_view(plain).substr(0, plain.size() - 1), format).has_value();
}

}  // namespace knockout
