// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/limits.h"

#include <algorithm>
#include <array>
#include <string>

#include "knockout/data/csv_number.h"
#include "knockout/schema/reading/number_shape.h"
#include "knockout/schema/reading/plain_marks.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestLimit = 40;

struct LimitWord {
  std::string_view word;
  CellState side;
};
constexpr CellState kBelow = CellState::kBelowLimit, kAbove = CellState::kAboveLimit;

/// Longer ones before those that they begin with.
constexpr std::array<LimitWord, 16> kBeyond = {{{"<=", kBelow},
                                                {"=<", kBelow},
                                                {">=", kAbove},
                                                {"=>", kAbove},
                                                {"<", kBelow},
                                                {">", kAbove},
                                                {"≤", kBelow},
                                                {"≥", kAbove},
                                                {"⩽", kBelow},
                                                {"⩾", kAbove},
                                                {"less than ", kBelow},
                                                {"more than ", kAbove},
                                                {"below ", kBelow},
                                                {"above ", kAbove},
                                                {"under ", kBelow},
                                                {"over ", kAbove}}};

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
constexpr std::array<LimitWord, 8> kAlone = {{{"bdl", kBelow},
                                              {"blq", kBelow},
                                              {"bql", kBelow},
                                              {"bloq", kBelow},
                                              {"blod", kBelow},
                                              {"aloq", kAbove},
                                              {"alq", kAbove},
                                              {"lod", kBelow}}};

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

std::optional<CellState> find_limit(std::string_view cell, const NumberFormat& format) {
  if (cell.size() < 2 || cell.size() > kLongestLimit) return std::nullopt;
  const ParsedNumber number = parse_number(cell, '.');
  if (number.kind == NumberKind::kInfinity) return state_of_number(number.value);
  const std::string plain = plain_marks(cell);
  const std::string lower = in_lower_case(plain);
  for (const LimitWord& alone : kAlone) {
    if (lower == alone.word) return alone.side;
  }
  for (const LimitWord& beyond : kBeyond) {
    if (!lower.starts_with(beyond.word)) continue;
    std::string_view rest = std::string_view(plain).substr(beyond.word.size());
    std::string_view name = std::string_view(lower).substr(beyond.word.size());
    while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1), name.remove_prefix(1);
    const bool limit = is_one_of(kLimitNames, name) || read_new_number(rest, format).has_value();
    return limit ? std::optional(beyond.side) : std::nullopt;
  }
  // 90+ years, and "90 +"
  if (plain.empty() || plain.back() != '+') return std::nullopt;
  const auto before = read_new_number(std::string_view(plain).substr(0, plain.size() - 1), format);
  return before ? std::optional(CellState::kAboveLimit) : std::nullopt;
}

}  // namespace knockout
