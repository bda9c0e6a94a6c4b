// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/target_labels.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

constexpr std::size_t kClassesShown = 20;
constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void throw_unknown_label(const Table& table, const Column& column,
                                      const Target& target, std::size_t row) {
  const std::string found =
      column.is_text() ? column.word(row) : label_of_number(column.number(row));
  const std::string where = fmt::format("{}, column \"{}\"", table.where(row), target.name);
  if (target.task == Task::kRegression) {
    throw DataError(
        fmt::format("{}: cannot read \"{}\" as a number, which is what the model predicts here.",
                    where, found));
  }
  throw DataError(
      fmt::format("{}: \"{}\" is not one of the classes that the model knows.{}\n"
                  "  Known: {}.",
                  where, found, did_you_mean(found, target.classes),
                  short_list(target.classes, kClassesShown)));
}

}  // namespace

std::vector<double> labels_of(const Table& table, const Target& target) {
  const Column* const column = table.find(target.name);
  if (column == nullptr) {
    throw DataError(
        fmt::format("{}: there is no column \"{}\", and without what really was, predictions "
                    "cannot be judged.{}\n  Add the column.",
                    table.source().empty() ? "table" : table.source(), target.name,
                    did_you_mean(target.name, table.names())));
  }
  const bool classes = target.task == Task::kClassification;
  const LabelIndex index(target.classes);
  // Words are looked up once per dictionary, never once per row.
  std::vector<double> label_of_word;
  for (const std::string& word : column->words()) {
    const int label = classes ? index.find(word) : -1;
    label_of_word.push_back(classes ? (label < 0 ? kNoLabel : label)
                                    : parse_number(word).value_or(kNoLabel));
  }
  std::vector<double> labels(table.rows(), kNoLabel);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!column->observed(row)) continue;
    if (column->is_text()) {
      labels[row] = label_of_word[static_cast<std::size_t>(column->codes()[row])];
    } else if (classes) {
      const int label = index.find(column->number(row));
      labels[row] = label < 0 ? kNoLabel : label;
    } else {
      labels[row] = column->number(row);
    }
    if (std::isnan(labels[row])) throw_unknown_label(table, *column, target, row);
  }
  return labels;
}

}  // namespace knockout
