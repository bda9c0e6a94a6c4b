// SPDX-License-Identifier: Apache-2.0
// Columns and expectations for tests of the stages that read tables.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "knockout/data/table.h"

namespace knockout::test {

inline constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kReasonGap = std::numeric_limits<double>::infinity();

/// A numeric column; kGap and kReasonGap are gaps.
inline Column numbers(const std::string& name, const std::vector<double>& values) {
  Column column;
  column.name = name;
  for (const double value : values) {
    column.numbers.push_back(std::isfinite(value) ? value : 0.0);
    column.states.push_back(std::isfinite(value) ? CellState::kObserved
                            : std::isnan(value)  ? CellState::kMissing
                                                 : CellState::kMissingForAReason);
  }
  return column;
}

/// A text column; "" is a gap, "!" one for a reason.
inline Column words(const std::string& name, const std::vector<std::string>& values) {
  Column column;
  column.name = name;
  column.is_text = true;
  for (const std::string& value : values) {
    const bool observed = !value.empty() && value != "!";
    column.states.push_back(observed       ? CellState::kObserved
                            : value == "!" ? CellState::kMissingForAReason
                                           : CellState::kMissing);
    if (!observed) {
      column.codes.push_back(-1);
      continue;
    }
    const auto known = std::find(column.words.begin(), column.words.end(), value);
    column.codes.push_back(static_cast<std::int32_t>(known - column.words.begin()));
    if (known == column.words.end()) column.words.push_back(value);
  }
  return column;
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

}  // namespace knockout::test
