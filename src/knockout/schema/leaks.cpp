// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/leaks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/seeded_hash.h"

namespace knockout {
namespace {

constexpr std::size_t kLeastRows = 20;  // fewer agree by chance
constexpr std::size_t kLeastRowsOfAlmost = 30;
constexpr std::size_t kMostRowsOfAlmost = 4096;  // enough to see one row in a thousand
constexpr std::size_t kRowsPerValue = 10;        // where values hardly repeat, each has one class
constexpr double kAlmostAll = 0.999;
constexpr std::size_t kLeastOfEach = 5;    // cells with a value, and gaps
constexpr std::size_t kRowsPerNamed = 10;  // a class that is rarer is not the question

std::uint64_t cell_key(const Column& column, std::size_t row) {
  if (column.is_text()) return static_cast<std::uint64_t>(column.codes()[row]);
  return std::bit_cast<std::uint64_t>(column.number(row) + 0.0);  // -0 is 0
}

bool both_observed(const Column& a, const Column& b, std::size_t row) {
  return a.observed(row) && b.observed(row);
}

bool one_to_one(const Column& input, const Column& target) {
  HashMap<std::uint64_t, std::uint64_t> class_of, value_of;
  std::size_t rows = 0;
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!both_observed(input, target, row)) continue;
    const std::uint64_t value = cell_key(input, row), label = cell_key(target, row);
    if (class_of.emplace(value, label).first->second != label) return false;
    if (value_of.emplace(label, value).first->second != value) return false;
    ++rows;
  }
  // Where every class appears once, any two columns agree.
  return rows >= kLeastRows && value_of.size() >= 2 && rows >= 2 * value_of.size();
}

bool straight_line(const Column& input, const Column& target) {
  // Through the two rows farthest apart, where rounding bends the line least.
  std::size_t rows = 0, low = 0, high = 0;
  double least = 0.0, most = 0.0;
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!both_observed(input, target, row)) continue;
    const double x = input.number(row), y = target.number(row);
    if (rows == 0 || x < input.number(low)) low = row;
    if (rows == 0 || x > input.number(high)) high = row;
    least = rows == 0 ? y : std::min(least, y);
    most = rows == 0 ? y : std::max(most, y);
    ++rows;
  }
  if (rows < kLeastRows || input.number(low) == input.number(high) || least == most) return false;
  const double x0 = input.number(low), y0 = target.number(low);
  const double slope = (target.number(high) - y0) / (input.number(high) - x0);
  const double tolerance = 1e-3 * (most - least);
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!both_observed(input, target, row)) continue;
    const double line = y0 + slope * (input.number(row) - x0);
    if (!(std::abs(target.number(row) - line) <= tolerance)) return false;
  }
  return true;
}

// --- almost ---

/// Rows where both are known, evenly spread over the table if there are many.
std::vector<std::size_t> rows_to_compare(const Column& input, const Column& target) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (both_observed(input, target, row)) rows.push_back(row);
  }
  const std::size_t step = (rows.size() + kMostRowsOfAlmost - 1) / kMostRowsOfAlmost;
  std::vector<std::size_t> spread;
  for (std::size_t i = 0; i < rows.size(); i += step) spread.push_back(rows[i]);
  return spread;
}

/// Ranks from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = 0.5 * static_cast<double>(begin + 1 + end);
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

/// Spearman's, without its sign.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = 0.5 * static_cast<double>(x.size() + 1);
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  return xx > 0.0 && yy > 0.0 ? std::abs(xy) / std::sqrt(xx * yy) : 0.0;
}

/// Whether nearly every row has the class that most rows with its value have.
bool values_tell_classes(const Column& input, const Column& target,
                         const std::vector<std::size_t>& rows) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::size_t>> classes_of_value;
  std::map<std::uint64_t, std::size_t> classes;
  for (const std::size_t row : rows) {
    ++classes_of_value[cell_key(input, row)][cell_key(target, row)];
    ++classes[cell_key(target, row)];
    if (kRowsPerValue * classes_of_value.size() > rows.size()) return false;
  }
  const auto most = [](const std::map<std::uint64_t, std::size_t>& counts) {
    std::size_t largest = 0;
    for (const auto& [key, cells] : counts) largest = std::max(largest, cells);
    return largest;
  };
  std::size_t right = 0;
  for (const auto& [value, counts] : classes_of_value) right += most(counts);
  // Where one class is rare, always naming the other is nearly always right too.
  const std::size_t wrong = rows.size() - right, rare = rows.size() - most(classes);
  return rare > 0 && static_cast<double>(right) > kAlmostAll * static_cast<double>(rows.size()) &&
         20 * wrong <= rare;
}

/// Whether the rows of one of two classes have the larger numbers: the area under the ROC curve.
bool numbers_part_classes(const Column& input, const Column& target,
                          const std::vector<std::size_t>& rows) {
  std::vector<double> values;
  std::map<std::uint64_t, std::size_t> cells_of_class;
  for (const std::size_t row : rows) {
    values.push_back(input.number(row));
    ++cells_of_class[cell_key(target, row)];
    if (cells_of_class.size() > 2) return false;
  }
  if (cells_of_class.size() != 2) return false;
  const auto [first, cells] = *cells_of_class.begin();
  const auto ours = static_cast<double>(cells);
  const double others = static_cast<double>(rows.size()) - ours;
  if (std::min(ours, others) < static_cast<double>(kRowsPerValue)) return false;
  const std::vector<double> ranks = ranks_of(values);
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (cell_key(target, rows[i]) == first) sum += ranks[i];
  }
  const double area = (sum - 0.5 * ours * (ours + 1.0)) / (ours * others);
  return std::max(area, 1.0 - area) > kAlmostAll;
}

bool says_almost_all(const Column& input, const Column& target, Task task) {
  const std::vector<std::size_t> rows = rows_to_compare(input, target);
  if (rows.size() < kLeastRowsOfAlmost) return false;
  if (task == Task::kClassification) {
    return values_tell_classes(input, target, rows) ||
           (!input.is_text() && numbers_part_classes(input, target, rows));
  }
  if (input.is_text() || target.is_text()) return false;
  std::vector<double> x, y;
  for (const std::size_t row : rows) {
    x.push_back(input.number(row));
    y.push_back(target.number(row));
  }
  return rank_correlation(x, y) > kAlmostAll;
}

/// Whether values, or gaps, stand in the rows of one class alone: the date of cancelling.
bool gaps_tell_classes(const Column& input, const ColumnProfile& profile, const Column& target) {
  if (!profile.has_gaps() || profile.observed < kLeastOfEach) return false;
  struct Cells {
    std::size_t filled = 0, empty = 0;
  };
  HashMap<std::uint64_t, Cells> cells_of_class;
  Cells all;
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!target.observed(row)) continue;
    Cells& cells = cells_of_class[cell_key(target, row)];
    ++(input.observed(row) ? cells.filled : cells.empty);
    ++(input.observed(row) ? all.filled : all.empty);
  }
  const std::size_t rows = all.filled + all.empty, rare = std::min(all.filled, all.empty);
  std::size_t wrong = 0, filled_classes = 0;
  for (const auto& [label, cells] : cells_of_class) {
    wrong += std::min(cells.filled, cells.empty);
    filled_classes += cells.filled > cells.empty ? 1U : 0U;
  }
  // Of many classes, gaps that are found with several name none of them.
  const std::size_t empty_classes = cells_of_class.size() - filled_classes;
  const std::size_t named =
      (filled_classes == 1 ? all.filled : 0) + (empty_classes == 1 ? all.empty : 0);
  const bool tells = filled_classes > 0 && empty_classes > 0 && kRowsPerNamed * named >= rows;
  return tells && rows >= kLeastRowsOfAlmost && rows >= kRowsPerValue * cells_of_class.size() &&
         rare >= kLeastOfEach && 20 * wrong <= rare &&
         static_cast<double>(rows - wrong) > kAlmostAll * static_cast<double>(rows);
}

}  // namespace

Leak find_leak(const Column& input, const ColumnProfile& input_profile, const Column& target,
               Task task) {
  const bool gaps =
      task == Task::kClassification && gaps_tell_classes(input, input_profile, target);
  if (input_profile.one_value) return gaps ? Leak::kGaps : Leak::kNone;
  const bool exact = task == Task::kClassification
                         ? one_to_one(input, target)
                         : !input.is_text() && !target.is_text() && straight_line(input, target);
  if (exact) return Leak::kExact;
  if (gaps) return Leak::kGaps;
  return says_almost_all(input, target, task) ? Leak::kAlmost : Leak::kNone;
}

std::string leak_text(Leak leak, const std::string& target) {
  if (leak == Leak::kGaps) {
    return fmt::format(
        "is filled in, or empty, for one class of the target \"{}\" alone, which gives it away",
        target);
  }
  return fmt::format("says {} what the target \"{}\" says",
                     leak == Leak::kExact ? "exactly" : "almost exactly", target);
}

}  // namespace knockout
