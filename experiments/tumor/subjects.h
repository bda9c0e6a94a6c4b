// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/bad_files.h"
#include "experiments/tumor/tumor.h"
#include "media/volume/volume.h"

namespace knockout::experiments {

/// Where the files of a subject are; nothing of them is kept in memory.
struct TumorSubject {
  std::string name;
  std::vector<std::string> images;  ///< One per modality.
  std::string segmentation;
};

/// The folders of a data set, sorted. Throws FileError or DataError that shows what was expected.
std::vector<std::string> subject_names(const std::string& folder);

/// The files of a subject: "<subject>_<name>", "<subject>-<name>" or "<name>", each with .nii.gz or
/// .nii. Throws FileError with the first one that is not there.
TumorSubject find_subject(const std::string& folder, const std::string& name,
                          const TumorOptions& options);

/// An image, its least voxel 0 and its greatest 1. Throws DataError when it is damaged, not of
/// `size` or the same everywhere, FileError when it cannot be read; both name the path.
Volume read_image(const std::string& path, const VolumeSize& size);

/// The class of every voxel. Throws like read_image, and DataError for a label that is no class.
std::vector<std::uint8_t> read_labels(const std::string& path, const VolumeSize& size, int classes);

/// The subjects that can be used, and what cannot.
struct TumorSubjects {
  VolumeSize size = {0, 0, 0};  ///< Of all of them.
  std::vector<TumorSubject> usable;
  BadFiles bad;
};

/// Reads every file of every subject to its end, on several threads, one volume in memory for each.
/// The result is for subjects_from(); as a value it can be kept in a journal.
nlohmann::json look_at_subjects(const std::string& folder, const TumorOptions& options, int threads,
                                const std::function<void(double)>& progress);
TumorSubjects subjects_from(const nlohmann::json& looked_at, const std::string& folder,
                            const TumorOptions& options);

/// Which subjects train, choose the weights and test, as indices.
struct TumorSplit {
  std::vector<std::size_t> training, validation, test;
};
/// A function of the seed and the number of subjects. Throws DataError when there are too few.
TumorSplit split_subjects(std::size_t subjects, const TumorOptions& options, std::uint64_t seed);

/// Which images are missing, one per modality.
using MissingImages = std::vector<bool>;

/// Every pattern with something left, complete first, then by the number of missing images.
std::vector<MissingImages> missing_patterns(std::size_t modalities);

/// "t1+flair": what is there.
std::string pattern_name(const MissingImages& missing, const std::vector<std::string>& modalities);

/// Which of these patterns stands for "all images are missing": one image, drawn for each subject,
/// is left.
std::size_t pattern_left_at_random(const std::vector<MissingImages>& patterns, std::uint64_t seed,
                                   std::size_t subject);

/// A part of the segmentation by which Dice is reported.
struct TumorRegion {
  std::string name;
  std::vector<std::int64_t> classes;
};
/// BraTS's three for 4 classes, otherwise one per class.
std::vector<TumorRegion> tumor_regions(int classes);

}  // namespace knockout::experiments
