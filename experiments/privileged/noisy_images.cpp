// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/noisy_images.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/privileged/annotations.h"
#include "experiments/privileged/stand_in.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "media/image/cifar.h"

namespace knockout::experiments {
namespace {

/// Images with their places in CIFAR, which annotations refer to.
struct Pictures {
  CifarImages images = {};
  std::vector<std::size_t> places = {};
  std::string description = {};  ///< "10,000 of data_batch_1"
};

Pictures in_order(CifarImages images, const std::string& name) {
  Pictures pictures{.images = std::move(images)};
  for (std::size_t i = 0; i < pictures.images.labels.size(); ++i) pictures.places.push_back(i);
  pictures.description = name;
  return pictures;
}

/// Where CIFAR-10 or CIFAR-100 lies: unpacked from the owners' archive, or simply here.
std::string cifar_path(const std::string& folder, const std::string& owners_folder,
                       const std::string& short_folder, const std::string& name) {
  return find_file(folder, {"", owners_folder, short_folder}, name);
}

std::string cifar10_path(const std::string& folder, const std::string& name) {
  return cifar_path(folder, "cifar-10-batches-bin", "cifar10", name);
}

/// Those of the five batches that are there: number k holds images from 10,000 (k - 1) on.
Pictures read_batches(const std::string& folder) {
  constexpr std::size_t kBatch = 10'000;
  constexpr int kBatches = 5;
  Pictures pictures;
  std::vector<std::string> found;
  for (int number = 1; number <= kBatches; ++number) {
    const std::string path = cifar10_path(folder, fmt::format("data_batch_{}.bin", number));
    if (path.empty()) continue;
    const CifarImages batch = read_cifar10({path});
    if (batch.labels.size() > kBatch) {
      throw DataError(fmt::format("{}: it holds {} images.\n  A batch of CIFAR-10 has {} at most.",
                                  path, with_thousands(batch.labels.size()),
                                  with_thousands(kBatch)));
    }
    auto& all = pictures.images;
    all.pixels.insert(all.pixels.end(), batch.pixels.begin(), batch.pixels.end());
    all.labels.insert(all.labels.end(), batch.labels.begin(), batch.labels.end());
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
      pictures.places.push_back(kBatch * static_cast<std::size_t>(number - 1) + i);
    }
    found.push_back(fmt::format("data_batch_{}", number));
  }
  if (found.empty()) expect_path(folder, "cifar-10-batches-bin/data_batch_1.bin");
  pictures.description = fmt::format("{}", fmt::join(found, ", "));
  return pictures;
}

Pictures read_test_batch(const std::string& folder) {
  const std::string path = cifar10_path(folder, "test_batch.bin");
  return in_order(
      read_cifar10(
          {path.empty() ? expect_path(folder, "cifar-10-batches-bin/test_batch.bin") : path}),
      "test_batch");
}

Pictures read_hundred(const std::string& folder, const std::string& name) {
  const std::string path = cifar_path(folder, "cifar-100-binary", "cifar100", name + ".bin");
  return in_order(
      read_cifar100(path.empty() ? expect_path(folder, "cifar-100-binary/" + name + ".bin") : path),
      name);
}

/// NaN stays NaN: not known.
std::vector<float> scaled_to_one(const std::vector<double>& values) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values) {
    least = std::fmin(least, value);
    most = std::fmax(most, value);
  }
  const double range = most > least ? most - least : 1.0;
  std::vector<float> scaled;
  scaled.reserve(values.size());
  for (const double value : values) scaled.push_back(static_cast<float>((value - least) / range));
  return scaled;
}

/// The images in the order in which they are used: those first of whose annotators something is
/// known.
std::vector<std::size_t> order_of(const Pictures& pictures, const Annotations& annotations) {
  std::vector<std::size_t> order(pictures.places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](std::size_t image) {
    const std::size_t place = pictures.places[image];
    if (place >= annotations.of_image.size()) return true;
    const auto& said = annotations.of_image[place];
    return said.empty() || !std::isnan(said.front().annotator);
  });
  return order;
}

void check_clean(const Pictures& pictures, const Annotations& annotations) {
  for (std::size_t i = 0; i < pictures.places.size(); ++i) {
    const std::size_t place = pictures.places[i];
    if (place >= annotations.clean.size() || annotations.clean[place] < 0 ||
        annotations.clean[place] == pictures.images.labels[i]) {
      continue;
    }
    throw DataError(fmt::format(
        "{}: image {} is of class {} there and of class {} in the CIFAR files ({}).\n  The "
        "annotations belong to other images, or these are in another order.",
        annotations.path, place, annotations.clean[place], pictures.images.labels[i],
        pictures.description));
  }
}

void append_pixels(const CifarImages& from, std::size_t image, std::vector<std::uint8_t>& to) {
  const auto first = from.pixels.begin() + static_cast<std::ptrdiff_t>(image * kCifarPixels);
  to.insert(to.end(), first, first + std::ptrdiff_t{kCifarPixels});
}

}  // namespace

NoisyImages read_noisy_images(const PrivilegedOptions& options, const std::string& folder,
                              BadFiles& bad) {
  const bool hundred = options.dataset == "cifar100n";
  const bool is_stand_in = options.dataset == "cifar10h-counts";
  const bool is_10h = options.dataset == "cifar10h" || is_stand_in;
  NoisyImages data{.classes = hundred ? 100 : 10};
  const Pictures train = hundred  ? read_hundred(folder, "train")
                         : is_10h ? read_test_batch(folder)
                                  : read_batches(folder);
  const Pictures test = hundred  ? read_hundred(folder, "test")
                        : is_10h ? read_batches(folder)
                                 : read_test_batch(folder);
  const Annotations annotations = is_stand_in ? read_cifar10h_stand_in(folder, bad)
                                  : is_10h    ? read_cifar10h(folder, bad)
                                              : read_cifar_n(folder, data.classes, bad);
  check_clean(train, annotations);

  const auto limit = [](int wanted, std::size_t there) {
    return wanted == 0 ? there : std::min(there, static_cast<std::size_t>(wanted));
  };
  std::vector<double> annotators, seconds;
  std::set<double> people;
  std::size_t wrong = 0, as_owners = 0, known = 0;
  const std::size_t training_images = limit(options.training_images, train.places.size());
  for (const std::size_t i : order_of(train, annotations)) {
    if (data.count() == training_images) break;
    const std::size_t place = train.places[i];
    if (place >= annotations.of_image.size() || annotations.of_image[place].empty()) {
      bad.add(fmt::format("image {} of {}", i, train.description),
              fmt::format("{} has no annotation of it", annotations.path));
      continue;
    }
    const int clean = train.images.labels[i];
    const Annotation& chosen = worst_of(annotations.of_image[place], clean, is_10h, place);
    append_pixels(train.images, i, data.pixels);
    data.labels.push_back(chosen.label);
    data.clean_labels.push_back(clean);
    annotators.push_back(chosen.annotator);
    seconds.push_back(chosen.seconds);
    wrong += chosen.label != clean;
    if (!std::isnan(chosen.annotator)) {
      people.insert(chosen.annotator);
      ++known;
    }
    as_owners += place < annotations.worst.size() && annotations.worst[place] == chosen.label;
  }
  if (data.count() == 0) {
    throw DataError(
        fmt::format("{}: no image of {} is annotated.", annotations.path, train.description));
  }
  data.annotator = scaled_to_one(annotators);
  data.seconds = scaled_to_one(seconds);
  for (std::size_t i = 0; i < limit(options.test_images, test.places.size()); ++i) {
    append_pixels(test.images, i, data.test_pixels);
    data.test_labels.push_back(test.images.labels[i]);
  }

  data.description = fmt::format(
      "{} training images ({}), {} annotators, labels of {}: {:.2f} % of them wrong. {} test "
      "images "
      "({}).",
      with_thousands(data.count()), train.description, with_thousands(people.size()),
      std::filesystem::path(annotations.path).filename().string(),
      100.0 * static_cast<double>(wrong) / static_cast<double>(data.count()),
      with_thousands(data.test_count()), test.description);
  if (!annotations.worst.empty()) {
    data.description += fmt::format(" The label trained on is the owners' worst one for {} images.",
                                    with_thousands(as_owners));
  }
  if (known < data.count()) {
    data.description += fmt::format(" Annotator and time are known of {} of the training images.",
                                    with_thousands(known));
  }
  if (!annotations.note.empty()) data.description += " " + annotations.note;
  return data;
}

}  // namespace knockout::experiments
