// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/picture_list.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "experiments/genera/tree_records.h"
#include "experiments/genera/view_set.h"
#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder, bool folders) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() == folders) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_picture(const fs::path& path) {
  static const std::set<std::string> endings = {".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG"};
  return endings.contains(path.extension().string());
}

bool in_records(const std::string& data) {
  return fs::path(pictures_folder(data)).filename() == kTreeRecords;
}

/// images/<view>/<genus>/<id>.jpg: by genus and id; those that lack a view go to `bad`.
PictureList list_picture_files(const fs::path& images, int classes, BadFiles& bad) {
  PictureList list;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> trees;
  const std::vector<fs::path> views = sorted_entries(images, true);
  if (views.size() < 2) {
    throw DataError(
        fmt::format("{}: holds {} of the at least two views that are expected, a "
                    "folder each, such as images/aerial and images/street.",
                    images.string(), views.size()));
  }
  for (std::size_t v = 0; v < views.size(); ++v) {
    list.views.push_back(views[v].filename().string());
    for (const fs::path& genus : sorted_entries(views[v], true)) {
      for (const fs::path& picture : sorted_entries(genus, false)) {
        if (!is_picture(picture)) continue;
        auto& of_tree = trees[{genus.filename().string(), picture.stem().string()}];
        of_tree.resize(views.size());
        of_tree[v] = picture.string();
      }
    }
  }
  std::vector<std::string> names;
  names.reserve(trees.size());
  for (const auto& [key, pictures] : trees) names.push_back(key.first);
  const std::vector<std::string> kept = most_frequent(names, classes);
  for (const auto& [key, pictures] : trees) {
    const auto& [genus, id] = key;
    if (std::find(kept.begin(), kept.end(), genus) == kept.end()) continue;
    const auto absent = std::find(pictures.begin(), pictures.end(), "");
    if (absent == pictures.end()) {
      PicturedTree tree{.id = id, .genus = genus, .part = {}, .pictures = {}};
      for (const std::string& picture : pictures) tree.pictures.push_back({.path = picture});
      list.trees.push_back(std::move(tree));
    } else {
      const fs::path expected =
          views[static_cast<std::size_t>(absent - pictures.begin())] / genus / id;
      bad.add(fmt::format("{}/{}", genus, id),
              fmt::format("{}: there is no picture of that name (.jpg, .jpeg, .png)",
                          expected.string()));
    }
  }
  if (list.trees.empty()) {
    throw DataError(
        fmt::format("{}: holds no tree with a picture in every view.\n  Expected "
                    "images/<view>/<genus>/<id>.jpg, with the same id in every view.",
                    images.string()));
  }
  return list;
}

std::string size_and_time(const std::string& path) {
  return fmt::format("{} {}", fs::file_size(path),
                     fs::last_write_time(path).time_since_epoch().count());
}

}  // namespace

std::string pictures_folder(const std::string& data) {
  const fs::path records = fs::path(data) / kTreeRecords;
  if (!fs::exists(fs::path(data) / "images") && fs::is_directory(records)) return records.string();
  return expect_path(data, "images");
}

PictureList list_pictures(const std::string& data, const TreesOptions& options, BadFiles& bad) {
  const std::string folder = pictures_folder(data);
  if (!in_records(data)) return list_picture_files(folder, options.classes, bad);
  PictureList list = list_tree_records(folder, tree_record_options(options), bad);
  std::vector<std::string> names;
  names.reserve(list.trees.size());
  for (const PicturedTree& tree : list.trees) names.push_back(tree.genus);
  const std::vector<std::string> kept = most_frequent(names, options.classes);
  std::erase_if(list.trees, [&](const PicturedTree& tree) {
    return std::find(kept.begin(), kept.end(), tree.genus) == kept.end();
  });
  return list;
}

PictureSummary summarize_pictures(const std::string& data, const TreesOptions& options) {
  PictureSummary summary;
  Sha256 hash;
  if (in_records(data)) {
    const TreeRecordOptions records = tree_record_options(options);
    for (const auto& [view, field] : records.views) summary.views.push_back(view);
    hash.add(fmt::format("{} {} {} {}\n", options.classes, options.record_views,
                         options.record_label, options.cities));
    for (const std::string& file : tree_record_files(pictures_folder(data), records)) {
      hash.add(fmt::format("{} {}\n", file, size_and_time(file)));
    }
  } else {
    BadFiles unused;
    const PictureList list = list_pictures(data, options, unused);
    summary.views = list.views;
    for (const PicturedTree& tree : list.trees) {
      for (const PicturePlace& picture : tree.pictures) {
        hash.add(fmt::format("{}/{} {}\n", tree.genus, tree.id, size_and_time(picture.path)));
      }
    }
  }
  summary.fingerprint = hash.finish();
  return summary;
}

}  // namespace knockout::experiments
