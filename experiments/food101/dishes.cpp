// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/dishes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "experiments/data_study.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/data/csv_reader.h"
#include "media/image/picture.h"
#include "media/image/transform.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// The three columns of a list, nothing in them taken for missing or for a number.
Table read_list(const std::string& folder, const std::string& name) {
  CsvOptions options;
  options.missing_words = {};
  options.text_columns = {"*"};
  options.has_header = false;
  options.delimiter = ',';
  const std::string path = expect_path(folder, "texts/" + name);
  Table list = read_csv(path, options);
  if (list.column_count() != 3) {
    throw DataError(fmt::format(
        "{}: {} columns, expected 3 without a header: picture, text, dish.\n  A text with commas "
        "stands in quotes.",
        path, list.column_count()));
  }
  return list;
}

std::string word(const Column& column, std::size_t row) {
  return column.codes[row] < 0 ? "" : column.words[column.codes[row]];
}

std::vector<std::string> dishes_of(const Table& list) {
  std::vector<std::string> names;
  for (const std::string& name : list.column(2).words) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Dish> find_rows(const Table& list, const std::string& pictures,
                            const std::vector<std::string>& classes, BadFiles& bad) {
  std::vector<Dish> dishes;
  for (std::size_t row = 0; row < list.rows(); ++row) {
    const std::string file = word(list.column(0), row), dish = word(list.column(2), row);
    const auto found = std::lower_bound(classes.begin(), classes.end(), dish);
    if (found == classes.end() || *found != dish) {
      bad.add(list.where(row), dish.empty() ? "the row names no dish."
                                            : fmt::format("the dish \"{}\" is not in the training "
                                                          "list.",
                                                          dish));
      continue;
    }
    const fs::path path = fs::path(pictures) / dish / file;
    if (file.empty() || !fs::is_regular_file(path)) {
      bad.add(list.where(row), fmt::format("{}: is not there.", path.string()));
      continue;
    }
    dishes.push_back(
        {path.string(), word(list.column(1), row), static_cast<int>(found - classes.begin())});
  }
  return dishes;
}

}  // namespace

DishSet read_dishes(const std::string& folder, BadFiles& bad) {
  const Table training = read_list(folder, "train_titles.csv");
  const Table test = read_list(folder, "test_titles.csv");
  DishSet set;
  set.classes = dishes_of(training);
  set.training = find_rows(training, expect_path(folder, "images/train"), set.classes, bad);
  set.test = find_rows(test, expect_path(folder, "images/test"), set.classes, bad);
  return set;
}

std::vector<float> read_planes(const std::string& path, int side) {
  const Picture picture = read_picture(path);
  // A hairline would become a picture of any width.
  constexpr int kMostProportion = 50;
  const auto [shorter, longer] = std::minmax(picture.width, picture.height);
  if (longer > kMostProportion * shorter) {
    throw DataError(fmt::format("{}: {} x {} pixels: one side is more than {} times the other.",
                                path, picture.width, picture.height, kMostProportion));
  }
  const Picture resized = resize_shorter_side(picture, side * 8 / 7);
  return to_planes(center_crop(resized, side, side), kImageNetMean, kImageNetStddev);
}

void check_pictures(std::vector<Dish>& dishes, int side, int threads, BadFiles& bad,
                    const std::function<void(double)>& progress) {
  std::vector<std::string> reasons(dishes.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(dishes.size(), threads, [&](std::size_t i) {
    try {
      read_planes(dishes[i].picture, side);
    } catch (const Error& error) {
      reasons[i] = error.what();
    }
    const std::scoped_lock lock(mutex);
    progress(static_cast<double>(++done) / static_cast<double>(dishes.size()));
  });
  std::vector<Dish> kept;
  for (std::size_t i = 0; i < dishes.size(); ++i) {
    if (reasons[i].empty()) {
      kept.push_back(std::move(dishes[i]));
    } else {
      bad.add(dishes[i].picture, reasons[i]);
    }
  }
  dishes = std::move(kept);
}

}  // namespace knockout::experiments
