// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/outside_training.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/base/wording.h"
#include "knockout/schema/kinds/cell_reader.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

/// The readings that training saw of a column.
struct SeenRange {
  double low = 0, high = 0;
};

std::optional<double> reading_of(const nlohmann::json& seen, const char* number, const char* word,
                                 const ColumnCodec& codec) {
  if (const auto found = seen.find(number); found != seen.end() && found->is_number()) {
    return found->get<double>();
  }
  if (const auto found = seen.find(word); found != seen.end() && found->is_string()) {
    return codec.read_word(found->get_ref<const std::string&>());
  }
  return std::nullopt;
}

/// What the model's provenance says of the ranges of its inputs. It is for people, so whatever is
/// not as expected is passed over.
std::map<std::string, SeenRange> seen_ranges(const Model& model) {
  std::map<std::string, SeenRange> ranges;
  const auto seen = model.provenance().find("seen");
  if (seen == model.provenance().end() || !seen->is_array()) return ranges;
  const auto features = model.schema().feature_index();
  for (const nlohmann::json& column : *seen) {
    if (!column.is_object()) continue;
    const auto name = column.find("name");
    if (name == column.end() || !name->is_string()) continue;
    const auto feature = features.find(name->get_ref<const std::string&>());
    if (feature == features.end()) continue;
    const ColumnCodec& codec = codec_of(model.schema().features[feature->second]);
    const auto low = reading_of(column, "low", "first", codec);
    const auto high = reading_of(column, "high", "last", codec);
    if (low && high && *low <= *high) ranges[name->get<std::string>()] = {*low, *high};
  }
  return ranges;
}

std::string shown_cell(const Column& column, std::size_t row, const ReadingIndex& readings) {
  if (column.is_text()) return column.word(row);
  const double number = column.number(row);
  const auto found = readings.find(column.name());
  return in_its_clothes(number, shown_number(number),
                        found == readings.end() ? NumberFormat{} : found->second->numbers);
}

}  // namespace

void OutsideTraining::Side::add(const std::string& cell, bool list) {
  ++rows;
  const bool is_new = std::find(examples.begin(), examples.end(), cell) == examples.end();
  if (is_new && (examples.empty() || (list && examples.size() < kMostExamples))) {
    examples.push_back(cell);
  } else if (is_new && list) {
    others.insert(cell);
  }
}

std::string OutsideTraining::Side::text(std::string_view what) const {
  const std::string more =
      others.empty() ? "" : fmt::format(" and {} more", with_thousands(others.size()));
  return fmt::format("\"{}\"{}, {} ({})", fmt::join(examples, "\", \""), more, what,
                     plural(rows, "row"));
}

std::string OutsideTraining::Found::text() const {
  std::vector<std::string> sides;
  if (below.rows > 0) sides.push_back(below.text("below all of training"));
  if (above.rows > 0) sides.push_back(above.text("above all of training"));
  if (unseen.rows > 0) sides.push_back(unseen.text("never seen in training"));
  return fmt::format("{} {}", column, fmt::join(sides, " and "));
}

OutsideTraining::OutsideTraining(const Model& model, const Table& given) {
  Table room;
  const Table& table = read_as(model.schema(), given, room);
  row_count_ = table.rows();
  const std::map<std::string, SeenRange> ranges = seen_ranges(model);
  const ReadingIndex readings = model.schema().reading.by_column();
  std::vector<bool> has_input(row_count_, false);
  for (const Feature& feature : model.schema().features) {
    const Column* const column = table.find(feature.name);
    if (column == nullptr) continue;
    const auto labels = labels_for(feature);
    const CellReader cells(feature, column, labels.get());
    const auto range = ranges.find(feature.name);
    Found found{.column = feature.name};
    for (std::size_t row = 0; row < row_count_; ++row) {
      // "<2" tells something, though it is no number.
      has_input[row] = has_input[row] || column->states()[row] != CellState::kMissing;
      if (!column->observed(row)) continue;
      const double reading = cells.reading(row);
      const bool unseen = reading == kUnseen;
      const bool below = !unseen && range != ranges.end() && reading < range->second.low;
      const bool above = !unseen && range != ranges.end() && reading > range->second.high;
      if (!unseen && !below && !above) continue;
      Side& side = unseen ? found.unseen : below ? found.below : found.above;
      side.add(shown_cell(*column, row, readings), unseen);
      found.rows.push_back(row);
    }
    if (!found.rows.empty()) found_.push_back(std::move(found));
  }
  for (std::size_t row = 0; row < row_count_; ++row) {
    if (!has_input[row]) empty_rows_.push_back(row);
  }
}

std::size_t OutsideTraining::rows() const {
  std::set<std::size_t> rows(empty_rows_.begin(), empty_rows_.end());
  for (const Found& found : found_) rows.insert(found.rows.begin(), found.rows.end());
  return rows.size();
}

std::string OutsideTraining::text() const {
  constexpr std::size_t kShown = 5;
  std::string text;
  if (!found_.empty()) {
    std::set<std::size_t> rows;
    for (const Found& found : found_) rows.insert(found.rows.begin(), found.rows.end());
    std::vector<const Found*> most;
    for (const Found& found : found_) most.push_back(&found);
    std::stable_sort(most.begin(), most.end(), [](const Found* a, const Found* b) {
      return a->rows.size() > b->rows.size();
    });
    std::vector<std::string> examples;
    for (std::size_t i = 0; i < std::min(kShown, most.size()); ++i) {
      examples.push_back(most[i]->text());
    }
    if (most.size() > kShown) {
      examples.push_back(fmt::format("and {}", plural(most.size() - kShown, "more column")));
    }
    text = fmt::format("{} of {} {} outside what training saw: {}.", with_thousands(rows.size()),
                       plural(row_count_, "row"), agreeing(rows.size(), "lies", "lie"),
                       fmt::join(examples, "; "));
  }
  if (!empty_rows_.empty()) {
    const std::size_t empty = empty_rows_.size();
    text += fmt::format(
        "{}{} of {} {} no input at all and {} the answer for a row of which nothing "
        "is known.",
        text.empty() ? "" : " ", with_thousands(empty), plural(row_count_, "row"),
        agreeing(empty, "has", "have"), agreeing(empty, "gets", "get"));
  }
  return text;
}

Column OutsideTraining::flags(std::string name) const {
  std::vector<std::string> words(row_count_);
  for (const Found& found : found_) {
    for (const std::size_t row : found.rows) {
      words[row] += (words[row].empty() ? "" : ", ") + found.column;
    }
  }
  for (const std::size_t row : empty_rows_) words[row] = "no input";
  std::vector<CellState> states(words.size(), CellState::kObserved);
  for (std::size_t row = 0; row < words.size(); ++row) {
    if (words[row].empty()) states[row] = CellState::kMissing;
  }
  return Column::words(std::move(name), words, std::move(states));
}

}  // namespace knockout
