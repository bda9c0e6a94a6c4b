// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/picai_synthesis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "experiments/prostate/picai.h"
#include "knockout/base/atomic_file.h"
#include "knockout/base/parallel.h"
#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "media/volume/meta_image.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualCases = 500;
constexpr double kCancerShare = 0.28;  // of PI-CAI
constexpr int kStudiesApart = 10;      // every so many cases belong to the patient before

/// How one kind of image shows a gland and what is in it.
struct Look {
  VolumeSize size;
  Point spacing;          ///< mm
  double more_tilt;       ///< Degrees about x, beyond the patient's.
  double outside, gland;  ///< Intensities.
  double contrast;        ///< Of a spot of strength 1.
  double cancer, benign;  ///< Strength of the spot by cancer, and by a benign nodule per unit.
  double own;             ///< Deviation of its strength in this image alone.
  double noise;           ///< Of each voxel.
};
constexpr std::array<Look, kPicaiImages> kLooks = {
    Look{{48, 48, 14}, {1.9, 1.9, 4.4}, 0, 330, 420, -60, 1.1, 1.0, 0.4, 10},
    Look{{34, 30, 16}, {3.0, 3.0, 4.4}, 4, 1200, 1500, -220, 2.0, 1.0, 0.4, 30},
    Look{{34, 30, 16}, {3.0, 3.0, 4.4}, 4, 48, 62, 12, 1.5, 0.0, 0.9, 2}};

/// What there is in one patient, in RAS+ millimetres.
struct Anatomy {
  Point gland, spot;
  double tilt = 0;  ///< Degrees about x, of all images.
  std::array<double, kPicaiImages> strength = {};
};

Affine tilted_grid(const Look& look, const Point& centre, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const auto [dx, dy, dz] = look.spacing;
  // Voxels run to the left and to the back first, as scanners write them.
  Affine affine = {{{-dx, 0, 0, 0}, {0, -c * dy, -s * dz, 0}, {0, -s * dy, c * dz, 0}}};
  for (std::size_t row = 0; row < 3; ++row) {
    affine[row][3] = centre[row];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      affine[row][3] -= affine[row][axis] * 0.5 * static_cast<double>(look.size[axis] - 1);
    }
  }
  return affine;
}

Volume picture(const Anatomy& anatomy, std::size_t image, const Random& random,
               std::uint32_t case_number) {
  constexpr Point kGlandRadii = {24, 20, 20};
  constexpr double kSpotRadius = 9;
  const Look& look = kLooks[image];
  // The scans of a patient do not lie on top of each other: only the affines tell where they are.
  const double shift = image == 0 ? 0 : 4;
  const Point centre = {shift, -shift, 0.5 * shift};
  Volume volume{look.size, tilted_grid(look, centre, anatomy.tilt + look.more_tilt), {}};
  volume.voxels.reserve(voxel_count(look.size));
  std::uint32_t unit = 0;
  for (std::int64_t z = 0; z < look.size[2]; ++z) {
    for (std::int64_t y = 0; y < look.size[1]; ++y) {
      for (std::int64_t x = 0; x < look.size[0]; ++x) {
        const Point at = transform(volume.to_world, {static_cast<double>(x), static_cast<double>(y),
                                                     static_cast<double>(z)});
        double in_gland = 0, in_spot = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          in_gland += std::pow((at[d] - anatomy.gland[d]) / kGlandRadii[d], 2);
          in_spot += std::pow((at[d] - anatomy.spot[d]) / kSpotRadius, 2);
        }
        const double value = (in_gland < 1 ? look.gland : look.outside) +
                             look.contrast * anatomy.strength[image] * std::exp(-in_spot) +
                             look.noise * random.normal(1 + image, case_number, unit++);
        volume.voxels.push_back(static_cast<float>(std::clamp(value, 1.0, 32000.0)));
      }
    }
  }
  return volume;
}

Anatomy draw_anatomy(bool cancer, const Random& random, std::uint32_t case_number) {
  std::uint32_t unit = 0;
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * random.uniform(0, case_number, unit++);
  };
  Anatomy anatomy;
  anatomy.tilt = uniform(0, 20);
  for (std::size_t d = 0; d < 3; ++d) {
    anatomy.gland[d] = uniform(-4, 4);
    anatomy.spot[d] = anatomy.gland[d] + uniform(-7, 7);
  }
  const double benign = random.normal(0, case_number, unit++);
  for (std::size_t image = 0; image < kPicaiImages; ++image) {
    const Look& look = kLooks[image];
    anatomy.strength[image] = 1 + (cancer ? look.cancer : 0) + look.benign * benign +
                              look.own * random.normal(0, case_number, unit++);
  }
  return anatomy;
}

std::string marksheet_row(const PicaiCase& of, const Random& random, std::uint32_t number) {
  const auto uniform = [&](std::uint32_t unit) { return random.uniform(9, number, unit); };
  const double volume = std::round(20 + 100 * uniform(0));
  const double psa = of.has_cancer ? 4 + 16 * uniform(1) : 2 + 12 * uniform(1);
  const int grade = of.has_cancer ? 2 + static_cast<int>(random.below(4, 9, number, 2)) : 0;
  const bool no_biopsy = !of.has_cancer && uniform(3) < 0.5;
  constexpr std::array kGleason = {"0+0", "3+3", "3+4", "4+3", "4+4", "4+5"};
  constexpr std::array kCenters = {"RUMC", "ZGT", "PCNN"};
  // A second lesion now and then, and its quotes with it.
  const bool two = uniform(4) < 0.3;
  const auto lesions = [&](const auto& worst, const char* benign) {
    return no_biopsy ? ""
           : two     ? fmt::format("\"{},{}\"", worst, benign)
                     : fmt::format("{}", worst);
  };
  return fmt::format(
      "{},{},20{:02}-{:02}-{:02},{},{:.1f},{},{:.0f},{},{},{},{},{},{}\n", of.patient, of.study,
      12 + random.below(10, 9, number, 5), 1 + random.below(12, 9, number, 6),
      1 + random.below(28, 9, number, 7), 45 + random.below(36, 9, number, 8), psa,
      uniform(9) < 0.3 ? "" : fmt::format("{:.2f}", psa / volume), volume,
      no_biopsy ? "" : "SysBx+MRBx", lesions(kGleason[grade], "0+0"), lesions(grade, "0"), grade,
      of.has_cancer ? "YES" : "NO", kCenters[random.below(3, 9, number, 10)]);
}

}  // namespace

std::string synthesize_picai(const Synthesis& synthesis) {
  const fs::path folder = empty_folder(synthesis.folder);
  const int size = synthesis.size > 0 ? synthesis.size : kUsualCases;
  const Random random(synthesis.seed, Stream::kSimulation);
  std::vector<PicaiCase> cases(static_cast<std::size_t>(size));
  std::vector<bool> looks_ill(cases.size());
  int patient = 9999, with_cancer = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    if (i % kStudiesApart != kStudiesApart - 1) ++patient;
    cases[i].patient = std::to_string(patient);
    cases[i].study = std::to_string(1'000'000 + i);
    looks_ill[i] = random.uniform(8, number, 0) < kCancerShare;
    cases[i].has_cancer =
        synthesis.no_signal ? random.uniform(8, number, 1) < kCancerShare : looks_ill[i];
    with_cancer += cases[i].has_cancer;
    fs::create_directories(folder / "images" / cases[i].patient);
  }
  parallel_for(cases.size(), 0, [&](std::size_t i) {
    const auto number = static_cast<std::uint32_t>(i);
    const Anatomy anatomy = draw_anatomy(looks_ill[i], random, number);
    for (std::size_t image = 0; image < kPicaiImages; ++image) {
      const fs::path path = folder / "images" / cases[i].patient /
                            fmt::format("{}_{}.mha", cases[i].name(), kPicaiEndings[image]);
      write_meta_image(picture(anatomy, image, random, number), path.string(), VoxelType::kInt16,
                       true);
    }
  });
  std::string rows =
      "patient_id,study_id,mri_date,patient_age,psa,psad,prostate_volume,histopath_type,lesion_GS,"
      "lesion_ISUP,case_ISUP,case_csPCa,center\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    rows += marksheet_row(cases[i], random, static_cast<std::uint32_t>(i));
  }
  AtomicFile marksheet((folder / "marksheet.csv").string());
  marksheet.write(rows);
  marksheet.commit();
  return fmt::format("{}: {}, {} of them with cancer, three images each, and marksheet.csv.",
                     synthesis.folder, plural(cases.size(), "case"), with_cancer);
}

}  // namespace knockout::experiments
