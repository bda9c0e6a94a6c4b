// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/tree_records.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/schema/column_list.h"
#include "media/arrays/tf_example.h"
#include "media/arrays/tf_records.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// "train" or "test" by how a file's name begins; "" = it is no file of records.
std::string part_of_file(const fs::path& path) {
  const std::string name = path.filename().string(), ending = path.extension().string();
  if (ending == ".index" || ending == ".idx") return "";
  for (const char* const part : {"train", "test"}) {
    if (name.starts_with(part)) return part;
  }
  return "";
}

const TfFeature& field_of(const TfExample& example, const std::string& name,
                          const std::string& where) {
  const auto found = example.find(name);
  if (found != example.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, feature] : example) names.push_back(known);
  throw DataError(fmt::format("{}: has no field \"{}\" among {}.{}", where, name,
                              fmt::join(names, ", "), did_you_mean(name, names)));
}

std::string genus_of(const TfExample& example, const std::string& name, const std::string& where) {
  const TfFeature& field = field_of(example, name, where);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&field)) {
    if (numbers->size() == 1) return fmt::format("{}", numbers->front());
  }
  if (const auto* words = std::get_if<std::vector<std::string_view>>(&field)) {
    if (words->size() == 1 && !words->front().empty()) return std::string(words->front());
  }
  throw DataError(
      fmt::format("{}: \"{}\" is not one whole number or one name: no genus.", where, name));
}

std::string_view picture_of(const TfExample& example, const std::string& name,
                            const std::string& where) {
  const auto* pictures =
      std::get_if<std::vector<std::string_view>>(&field_of(example, name, where));
  if (pictures != nullptr && pictures->size() == 1 && !pictures->front().empty()) {
    return pictures->front();
  }
  throw DataError(fmt::format("{}: \"{}\" is not one picture.", where, name));
}

PicturedTree tree_of(const TfRecord& record, const TreeRecordOptions& options,
                     const std::string& file, const std::string& where) {
  const TfExample example = parse_tf_example(record.bytes, where);
  PicturedTree tree;
  tree.genus = genus_of(example, options.label, where);
  for (const auto& [view, field] : options.views) {
    const std::string_view picture = picture_of(example, field, where);
    const auto within = static_cast<std::uint64_t>(picture.data() - record.bytes.data());
    tree.pictures.push_back(
        {.path = file, .begin = record.begin + within, .length = picture.size()});
  }
  return tree;
}

/// The trees of one file, up to where it is damaged.
void add_trees(const std::string& file, const TreeRecordOptions& options, PictureList& list,
               BadFiles& bad) {
  const fs::path path = file;
  TfRecordReader records(file);
  for (std::size_t number = 1;; ++number) {
    std::optional<TfRecord> record;
    try {
      record = records.next();
    } catch (const DataError& error) {
      bad.add(file, error.what());
      return;
    }
    if (!record) return;
    try {
      PicturedTree tree = tree_of(*record, options, file, records.where());
      tree.part = part_of_file(path);
      tree.id = fmt::format("{}/{}/{}", path.parent_path().filename().string(),
                            path.filename().string(), number);
      list.trees.push_back(std::move(tree));
    } catch (const DataError& error) {
      bad.add(fmt::format("{}, record {}", file, number), error.what());
    }
  }
}

}  // namespace

TreeRecordOptions tree_record_options(const TreesOptions& options) {
  TreeRecordOptions records{.views = {}, .label = options.record_label, .cities = {}};
  if (!options.cities.empty()) records.cities = split_column_list({options.cities}, {});
  for (const std::string& view : split_column_list({options.record_views}, {})) {
    const std::size_t sign = view.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == view.size()) {
      throw ConfigError(fmt::format(
          "--record-views {}: expected NAME=FIELD, such as aerial=aerial/encoded.", view));
    }
    records.views.emplace_back(view.substr(0, sign), view.substr(sign + 1));
  }
  if (records.views.size() < 2) {
    throw ConfigError("--record-views: expected at least two views, separated by commas.");
  }
  return records;
}

std::vector<std::string> tree_record_files(const std::string& folder,
                                           const TreeRecordOptions& options) {
  std::vector<std::string> cities;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) cities.push_back(entry.path().filename().string());
  }
  std::sort(cities.begin(), cities.end());
  for (const std::string& city : options.cities) {
    if (std::find(cities.begin(), cities.end(), city) != cities.end()) continue;
    throw ConfigError(fmt::format("--cities {}: is not among {}.{}", city, fmt::join(cities, ", "),
                                  did_you_mean(city, cities)));
  }
  std::vector<std::string> files;
  for (const std::string& city : options.cities.empty() ? cities : options.cities) {
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / city)) {
      if (!entry.is_directory() && !part_of_file(entry.path()).empty()) {
        files.push_back(entry.path().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw FileError(
        fmt::format("{}: holds no records.\n  Expected them as the owners ship them: "
                    "{}/<city>/train-00000-of-00025 and so on, and test-...",
                    folder, kTreeRecords));
  }
  return files;
}

PictureList list_tree_records(const std::string& folder, const TreeRecordOptions& options,
                              BadFiles& bad) {
  PictureList list;
  for (const auto& [view, field] : options.views) list.views.push_back(view);
  for (const std::string& file : tree_record_files(folder, options)) {
    add_trees(file, options, list, bad);
  }
  if (list.trees.empty()) {
    throw DataError(fmt::format("{}: no record in it can be used.{}", folder,
                                bad.empty() ? "" : "\n  The first: " + bad.json()[0].dump()));
  }
  std::set<std::string> parts;
  for (const PicturedTree& tree : list.trees) parts.insert(tree.part);
  if (parts.size() < 2) {
    for (PicturedTree& tree : list.trees) tree.part = "";
  }
  return list;
}

}  // namespace knockout::experiments
