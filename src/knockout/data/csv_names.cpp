// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include "knockout/base/parallel.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_scan.h"

namespace knockout {
namespace {

constexpr std::size_t kFactsChunk = std::size_t{1} << 20;

/// The start of the record after the one in which a field starts at `p`.
const char* next_record(const char* p, const char* end, const CsvDialect& dialect,
                        bool has_quotes) {
  if (!has_quotes) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
  }
  while (true) {
    const CsvField field = read_field(p, end, dialect);
    p = field.end + 1;
    if (*field.end == '\n') return p;
  }
}

/// Calls `look(record)` with the start of each record of a range; it returns where to go on, in a
/// field of that record.
template <typename Look>
void for_each_record(const CsvRange& range, const CsvDialect& dialect, const Look& look) {
  const auto size = static_cast<std::size_t>(range.end - range.begin);
  const bool has_quotes = std::memchr(range.begin, '"', size) != nullptr;
  for (const char* p = range.begin; p != range.end;) {
    if (const char* const next = skip_blank_line(p, dialect)) {
      p = next;
    } else {
      p = next_record(look(p), range.end, dialect, has_quotes);
    }
  }
}

/// The first cell of every record.
std::vector<std::string_view> first_cells(std::string_view body, const CsvDialect& dialect,
                                          int threads) {
  const std::vector<CsvRange> ranges = split_records(body, 1, dialect, kFactsChunk, threads);
  std::vector<std::vector<std::string_view>> parts(ranges.size());
  parallel_for(ranges.size(), threads, [&](std::size_t i) {
    for_each_record(ranges[i], dialect, [&](const char* p) {
      const CsvField field = read_field(p, ranges[i].end, dialect);
      parts[i].push_back(trim(field.text));
      return p;
    });
  });
  std::vector<std::string_view> cells;
  for (const auto& part : parts) cells.insert(cells.end(), part.begin(), part.end());
  return cells;
}

/// For each column, whether a record has anything in it.
std::vector<bool> columns_with_values(std::string_view body, const CsvDialect& dialect,
                                      std::size_t columns, int threads) {
  const std::vector<CsvRange> ranges = split_records(body, 1, dialect, kFactsChunk, threads);
  std::vector<std::vector<bool>> parts(ranges.size(), std::vector<bool>(columns));
  parallel_for(ranges.size(), threads, [&](std::size_t i) {
    for_each_record(ranges[i], dialect, [&](const char* p) {
      for (std::size_t column = 0;; ++column) {
        const CsvField field = read_field(p, ranges[i].end, dialect);
        if (column < columns && !trim(field.text).empty()) parts[i][column] = true;
        if (*field.end == '\n') return p;
        p = field.end + 1;
      }
    });
  });
  std::vector<bool> found(columns);
  for (const auto& part : parts) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (part[column]) found[column] = true;
    }
  }
  return found;
}

/// Row numbers, which most names of rows are, are told apart without remembering them.
bool are_counted(const std::vector<std::string_view>& cells) {
  std::optional<std::uint64_t> last;
  for (const std::string_view cell : cells) {
    std::uint64_t number = 0;
    const char* const end = cell.data() + cell.size();
    const auto [stop, problem] = std::from_chars(cell.data(), end, number);
    if (stop != end || problem != std::errc() || (last && number <= *last)) return false;
    last = number;
  }
  return true;
}

bool are_all_different(const std::vector<std::string_view>& cells) {
  if (are_counted(cells)) return true;
  HashSet<std::string_view> seen;
  seen.reserve(cells.size());
  return std::all_of(cells.begin(), cells.end(), [&](std::string_view cell) {
    return !cell.empty() && seen.insert(cell).second;
  });
}

bool is_unnamed(const std::string& name) {
  return name.find_first_not_of(" \t") == std::string::npos;
}

std::string examples_of(const std::vector<std::string_view>& cells) {
  if (cells.empty()) return "";
  return cells.size() == 1
             ? fmt::format(" ({})", show_cell(cells[0]))
             : fmt::format(" ({}, {}, ...)", show_cell(cells[0]), show_cell(cells[1]));
}

/// Names columns in the order of the file.
class NameGiver {
 public:
  NameGiver(CsvLayout& layout, std::vector<Note>& notes) : layout_(layout), notes_(notes) {
    for (const std::string& name : layout.names) taken_.insert(name);
  }

  void set_row_names_aside(const std::vector<std::string_view>& cells, std::string_view why) {
    layout_.names[0] = "row names";
    layout_.set_aside[0] = true;
    notes_.push_back({"row_names", "",
                      fmt::format("{} it holds names of rows{} and was set aside. To use it, give "
                                  "it a name in the header.",
                                  why, examples_of(cells))});
  }

  /// Drops or names the columns that have no name.
  void complete(const std::vector<bool>& has_values) {
    std::vector<std::size_t> dropped;
    for (std::size_t i = 0; i < layout_.names.size(); ++i) {
      if (layout_.set_aside[i] || !is_unnamed(layout_.names[i])) continue;
      layout_.names[i] = unused(fmt::format("column_{}", i + 1));
      if (!has_values[i]) {
        dropped.push_back(i + 1);
        layout_.set_aside[i] = true;
        continue;
      }
      notes_.push_back({"unnamed_column", layout_.names[i],
                        fmt::format("Column {} of the file has no name; it is called \"{}\".",
                                    i + 1, layout_.names[i])});
    }
    if (dropped.empty()) return;
    notes_.push_back(
        {"empty_columns", "",
         fmt::format("{} of the file {} neither a name nor a value and {} dropped.",
                     dropped.size() == 1 ? fmt::format("Column {}", dropped[0])
                                         : fmt::format("Columns {}", fmt::join(dropped, ", ")),
                     dropped.size() == 1 ? "has" : "have", dropped.size() == 1 ? "was" : "were")});
  }

  void number_repeated_names() {
    HashSet<std::string> seen;
    for (std::size_t i = 0; i < layout_.names.size(); ++i) {
      std::string& name = layout_.names[i];
      if (layout_.set_aside[i] || seen.insert(name).second) continue;
      const std::string given = name;
      name = unused_number(given);
      seen.insert(name);
      notes_.push_back({"repeated_name", name,
                        fmt::format("Several columns are named {}; column {} of the file is called "
                                    "\"{}\".",
                                    show_cell(given), i + 1, name)});
    }
  }

 private:
  std::string unused(const std::string& name) {
    return taken_.insert(name).second ? name : unused_number(name);
  }
  std::string unused_number(const std::string& name) {
    std::size_t& number = last_number_[name];
    std::string numbered;
    do {
      numbered = fmt::format("{}.{}", name, ++number);
    } while (!taken_.insert(numbered).second);
    return numbered;
  }

  CsvLayout& layout_;
  std::vector<Note>& notes_;
  HashSet<std::string> taken_;
  HashMap<std::string, std::size_t> last_number_;
};

}  // namespace

void complete_names(CsvLayout& layout, std::string_view body, int threads,
                    std::vector<Note>& notes) {
  layout.set_aside.resize(layout.names.size());
  NameGiver names(layout, notes);
  if (layout.names.size() > 1 && is_unnamed(layout.names[0]) && !layout.set_aside[0]) {
    const auto cells = first_cells(body, layout.dialect, threads);
    if (are_all_different(cells)) {
      names.set_row_names_aside(cells,
                                "The first column has no name and no two cells that are alike:");
    }
  }
  const auto is_open = [&](std::size_t i) {
    return !layout.set_aside[i] && is_unnamed(layout.names[i]);
  };
  bool any_open = false;
  for (std::size_t i = 0; i < layout.names.size(); ++i) any_open |= is_open(i);
  if (any_open) {
    names.complete(columns_with_values(body, layout.dialect, layout.names.size(), threads));
  }
  names.number_repeated_names();
}

void complete_short_header(CsvLayout& layout, std::string_view body, int threads,
                           std::vector<Note>& notes) {
  const std::size_t fields = layout.names.size() + 1;
  if (!columns_with_values(body, layout.dialect, fields, threads)[fields - 1]) {
    layout.names.emplace_back();
    return;
  }
  const auto cells = first_cells(body, layout.dialect, threads);
  if (!are_all_different(cells)) return;
  layout.names.insert(layout.names.begin(), "");
  layout.set_aside.assign(layout.names.size(), false);
  NameGiver(layout, notes)
      .set_row_names_aside(
          cells, "The header has one name less than the records have fields. The first field:");
}

}  // namespace knockout
