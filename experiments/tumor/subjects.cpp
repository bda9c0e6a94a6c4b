// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/subjects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "knockout/data/split.h"
#include "media/volume/nifti.h"
#include "media/volume/resample.h"
#include "media/volume/voxel_type.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kBratsClasses = 4;

std::string find_subject_file(const fs::path& folder, const std::string& subject,
                              const std::string& name) {
  for (const std::string& stem :
       {fmt::format("{}_{}", subject, name), fmt::format("{}-{}", subject, name), name}) {
    for (const char* ending : {".nii.gz", ".nii"}) {
      const fs::path path = folder / (stem + ending);
      if (fs::is_regular_file(path)) return path.string();
    }
  }
  throw FileError(fmt::format(
      "{}: is not there, nor is {}.nii.gz.\n  Other names than BraTS 2021's: --modalities and "
      "--segmentation",
      (folder / (subject + '_' + name + ".nii.gz")).string(), name));
}

void expect_size(const VolumeSize& found, const VolumeSize& expected, const std::string& path) {
  if (found == expected) return;
  throw DataError(fmt::format("{}: has {} voxels, expected {} as in the other files.", path,
                              size_text(found), size_text(expected)));
}

/// Whether the corners of both grids lie in the same place.
bool same_place(const Affine& one, const Affine& other, const VolumeSize& size) {
  constexpr double kTolerance = 0.1;  // millimetres; headers have the precision of floats
  for (unsigned corner = 0; corner < 8; ++corner) {
    Point voxel;
    for (unsigned d = 0; d < 3; ++d) {
      voxel[d] = (corner >> d & 1U) != 0 ? static_cast<double>(size[d] - 1) : 0.0;
    }
    const Point a = transform(one, voxel), b = transform(other, voxel);
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(std::abs(a[d] - b[d]) <= kTolerance)) return false;
    }
  }
  return true;
}

/// Reads everything of a subject that a training will read; returns its size.
VolumeSize check_subject(const TumorSubject& subject, const TumorOptions& options) {
  const std::string& first_path = subject.images.front();
  const VolumeInfo first = read_nifti_info(first_path);
  const auto expect_place = [&](const std::string& path) {
    if (options.any_affine ||
        same_place(read_nifti_info(path).to_world, first.to_world, first.size)) {
      return;
    }
    throw DataError(fmt::format(
        "{}: its affine is not that of {}, so their voxels do not lie in the same place.\n"
        "  If they do all the same:  --any-affine",
        path, first_path));
  };
  for (const std::string& path : subject.images) {
    read_image(path, first.size);
    expect_place(path);
  }
  read_labels(subject.segmentation, first.size, options.classes);
  expect_place(subject.segmentation);
  return first.size;
}

}  // namespace

std::vector<std::string> subject_names(const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw FileError(
        fmt::format("{}: is not a folder.\n  --data must name the one that holds the "
                    "folders of the subjects, as BraTS2021_00000.",
                    folder));
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with('.')) names.push_back(name);
  }
  if (names.empty()) {
    throw DataError(fmt::format(
        "{}: holds no folders of subjects.\n  Expected {}. To try things out without the real "
        "data:  --synthesize DIR",
        folder, (fs::path(folder) / "BraTS2021_00000" / "BraTS2021_00000_t1.nii.gz").string()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

TumorSubject find_subject(const std::string& folder, const std::string& name,
                          const TumorOptions& options) {
  const fs::path place = fs::path(folder) / name;
  TumorSubject subject{.name = name, .images = {}, .segmentation = {}};
  for (const std::string& modality : modality_names(options)) {
    subject.images.push_back(find_subject_file(place, name, modality));
  }
  subject.segmentation = find_subject_file(place, name, options.segmentation);
  return subject;
}

Volume read_image(const std::string& path, const VolumeSize& size) {
  Volume volume = read_nifti(path);
  expect_size(volume.size, size, path);
  const auto [least, greatest] = std::minmax_element(volume.voxels.begin(), volume.voxels.end());
  if (*least == *greatest) {
    throw DataError(fmt::format("{}: is {} everywhere; expected an image.", path, *least));
  }
  scale_to_unit_range(volume);
  return volume;
}

std::vector<std::uint8_t> read_labels(const std::string& path, const VolumeSize& size,
                                      int classes) {
  const Volume volume = read_nifti(path);
  expect_size(volume.size, size, path);
  std::vector<std::uint8_t> labels(volume.voxels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    float label = volume.voxels[i];
    // BraTS had dropped its class 3 and kept the number 4 until 2023, when it became 3.
    if (classes == kBratsClasses && label == 4) label = 3;
    if (!(label >= 0 && label < static_cast<float>(classes)) || label != std::floor(label)) {
      throw DataError(fmt::format("{}: has the label {}; expected whole numbers from 0 to {}{}.",
                                  path, volume.voxels[i], classes - 1,
                                  classes == kBratsClasses ? ", or 4 for class 3" : ""));
    }
    labels[i] = static_cast<std::uint8_t>(label);
  }
  return labels;
}

nlohmann::json look_at_subjects(const std::string& folder, const TumorOptions& options, int threads,
                                const std::function<void(double)>& progress) {
  const std::vector<std::string> names = subject_names(folder);
  std::vector<std::optional<VolumeSize>> sizes(names.size());
  std::vector<std::string> reasons(names.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(names.size(), threads, [&](std::size_t i) {
    try {
      sizes[i] = check_subject(find_subject(folder, names[i], options), options);
    } catch (const DataError& error) {
      reasons[i] = error.what();
    } catch (const FileError& error) {
      reasons[i] = error.what();
    }
    const std::scoped_lock lock(mutex);
    progress(static_cast<double>(++done) / static_cast<double>(names.size()));
  });

  // Mean images need one grid for all, and that of most subjects is it.
  std::map<VolumeSize, std::size_t> counts;
  VolumeSize usual = {0, 0, 0};
  for (const auto& size : sizes) {
    if (!size) continue;
    ++counts[*size];
    if (counts[*size] > counts[usual]) usual = *size;
  }
  nlohmann::json bad = nlohmann::json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sizes[i] && *sizes[i] != usual) {
      reasons[i] = fmt::format("{}: has {} voxels, and most subjects have {}.",
                               (fs::path(folder) / names[i]).string(), size_text(*sizes[i]),
                               size_text(usual));
    }
    if (!reasons[i].empty()) bad.push_back({{"what", names[i]}, {"reason", reasons[i]}});
  }
  return {{"size", usual}, {"bad", bad}};
}

TumorSubjects subjects_from(const nlohmann::json& looked_at, const std::string& folder,
                            const TumorOptions& options) {
  TumorSubjects subjects;
  subjects.size = looked_at.at("size").get<VolumeSize>();
  std::vector<std::string> left_out;
  for (const auto& bad : looked_at.at("bad")) {
    left_out.push_back(bad.at("what"));
    subjects.bad.add(bad.at("what"), bad.at("reason"));
  }
  for (const std::string& name : subject_names(folder)) {
    if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) continue;
    subjects.usable.push_back(find_subject(folder, name, options));
  }
  return subjects;
}

TumorSplit split_subjects(std::size_t subjects, const TumorOptions& options, std::uint64_t seed) {
  const auto share = [&](double of) {
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(std::llround(of * static_cast<double>(subjects))));
  };
  const std::size_t validation = share(options.validation_share), test = share(options.test_share);
  if (subjects < validation + test + 1) {
    throw DataError(
        fmt::format("{} can be used: too few for one to train, {} to choose the weights and {} to "
                    "test.",
                    plural(subjects, "subject"), validation, test));
  }
  const std::vector<std::size_t> order = shuffled_rows(subjects, Random(seed, Stream::kSplit));
  const auto begin = order.begin();
  const auto to_test = begin + static_cast<std::ptrdiff_t>(test);
  const auto to_validation = to_test + static_cast<std::ptrdiff_t>(validation);
  TumorSplit split{.training = {to_validation, order.end()},
                   .validation = {to_test, to_validation},
                   .test = {begin, to_test}};
  for (auto* part : {&split.training, &split.validation, &split.test}) {
    std::sort(part->begin(), part->end());
  }
  return split;
}

std::vector<MissingImages> missing_patterns(std::size_t modalities) {
  std::vector<unsigned> codes((std::size_t{1} << modalities) - 1);  // all missing is none of them
  std::iota(codes.begin(), codes.end(), 0U);
  std::stable_sort(codes.begin(), codes.end(),
                   [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
  std::vector<MissingImages> patterns;
  for (const unsigned code : codes) {
    MissingImages missing;
    for (std::size_t m = 0; m < modalities; ++m) missing.push_back((code >> m & 1U) != 0);
    patterns.push_back(missing);
  }
  return patterns;
}

std::string pattern_name(const MissingImages& missing, const std::vector<std::string>& modalities) {
  std::vector<std::string> there;
  for (std::size_t m = 0; m < missing.size(); ++m) {
    if (!missing[m]) there.push_back(modalities[m]);
  }
  return fmt::format("{}", fmt::join(there, "+"));
}

std::size_t pattern_left_at_random(const std::vector<MissingImages>& patterns, std::uint64_t seed,
                                   std::size_t subject) {
  const std::size_t modalities = patterns.front().size();
  const Random random(seed, Stream::kAmpute);
  const std::uint32_t left = random.below(static_cast<std::uint32_t>(modalities), 0,
                                          static_cast<std::uint32_t>(subject), 0);
  MissingImages wanted(modalities, true);
  wanted[left] = false;
  return static_cast<std::size_t>(std::find(patterns.begin(), patterns.end(), wanted) -
                                  patterns.begin());
}

std::vector<TumorRegion> tumor_regions(int classes) {
  if (classes == kBratsClasses) {
    return {{"whole tumor", {1, 2, 3}}, {"tumor core", {1, 3}}, {"enhancing tumor", {3}}};
  }
  std::vector<TumorRegion> regions;
  for (int c = 1; c < classes; ++c) regions.push_back({fmt::format("label {}", c), {c}});
  return regions;
}

}  // namespace knockout::experiments
