// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"

namespace knockout {
namespace {

[[noreturn]] void throw_duplicate(const std::string& source, const std::string& name) {
  throw DataError(fmt::format("{}: two columns are named \"{}\".\n  Rename or remove one of them.",
                              source.empty() ? "table" : source, name));
}

[[noreturn]] void throw_wrong_length(const std::string& source, const Column& column,
                                     std::size_t rows) {
  throw DataError(
      fmt::format("{}, column \"{}\": {} rows where the table has {}.\n"
                  "  All columns of a table need the same number of rows.",
                  source.empty() ? "table" : source, column.name(), column.size(), rows));
}

}  // namespace

Table::Table(std::vector<Column> columns, std::string source, std::size_t rows_without_columns)
    : columns_(std::move(columns)),
      rows_(columns_.empty() ? rows_without_columns : columns_.front().size()),
      source_(std::move(source)) {
  check_columns(columns_);
  index_columns();
}

void Table::check_columns(const std::vector<Column>& columns) const {
  HashSet<std::string_view> seen;
  for (const Column& column : columns) {
    if (!seen.insert(column.name()).second) throw_duplicate(source_, column.name());
    if (column.size() != rows_) throw_wrong_length(source_, column, rows_);
  }
}

/// Looking at each of 50,000 names for each of as many columns would take minutes.
void Table::index_columns() {
  constexpr std::size_t kFewColumns = 64;
  place_of_.clear();
  if (columns_.size() <= kFewColumns) return;
  for (std::size_t i = 0; i < columns_.size(); ++i) place_of_.emplace(columns_[i].name(), i);
}

const Column* Table::find(std::string_view name) const {
  if (!place_of_.empty()) {
    const auto place = place_of_.find(name);
    return place == place_of_.end() ? nullptr : &columns_[place->second];
  }
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.name() == name; });
  return found == columns_.end() ? nullptr : &*found;
}

const Column& Table::at(std::string_view name) const {
  const Column* const column = find(name);
  if (column != nullptr) return *column;
  constexpr std::size_t kShown = 10;
  std::string listed;
  for (std::size_t i = 0; i < std::min(kShown, columns_.size()); ++i) {
    listed += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", columns_[i].name());
  }
  if (columns_.size() > kShown) listed += fmt::format(", ... ({} in all)", columns_.size());
  throw DataError(fmt::format("{}: there is no column \"{}\".{}\n  It has: {}",
                              source_.empty() ? "table" : source_, name,
                              did_you_mean(name, names()), listed.empty() ? "none" : listed));
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const Column& column : columns_) names.push_back(column.name());
  return names;
}

std::uint64_t Table::line_of(std::size_t row) const {
  return row_lines_.empty() ? row + 2 : row_lines_[row];  // line 1 is the header
}

std::string Table::where(std::size_t row) const {
  if (source_.empty()) return fmt::format("row {}", line_of(row) - 1);
  if (!rows_are_lines_) return fmt::format("{}, row {}", source_, line_of(row) - 1);
  return fmt::format("{}:{}", source_, line_of(row));
}

Table Table::take_rows(const std::vector<std::size_t>& rows) const {
  std::vector<Column> columns;
  columns.reserve(columns_.size());
  for (const Column& column : columns_) columns.push_back(column.take_rows(rows));
  Table taken(std::move(columns), source_, rows.size());
  taken.rows_are_lines_ = rows_are_lines_;
  taken.row_lines_.reserve(rows.size());
  for (const std::size_t row : rows) taken.row_lines_.push_back(line_of(row));
  return taken;
}

void Table::set_row_lines(std::vector<std::uint64_t> lines) {
  if (!lines.empty() && lines.size() != rows_) {
    throw DataError(fmt::format("{}: {} line numbers for {} rows.\n  Give one per row, or none.",
                                source_.empty() ? "table" : source_, lines.size(), rows_));
  }
  row_lines_ = std::move(lines);
}

void Table::add_column(Column column) {
  if (find(column.name()) != nullptr) throw_duplicate(source_, column.name());
  if (columns_.empty() && rows_ == 0) rows_ = column.size();
  if (column.size() != rows_) throw_wrong_length(source_, column, rows_);
  columns_.push_back(std::move(column));
  if (place_of_.empty()) {
    index_columns();
  } else {
    place_of_.emplace(columns_.back().name(), columns_.size() - 1);
  }
}

void Table::replace_column(Column column) {
  const std::size_t index = static_cast<std::size_t>(&at(column.name()) - columns_.data());
  if (column.size() != rows_) throw_wrong_length(source_, column, rows_);
  columns_[index] = std::move(column);
}

void Table::replace_columns(std::vector<Column> columns) {
  check_columns(columns);
  columns_ = std::move(columns);
  index_columns();
}

std::vector<Column> Table::take_columns() {
  place_of_.clear();
  return std::exchange(columns_, {});
}

bool Table::remove_column(std::string_view name) {
  const bool removed =
      std::erase_if(columns_, [&](const Column& column) { return column.name() == name; }) > 0;
  if (removed) index_columns();
  return removed;
}

}  // namespace knockout
