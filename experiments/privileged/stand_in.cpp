// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/stand_in.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "experiments/data_study.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/npy.h"

namespace knockout::experiments {
namespace {

constexpr std::size_t kCountedImages = 10'000, kCountedLabels = 10;

std::string find_or_expect(const std::string& folder, const std::vector<std::string>& places,
                           const std::string& name) {
  const std::string path = find_file(folder, places, name);
  return path.empty() ? expect_path(folder, name) : path;
}

bool is_whole_below(double number, std::size_t limit) {
  return number >= 0 && number < static_cast<double>(limit) && number == std::floor(number);
}

/// One annotation for each count; nobody knows whose.
void add_counts(const std::string& path, Annotations& annotations) {
  const Table counts = read_npy(path, "count");
  if (counts.rows() != kCountedImages || counts.column_count() != kCountedLabels) {
    throw DataError(fmt::format("{}: {} x {} numbers, expected {} images x {} classes.", path,
                                with_thousands(counts.rows()), counts.column_count(),
                                with_thousands(kCountedImages), kCountedLabels));
  }
  constexpr std::size_t kMostPeople = 1000;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t image = 0; image < kCountedImages; ++image) {
    for (std::size_t label = 0; label < kCountedLabels; ++label) {
      const Column& column = counts.column(label);
      if (!column.observed(image) || !is_whole_below(column.number(image), kMostPeople)) {
        throw DataError(fmt::format("{}: the count of class {} is no whole number from 0 to {}.",
                                    counts.where(image), label, kMostPeople - 1));
      }
      const Annotation unknown{static_cast<int>(label), kUnknown, kUnknown};
      auto& of_image = annotations.of_image[image];
      of_image.insert(of_image.end(), static_cast<std::size_t>(column.number(image)), unknown);
    }
  }
}

/// Single annotations take the place of the counts, which say nothing of people.
void replace_by_annotations(const std::string& path, Annotations& annotations, BadFiles& bad) {
  const std::vector<std::string> names = {"annotator_id", "cifar10_test_idx", "true_label", "top1",
                                          "reaction_time_ms"};
  CsvOptions options;
  options.only_columns = names;
  const Table table = read_csv(path, options);
  for (const std::string& name : names) {
    if (table.at(name).is_text()) {
      throw DataError(fmt::format("{}, column \"{}\": expected numbers.", path, name));
    }
  }
  std::vector<bool> replaced(kCountedImages, false);
  constexpr double kSecondsPerMillisecond = 1e-3;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto number = [&](const char* name) {
      const Column& column = table.at(name);
      return column.observed(row) ? column.number(row) : -1.0;
    };
    const double image = number("cifar10_test_idx"), label = number("top1"),
                 clean = number("true_label"), seconds = number("reaction_time_ms");
    if (!is_whole_below(image, kCountedImages) || !is_whole_below(label, kCountedLabels) ||
        !is_whole_below(clean, kCountedLabels) || seconds < 0 || number("annotator_id") < 0) {
      bad.add(
          table.where(row),
          "is no annotation: expected an image from 0 to 9999, labels from 0 to 9, an annotator "
          "and a reaction time, none of them negative");
      continue;
    }
    const auto place = static_cast<std::size_t>(image);
    if (!replaced[place]) annotations.of_image[place].clear();
    replaced[place] = true;
    annotations.clean[place] = static_cast<int>(clean);
    annotations.of_image[place].push_back(
        {static_cast<int>(label), number("annotator_id"), seconds * kSecondsPerMillisecond});
  }
}

}  // namespace

Annotations read_cifar10h_stand_in(const std::string& folder, BadFiles& bad) {
  const std::string counts = find_or_expect(
      folder, {"", "data", "cifar-10h", "cifar-10h/data", "cifar10h"}, "cifar10h-counts.npy");
  const std::string people = find_or_expect(folder, {"", "cifar10s"}, "cifar10s_annotations.csv");
  Annotations annotations{.of_image = std::vector<std::vector<Annotation>>(kCountedImages),
                          .clean = std::vector<int>(kCountedImages, -1),
                          .path = counts};
  add_counts(counts, annotations);
  replace_by_annotations(people, annotations, bad);
  annotations.note =
      "A stand-in, not the paper's data: the raw annotations of CIFAR-10H are not used. Annotators "
      "and times are those of CIFAR-10S, for the images that its people saw; for the others only "
      "the published counts are known, so that annotator and time are missing in training too.";
  return annotations;
}

}  // namespace knockout::experiments
