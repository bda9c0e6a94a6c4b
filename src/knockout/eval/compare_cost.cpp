// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/compare_cost.h"

#include <algorithm>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

double bytes_of(const Table& table) {
  double bytes = 0;
  for (const Column& column : table.columns()) {
    const double cell = column.is_text() ? sizeof(std::int32_t) : sizeof(double);
    bytes += static_cast<double>(column.size()) * (cell + sizeof(CellState));
    for (const std::string& word : column.words()) {
      bytes += static_cast<double>(sizeof(std::string) + word.size());
    }
  }
  return bytes;
}

/// Numbers that answer for one row.
double answers_per_row(const std::vector<Target>& targets) {
  double answers = 0;
  for (const Target& target : targets) {
    answers += static_cast<double>(std::max<std::size_t>(1, target.classes.size()));
  }
  return answers;
}

}  // namespace

std::string ComparisonCost::text() const {
  std::string what =
      fmt::format("{} ({}, {}{}), {} at a time: about {} of memory",
                  plural(trainings(), "training"), plural(methods, "method"), plural(folds, "fold"),
                  repeats > 1 ? fmt::format(", {}", plural(repeats, "repeat")) : "", at_a_time,
                  bytes_text(memory_bytes));
  if (!largest.empty()) what += fmt::format(". The largest: {}", largest);
  return what;
}

ComparisonCost comparison_cost(const Table& table, const InferredSchema& whole,
                               const std::vector<std::shared_ptr<const Method>>& methods,
                               const CompareOptions& options) {
  ComparisonCost cost{.methods = methods.size(),
                      .folds = static_cast<std::uint64_t>(options.folds),
                      .repeats = static_cast<std::uint64_t>(options.repeats)};
  cost.at_a_time =
      std::min(cost.trainings(), static_cast<std::uint64_t>(resolve_threads(options.threads)));
  // Of every method under every removal, and of one once more while it is scored.
  const double kept =
      static_cast<double>(cost.methods) * static_cast<double>(options.testing.size()) + 1;
  cost.answer_bytes = kept * static_cast<double>(cost.repeats) * static_cast<double>(table.rows()) *
                      answers_per_row(whole.schema.targets) * sizeof(double);
  double largest = 0;
  for (const auto& method : methods) {
    const MethodCost of_one = method->cost(table, whole);
    if (of_one.memory_bytes <= largest) continue;
    largest = of_one.memory_bytes;
    cost.largest = of_one.text.empty() ? "" : fmt::format("{}, {}", method->label(), of_one.text);
  }
  // A training has its part of the rows, and that part once more with cells removed.
  cost.memory_bytes =
      cost.answer_bytes + static_cast<double>(cost.at_a_time) * (2 * bytes_of(table) + largest);
  return cost;
}

void check_cost(const ComparisonCost& cost, const Limits& limits) {
  if (cost.memory_bytes <= static_cast<double>(limits.memory_bytes())) return;
  throw ConfigError(fmt::format(
      "this comparison would take about {} of memory, where {} are allowed: {} with {} at a time, "
      "and {} for their answers.\n"
      "  Compare fewer methods at once, with fewer {}, {} or {}. If the machine can take it:  {}",
      bytes_text(cost.memory_bytes), bytes_text(static_cast<double>(limits.memory_bytes())),
      plural(cost.trainings(), "training"), cost.at_a_time, bytes_text(cost.answer_bytes),
      field("threads"), field("testing"), field("repeats"),
      field("max_memory", gigabytes_for(cost.memory_bytes))));
}

}  // namespace knockout
