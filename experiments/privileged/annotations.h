// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/bad_files.h"

namespace knockout::experiments {

/// What one person said of one image, who it was and how long it took.
struct Annotation {
  int label = 0;
  double annotator = 0;  ///< NaN = not known, and then neither are the seconds.
  double seconds = 0;
};

/// What people said of the images of a data set.
struct Annotations {
  std::vector<std::vector<Annotation>> of_image = {};  ///< By the image's place in CIFAR.
  std::vector<int> clean = {};  ///< What the file says the images are; -1 = it does not.
  std::vector<int> worst = {};  ///< The owners' choice of the worst annotation; empty = none.
  std::string path = {};        ///< Of the labels.
  std::string note = {};        ///< For the report: what is odd about them; "" = nothing.
};

/// CIFAR-10N or CIFAR-100N: the labels of CIFAR-10_human.pt and the people of
/// side_info_cifar10N.csv, or both from cifar10n_annotations_long.csv; likewise for 100. Labels out
/// of range and annotations of no image go to `bad`.
Annotations read_cifar_n(const std::string& folder, int classes, BadFiles& bad);

/// CIFAR-10H: cifar10h-raw.csv (or .csv.gz), without its attention checks. A few reaction times in
/// it are negative; they count as 0.
Annotations read_cifar10h(const std::string& folder, BadFiles& bad);

/// The annotation of an image that is trained on: a wrong one where there is one. With few of them
/// the last, as the owners of CIFAR-10N choose; with `take_any`, for the fifty of CIFAR-10H which
/// are sorted by annotator, any of them: always the same for the same image. REQUIRES: at least
/// one.
const Annotation& worst_of(const std::vector<Annotation>& annotations, int clean, bool take_any,
                           std::size_t image);

/// The first `folder/place/name` that is there, or "".
std::string find_file(const std::string& folder, const std::vector<std::string>& places,
                      const std::string& name);

}  // namespace knockout::experiments
