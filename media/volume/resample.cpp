// SPDX-License-Identifier: Apache-2.0
#include "media/volume/resample.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace knockout {
namespace {

/// A place between two voxels of one axis.
struct Between {
  std::int64_t low = 0;
  std::int64_t high = 0;
  float weight = 0.0F;  ///< Of `high`; `low` has the rest.
};

/// `position` counts voxels; beyond the outermost centres the border continues.
inline Between between(double position, std::int64_t extent) {
  const double inside = std::clamp(position, 0.0, static_cast<double>(extent - 1));
  const auto low = static_cast<std::int64_t>(inside);
  return {low, std::min(low + 1, extent - 1),
          static_cast<float>(inside - static_cast<double>(low))};
}

inline float mix(float low, float high, float weight) { return low + weight * (high - low); }

std::vector<Between> resized_axis(std::int64_t from, std::int64_t to) {
  std::vector<Between> places;
  for (std::int64_t i = 0; i < to; ++i) {
    const double step = static_cast<double>(from) / static_cast<double>(to);
    places.push_back(between((static_cast<double>(i) + 0.5) * step - 0.5, from));
  }
  return places;
}

[[maybe_unused]] bool is_whole(const Volume& volume) {
  return std::ranges::all_of(volume.size, [](std::int64_t extent) { return extent >= 1; }) &&
         volume.voxels.size() == voxel_count(volume.size);
}

}  // namespace

Volume resize(const Volume& volume, const VolumeSize& size) {
  assert(is_whole(volume) && size[0] >= 1 && size[1] >= 1 && size[2] >= 1);
  Affine to_old = kIdentityAffine;
  for (std::size_t d = 0; d < 3; ++d) {
    to_old[d][d] = static_cast<double>(volume.size[d]) / static_cast<double>(size[d]);
    to_old[d][3] = 0.5 * to_old[d][d] - 0.5;
  }
  Volume result{size, compose(volume.to_world, to_old), {}};
  result.voxels.resize(voxel_count(size));

  const std::vector<Between> along_x = resized_axis(volume.size[0], size[0]);
  const std::vector<Between> along_y = resized_axis(volume.size[1], size[1]);
  const std::vector<Between> along_z = resized_axis(volume.size[2], size[2]);
  // Four rows are mixed into one over contiguous memory; only that one is read here and there.
  std::vector<float> row(static_cast<std::size_t>(volume.size[0]));
  float* out = result.voxels.data();
  for (const Between& z : along_z) {
    for (const Between& y : along_y) {
      const float* const in = volume.voxels.data();
      const float* const low_low = in + voxel_index(volume.size, 0, y.low, z.low);
      const float* const high_low = in + voxel_index(volume.size, 0, y.high, z.low);
      const float* const low_high = in + voxel_index(volume.size, 0, y.low, z.high);
      const float* const high_high = in + voxel_index(volume.size, 0, y.high, z.high);
      for (std::size_t x = 0; x < row.size(); ++x) {
        row[x] = mix(mix(low_low[x], high_low[x], y.weight),
                     mix(low_high[x], high_high[x], y.weight), z.weight);
      }
      for (const Between& x : along_x) *out++ = mix(row[x.low], row[x.high], x.weight);
    }
  }
  return result;
}

Volume crop(const Volume& volume, const VolumeSize& begin, const VolumeSize& size) {
  assert(is_whole(volume) && size[0] >= 1 && size[1] >= 1 && size[2] >= 1);
  Affine to_old = kIdentityAffine;
  for (std::size_t d = 0; d < 3; ++d) to_old[d][3] = static_cast<double>(begin[d]);
  Volume result{size, compose(volume.to_world, to_old), {}};
  result.voxels.resize(voxel_count(size));

  // The part of the new grid that lies on the old one.
  VolumeSize first, last;
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = std::clamp<std::int64_t>(-begin[d], 0, size[d]);
    last[d] = std::clamp<std::int64_t>(volume.size[d] - begin[d], first[d], size[d]);
  }
  if (first[0] == last[0]) return result;
  for (std::int64_t z = first[2]; z < last[2]; ++z) {
    for (std::int64_t y = first[1]; y < last[1]; ++y) {
      const std::size_t from =
          voxel_index(volume.size, first[0] + begin[0], y + begin[1], z + begin[2]);
      std::copy_n(volume.voxels.data() + from, last[0] - first[0],
                  result.voxels.data() + voxel_index(size, first[0], y, z));
    }
  }
  return result;
}

Volume resample_like(const Volume& moving, const Volume& reference) {
  assert(is_whole(moving));
  const Affine to_moving = compose(inverse(moving.to_world), reference.to_world);
  Volume result{reference.size, reference.to_world, {}};
  result.voxels.resize(voxel_count(reference.size));

  const std::int64_t nx = moving.size[0], ny = moving.size[1], nz = moving.size[2];
  // A hair more than half a voxel, since affines carry rounding errors of floats.
  constexpr double kHalf = 0.5 + 1e-5;
  const auto is_within = [](double position, std::int64_t extent) {
    return position >= -kHalf && position <= static_cast<double>(extent - 1) + kHalf;
  };
  const float* const in = moving.voxels.data();
  float* out = result.voxels.data();
  for (std::int64_t z = 0; z < reference.size[2]; ++z) {
    for (std::int64_t y = 0; y < reference.size[1]; ++y) {
      const Point start =
          transform(to_moving, {0.0, static_cast<double>(y), static_cast<double>(z)});
      for (std::int64_t x = 0; x < reference.size[0]; ++x, ++out) {
        const auto step = static_cast<double>(x);
        const double px = start[0] + step * to_moving[0][0];
        const double py = start[1] + step * to_moving[1][0];
        const double pz = start[2] + step * to_moving[2][0];
        if (!is_within(px, nx) || !is_within(py, ny) || !is_within(pz, nz)) continue;
        const Between bx = between(px, nx), by = between(py, ny), bz = between(pz, nz);
        const auto along_x = [&](std::int64_t row_y, std::int64_t row_z) {
          const float* const row = in + (row_z * ny + row_y) * nx;
          return mix(row[bx.low], row[bx.high], bx.weight);
        };
        *out = mix(mix(along_x(by.low, bz.low), along_x(by.high, bz.low), by.weight),
                   mix(along_x(by.low, bz.high), along_x(by.high, bz.high), by.weight), bz.weight);
      }
    }
  }
  return result;
}

void scale_to_unit_range(Volume& volume) {
  if (volume.voxels.empty()) return;
  float least = volume.voxels.front(), greatest = least;
  for (const float voxel : volume.voxels) {
    least = std::min(least, voxel);
    greatest = std::max(greatest, voxel);
  }
  const double range = static_cast<double>(greatest) - static_cast<double>(least);
  const double factor = range > 0.0 ? 1.0 / range : 0.0;
  for (float& voxel : volume.voxels) {
    voxel = static_cast<float>((static_cast<double>(voxel) - least) * factor);
  }
}

}  // namespace knockout
