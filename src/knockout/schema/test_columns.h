// SPDX-License-Identifier: Apache-2.0
// Columns and expectations for tests of the stages that read tables.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/data/test_cells.h"

namespace knockout::test {

inline constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kReasonGap = std::numeric_limits<double>::infinity();

/// A numeric column; kGap and kReasonGap are gaps.
inline Column numbers(const std::string& name, const std::vector<double>& values) {
  return Column::numbers(name, values);
}

/// A text column; "" is a gap, "!" one for a reason.
inline Column words(const std::string& name, const std::vector<std::string>& cells) {
  std::vector<CellState> states;
  for (const std::string& cell : cells) {
    states.push_back(cell.empty() ? kMissing : cell == "!" ? kReason : kObserved);
  }
  return Column::words(name, cells, std::move(states));
}

/// The message of the `Expected` error that `act` throws; "" when it throws none.
template <typename Expected>
std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Expected& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return contains(text, part); });
}

inline bool any_contains(const std::vector<Note>& notes, const std::string& part) {
  return any_contains(texts_of(notes), part);
}

}  // namespace knockout::test
