// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/view_set.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/npy.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// The files of a folder that are views, by name.
std::vector<fs::path> view_files(const fs::path& folder, const ViewSetOptions& options) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".npy" || path.stem() == options.labels || path.stem() == "split") {
      continue;
    }
    files.push_back(path);
  }
  for (const std::string& name : options.views) {
    const fs::path table = folder / (name + ".csv");
    if (fs::exists(table) && !fs::exists(folder / (name + ".npy"))) files.push_back(table);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What a row is, and which part of the split it belongs to.
struct Labels {
  std::string source;
  std::vector<std::string> names;  ///< "" = none that can be used; the row is in `bad`.
  std::vector<Part> parts;         ///< Empty = no split.
};

void add_bad_row(BadFiles& bad, const std::string& set, const Table& table, std::size_t row,
                 const std::string& reason) {
  bad.add(fmt::format("{}, row {}", set, row + 1), fmt::format("{}: {}", table.where(row), reason));
}

Labels numbered_labels(const fs::path& path, const std::string& set, BadFiles& bad) {
  const Table table = read_npy(path.string(), "label");
  if (table.column_count() != 1) {
    throw DataError(fmt::format("{}: has {} columns where one label per row is expected.",
                                path.string(), table.column_count()));
  }
  const Column& column = table.column(0);
  Labels labels{.source = path.string(), .names = {}, .parts = {}};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double number = column.number(row);
    const bool usable = column.observed(row) && number >= 0 && number == std::floor(number);
    labels.names.push_back(usable ? fmt::format("{}", number) : "");
    if (usable) continue;
    add_bad_row(
        bad, set, table, row,
        column.observed(row)
            ? fmt::format("label {} is out of range: whole numbers from 0 are expected", number)
            : "has no label");
  }
  return labels;
}

std::optional<Part> part_named(const std::string& word) {
  static const std::map<std::string, Part> parts = {{"train", Part::kTraining},
                                                    {"training", Part::kTraining},
                                                    {"val", Part::kValidation},
                                                    {"validation", Part::kValidation},
                                                    {"test", Part::kTest}};
  const auto found = parts.find(word);
  return found == parts.end() ? std::nullopt : std::optional(found->second);
}

Labels named_labels(const fs::path& path, const std::string& set, BadFiles& bad) {
  const Table table = read_csv(path.string(), {.text_columns = {"*"}});
  const Column* names = table.find("genus");
  if (names == nullptr) names = table.find("label");
  if (names == nullptr && table.column_count() == 1) names = &table.column(0);
  if (names == nullptr) {
    throw DataError(
        fmt::format("{}: has the columns {}.\n  Expected \"genus\" or \"label\" among "
                    "them, or a single column.",
                    path.string(), fmt::join(table.names(), ", ")));
  }
  Labels labels{.source = path.string(), .names = {}, .parts = {}};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool usable = names->observed(row);
    labels.names.push_back(usable ? names->word(row) : "");
    if (!usable) add_bad_row(bad, set, table, row, "has no label");
  }
  const Column* split = table.find("split");
  if (split == nullptr) return labels;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string word = split->observed(row) ? split->word(row) : "";
    const std::optional<Part> part = part_named(word);
    if (!part) {
      throw DataError(
          fmt::format("{}, column \"split\": \"{}\" is no part of a split.\n  Expected "
                      "train, validation or test.",
                      table.where(row), word));
    }
    labels.parts.push_back(*part);
  }
  return labels;
}

void read_split(const fs::path& path, Labels& labels) {
  const Table table = read_npy(path.string(), "part");
  if (table.column_count() != 1 || table.rows() != labels.names.size()) {
    throw DataError(fmt::format("{}: {} x {} numbers do not fit the {} of {}.", path.string(),
                                table.rows(), table.column_count(),
                                plural(labels.names.size(), "label"), labels.source));
  }
  labels.parts.clear();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double number = table.column(0).number(row);
    if (!table.column(0).observed(row) || (number != 0 && number != 1 && number != 2)) {
      throw DataError(fmt::format(
          "{}: is no part of a split.\n  Expected 0 (training), 1 (validation) or 2 (test).",
          table.where(row)));
    }
    labels.parts.push_back(static_cast<Part>(static_cast<int>(number)));
  }
}

/// In the set's folder or, for all sets alike, in the folder of the data set.
Labels read_tree_labels(const fs::path& set, const fs::path& data, const std::string& stem,
                        BadFiles& bad) {
  for (const fs::path& folder : {set, data}) {
    std::optional<Labels> labels;
    const std::string name = set.filename().string();
    if (fs::exists(folder / (stem + ".npy"))) {
      labels = numbered_labels(folder / (stem + ".npy"), name, bad);
    } else if (fs::exists(folder / (stem + ".csv"))) {
      labels = named_labels(folder / (stem + ".csv"), name, bad);
    }
    if (!labels) continue;
    if (fs::exists(folder / "split.npy")) read_split(folder / "split.npy", *labels);
    return std::move(*labels);
  }
  throw FileError(fmt::format(
      "{}: is not there.\n  Expected the labels of the trees, one per row of the views, as "
      "labels.npy (whole numbers) or labels.csv (a column \"genus\"), or under the name that "
      "--labels gives.",
      (set / (stem + ".npy")).string()));
}

/// A matrix, or a table of numbers.
Table read_numbers(const fs::path& path, const std::string& view) {
  if (path.extension() == ".npy") return read_npy(path.string(), view);
  Table table = read_csv(path.string());
  for (std::size_t c = 0; c < table.column_count(); ++c) {
    if (!table.column(c).is_text()) continue;
    throw DataError(fmt::format("{}, column \"{}\": holds text where a view has numbers.",
                                path.string(), table.column(c).name()));
  }
  return table;
}

/// Reads one view; rows that are not finite are set to false in `usable`.
View read_view(const fs::path& path, const std::string& set, const Labels& labels,
               std::vector<bool>& usable, BadFiles& bad) {
  View view{.name = path.stem().string(), .width = 0, .values = {}};
  const Table table = read_numbers(path, view.name);
  if (table.rows() != labels.names.size()) {
    throw DataError(
        fmt::format("{}: has {} where {} has {}.\n  Every view needs one row per tree, "
                    "in the same order.",
                    path.string(), plural(table.rows(), "row"), labels.source,
                    plural(labels.names.size(), "label")));
  }
  view.width = table.column_count();
  view.values.resize(table.rows() * view.width);
  std::vector<std::size_t> first_bad(table.rows(), view.width);
  for (std::size_t c = 0; c < view.width; ++c) {
    const Column& column = table.column(c);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto value = static_cast<float>(column.number(row));
      view.values[row * view.width + c] = value;
      const bool finite = column.observed(row) && std::isfinite(value);
      if (!finite) first_bad[row] = std::min(first_bad[row], c);
    }
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (first_bad[row] == view.width) continue;
    usable[row] = false;
    add_bad_row(bad, set, table, row,
                fmt::format("column {} is not a finite number", first_bad[row] + 1));
  }
  return view;
}

/// Leaves the given rows, ascending, of a view.
void keep_rows(View& view, const std::vector<std::size_t>& rows) {
  for (std::size_t to = 0; to < rows.size(); ++to) {
    std::copy_n(view.values.begin() + static_cast<std::ptrdiff_t>(rows[to] * view.width),
                view.width, view.values.begin() + static_cast<std::ptrdiff_t>(to * view.width));
  }
  view.values.resize(rows.size() * view.width);
  view.values.shrink_to_fit();
}

/// The files that were asked for. Throws ConfigError with the nearest name.
std::vector<fs::path> chosen(const std::vector<fs::path>& files, const std::string& option,
                             const std::vector<std::string>& wanted) {
  if (wanted.empty()) return files;
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const fs::path& file : files) {
    const bool is_file = file.extension() == ".npy" || file.extension() == ".csv";
    names.push_back((is_file ? file.stem() : file.filename()).string());
  }
  std::vector<fs::path> found;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw ConfigError(fmt::format("--{} {}: is not among {}.{}", option, name,
                                    fmt::join(names, ", "), did_you_mean(name, names)));
    }
    found.push_back(files[static_cast<std::size_t>(at - names.begin())]);
  }
  return found;
}

ViewSet read_view_set(const fs::path& folder, const fs::path& data, const ViewSetOptions& options,
                      BadFiles& bad) {
  ViewSet set;
  set.name = folder.filename().string();
  const std::vector<fs::path> files = chosen(view_files(folder, options), "views", options.views);
  if (files.size() < 2) {
    throw DataError(
        fmt::format("{}: holds {} where at least two views are expected, a .npy matrix "
                    "each, such as aerial.npy and street.npy.",
                    folder.string(), files.empty() ? "none" : files[0].filename().string()));
  }
  const Labels labels = read_tree_labels(folder, data, options.labels, bad);
  std::vector<bool> usable(labels.names.size());
  for (std::size_t row = 0; row < usable.size(); ++row) usable[row] = !labels.names[row].empty();
  for (const fs::path& file : files) {
    set.views.push_back(read_view(file, set.name, labels, usable, bad));
  }

  std::vector<std::string> names;
  for (std::size_t row = 0; row < usable.size(); ++row) {
    if (usable[row]) names.push_back(labels.names[row]);
  }
  set.classes = most_frequent(names, options.classes);
  if (set.classes.size() < 2) {
    throw DataError(
        fmt::format("{}: fewer than two classes are left to tell apart.", labels.source));
  }
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < usable.size(); ++row) {
    if (!usable[row]) continue;
    const auto found = std::find(set.classes.begin(), set.classes.end(), labels.names[row]);
    if (found == set.classes.end()) {
      ++set.other_rows;
      continue;
    }
    kept.push_back(row);
    set.labels.push_back(static_cast<int>(found - set.classes.begin()));
    if (!labels.parts.empty()) set.parts.push_back(labels.parts[row]);
  }
  for (View& view : set.views) keep_rows(view, kept);
  return set;
}

}  // namespace

std::vector<std::string> most_frequent(const std::vector<std::string>& names, int most) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : names) ++counts[name];
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> first;
  for (const auto& [name, count] : sorted) {
    if (first.size() < static_cast<std::size_t>(most)) first.push_back(name);
  }
  return first;
}

std::vector<std::string> view_set_folders(const std::string& folder,
                                          const ViewSetOptions& options) {
  if (!fs::is_directory(folder)) {
    throw FileError(
        fmt::format("{}: is not a folder.\n  --data must name the folder that holds "
                    "the views; to try things out:  --synthesize DIR",
                    folder));
  }
  // "data/" would have no name
  const fs::path data =
      fs::path(folder).has_filename() ? fs::path(folder) : fs::path(folder).parent_path();
  if (!view_files(data, options).empty()) return {data.string()};
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(data)) {
    if (entry.is_directory() && !view_files(entry.path(), options).empty()) {
      folders.push_back(entry.path().string());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<ViewSet> read_view_sets(const std::string& folder, const ViewSetOptions& options,
                                    BadFiles& bad) {
  const std::vector<std::string> found = view_set_folders(folder, options);
  if (found.empty()) {
    throw FileError(fmt::format(
        "{}: there are no views.\n  Expected .npy matrices (aerial.npy, street.npy) in it or in "
        "folders of it (resnet50, vit_b_16); pictures under images/ need --encoder FILE. To try "
        "things out without the real data:  --synthesize DIR",
        folder));
  }
  const std::vector<fs::path> folders(found.begin(), found.end());
  std::vector<ViewSet> sets;
  for (const fs::path& set : chosen(folders, "sets", options.sets)) {
    sets.push_back(read_view_set(set, folder, options, bad));
  }
  return sets;
}

}  // namespace knockout::experiments
