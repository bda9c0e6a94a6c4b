// SPDX-License-Identifier: Apache-2.0
// The PI-CAI training set as its owners ship it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/bad_files.h"
#include "media/volume/volume.h"

namespace knockout::experiments {

inline constexpr std::size_t kPicaiImages = 3;
/// How their files end: T2-weighted, apparent diffusion coefficient, and high b-value, which is
/// the diffusion-weighted image (DWI).
inline constexpr std::array<const char*, kPicaiImages> kPicaiEndings = {"t2w", "adc", "hbv"};

/// One examination of one patient.
struct PicaiCase {
  std::string patient, study;
  bool has_cancer = false;                      ///< case_csPCa is YES.
  std::array<std::string, kPicaiImages> paths;  ///< As kPicaiEndings.

  std::string name() const { return patient + "_" + study; }
};

/// Every case of the marksheet with its three images, wherever below `folder` these are, in the
/// order of the marksheet. What cannot be used is added to `bad`: rows without a YES or NO, cases
/// twice, rows without images, images without a row. No image is opened. Throws FileError without a
/// marksheet or when a folder cannot be read, DataError when it lacks a column.
std::vector<PicaiCase> find_picai_cases(const std::string& folder, BadFiles& bad);

/// What is cut out of the images of a case.
struct PicaiCrop {
  Point box_mm = {80, 80, 60};
  VolumeSize size = {100, 100, 40};
  bool unit_range = false;  ///< Intensities to [0, 1]; otherwise to mean 0 and deviation 1.
  std::string gland_masks;  ///< Folder of masks PATIENT_STUDY.nii.gz; "" = none.
};

/// A box of `crop.size` voxels along the axes of `t2w` around `centre`, without voxels.
Volume crop_grid(const Affine& t2w, const Point& centre, const PicaiCrop& crop);

/// One image of a case on the grid of its crop, which all three share: each is brought there by
/// the affines alone, interpolated linearly once. Outside the image it is as dark as where there is
/// no signal. Throws DataError and FileError with the path, also for an image that has nothing
/// inside the box.
Volume read_picai_crop(const PicaiCase& from, std::size_t image, const PicaiCrop& crop);

/// Which cases train, validate and test.
struct PicaiSplit {
  std::vector<std::size_t> training, validation, test;
};

/// At random by patient, so that nobody is in two parts; patients with cancer in any of their
/// cases are shared out like the others. A pure function of its arguments. Throws DataError when
/// training or validation would lack cases with or without cancer, or nothing is left to test on.
PicaiSplit split_by_patient(const std::vector<PicaiCase>& cases, double validation_share,
                            double test_share, std::uint64_t seed);

}  // namespace knockout::experiments
