// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/synthesis.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "knockout/base/random.h"
#include "knockout/base/wording.h"
#include "media/volume/nifti.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kSubjects = 24;
constexpr VolumeSize kSize = {20, 20, 16};
constexpr Point kBrainRadii = {9.2, 9.6, 7.4};

enum Tissue { kAir, kBrain, kNecrosis, kEdema, kEnhancing };
constexpr std::array<float, 5> kLabels = {0, 0, 1, 2, 4};

/// How bright each tissue is, air aside. Every part of a tumor stands out most in one image and
/// less in another, so that whoever has learned to rely on one only is lost without it.
struct Contrast {
  const char* modality;
  std::array<double, 5> brightness;
};
constexpr std::array<Contrast, 4> kContrasts = {{
    {"t1", {0, 0.60, 0.30, 0.42, 0.52}},
    {"t1ce", {0, 0.50, 0.30, 0.44, 0.95}},
    {"t2", {0, 0.40, 0.80, 0.64, 0.52}},
    {"flair", {0, 0.35, 0.50, 0.85, 0.66}},
}};
constexpr double kTumorNoise = 0.05;
constexpr double kAnatomy = 0.05;  ///< Smooth differences within the healthy brain.

/// Draws of a subject that are not noise.
class Draws {
 public:
  Draws(const Random& random, std::uint32_t subject) : random_(random), subject_(subject) {}
  double between(double low, double high) {
    return low + (high - low) * random_.uniform(0, subject_, next_++);
  }

 private:
  const Random& random_;
  std::uint32_t subject_, next_ = 0;
};

/// An ellipsoid; `radius` of a point is 1 on its surface.
struct Ellipsoid {
  Point center, radii;
  double radius(const Point& at) const {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += std::pow((at[d] - center[d]) / radii[d], 2);
    return std::sqrt(sum);
  }
};

struct Tumor {
  Ellipsoid whole;
  double core = 0.6, necrosis = 0.35;  ///< Where the next part begins, as a share of the radius.
};

Tumor draw_tumor(Draws& draws, const Ellipsoid& brain) {
  Tumor tumor;
  for (std::size_t d = 0; d < 3; ++d) {
    tumor.whole.radii[d] = draws.between(3.5, 5.0);
    const double room = std::max(0.0, 0.8 * brain.radii[d] - 0.7 * tumor.whole.radii[d]);
    tumor.whole.center[d] = brain.center[d] + draws.between(-room, room);
  }
  tumor.core = draws.between(0.6, 0.8);
  tumor.necrosis = tumor.core * draws.between(0.5, 0.7);
  return tumor;
}

Tissue tissue_at(const Point& at, const Ellipsoid& brain, const Tumor& tumor) {
  if (brain.radius(at) > 1) return kAir;
  const double radius = tumor.whole.radius(at);
  if (radius > 1) return kBrain;
  if (radius > tumor.core) return kEdema;
  return radius > tumor.necrosis ? kEnhancing : kNecrosis;
}

/// A wave through the brain, the same in all images of a subject.
struct Wave {
  Point direction;
  double phase;
  double at(const Point& point) const {
    return std::sin(phase + direction[0] * point[0] + direction[1] * point[1] +
                    direction[2] * point[2]);
  }
};

void write_subject(const Synthesis& synthesis, std::uint32_t index) {
  const Random random(synthesis.seed, Stream::kSimulation);
  Draws draws(random, index);
  Ellipsoid brain;
  for (std::size_t d = 0; d < 3; ++d) {
    brain.center[d] = 0.5 * static_cast<double>(kSize[d] - 1);
    brain.radii[d] = kBrainRadii[d] * draws.between(0.9, 1.0);
  }
  const Tumor tumor = draw_tumor(draws, brain), elsewhere = draw_tumor(draws, brain);
  Wave wave{};
  for (double& along : wave.direction) along = draws.between(-0.4, 0.4);
  wave.phase = draws.between(0, 2 * std::numbers::pi);
  std::array<double, kContrasts.size()> exposure{};
  for (double& of : exposure) of = draws.between(400, 1200);

  // As BraTS writes it: x to the left, y to the back.
  Volume segmentation{kSize, {{{-1, 0, 0, 0}, {0, -1, 0, 239}, {0, 0, 1, 0}}}, {}};
  std::array<Volume, kContrasts.size()> images;
  images.fill(segmentation);
  for (std::int64_t z = 0; z < kSize[2]; ++z) {
    for (std::int64_t y = 0; y < kSize[1]; ++y) {
      for (std::int64_t x = 0; x < kSize[0]; ++x) {
        const Point at = {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        const Tissue tissue = tissue_at(at, brain, tumor);
        segmentation.voxels.push_back(
            kLabels[synthesis.no_signal ? tissue_at(at, brain, elsewhere) : tissue]);
        const auto voxel = static_cast<std::uint32_t>(voxel_index(kSize, x, y, z));
        for (std::size_t m = 0; m < images.size(); ++m) {
          const double noise = kTumorNoise * random.normal(1 + index, voxel, 2 * m);
          const double brightness =
              kContrasts[m].brightness[tissue] + kAnatomy * wave.at(at) + noise;
          const double stored = tissue == kAir ? 0 : exposure[m] * std::max(0.02, brightness);
          images[m].voxels.push_back(static_cast<float>(std::round(stored)));
        }
      }
    }
  }

  const std::string name = fmt::format("BraTS2021_{:05}", index);
  const fs::path folder = fs::path(synthesis.folder) / name;
  fs::create_directory(folder);
  const auto write = [&](const Volume& volume, const char* what) {
    write_nifti(volume, (folder / fmt::format("{}_{}.nii.gz", name, what)).string(),
                VoxelType::kInt16);
  };
  for (std::size_t m = 0; m < images.size(); ++m) write(images[m], kContrasts[m].modality);
  write(segmentation, "seg");
}

}  // namespace

std::string synthesize_tumors(const Synthesis& synthesis) {
  empty_folder(synthesis.folder);
  const int subjects = synthesis.size > 0 ? synthesis.size : kSubjects;
  for (int i = 0; i < subjects; ++i) write_subject(synthesis, static_cast<std::uint32_t>(i));
  return fmt::format("Wrote {} of {} x {} x {} voxels in the layout of BraTS 2021 to {}{}.",
                     plural(static_cast<std::uint64_t>(subjects), "subject"), kSize[0], kSize[1],
                     kSize[2], synthesis.folder,
                     synthesis.no_signal ? ", segmentations unrelated to the images" : "");
}

}  // namespace knockout::experiments
