// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/bad_files.h"

namespace knockout::experiments {

/// A dish on the web: its picture, the title of its page, and what it is.
struct Dish {
  std::string picture;  ///< The path.
  std::string text;     ///< May be empty.
  int label = 0;        ///< Index into DishSet::classes.
};

struct DishSet {
  std::vector<std::string> classes;  ///< Those of the training list, sorted.
  std::vector<Dish> training, test;
};

/// Reads the lists texts/train_titles.csv and texts/test_titles.csv (picture, text, dish; no
/// header) and finds the pictures at images/train/DISH/ and images/test/DISH/. Rows without a
/// picture, or of a dish that training does not know, go to `bad`. Throws FileError and DataError
/// that name the file.
DishSet read_dishes(const std::string& folder, BadFiles& bad);

/// A picture as an encoder trained on ImageNet reads it, 3 x side x side: the shorter side 8/7 of
/// that, then the middle. Throws DataError and FileError that name the file.
std::vector<float> read_planes(const std::string& path, int side);

/// Reads every picture once, on `threads` threads; those that cannot be used go to `bad`, and
/// their rows leave `dishes`. `progress` hears the share done.
void check_pictures(std::vector<Dish>& dishes, int side, int threads, BadFiles& bad,
                    const std::function<void(double)>& progress);

}  // namespace knockout::experiments
