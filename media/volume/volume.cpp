// SPDX-License-Identifier: Apache-2.0
#include "media/volume/volume.h"

#include <cassert>
#include <cmath>

namespace knockout {
namespace {

/// The entry of the matrix of cofactors: the minor without `row` and `column`, with its sign.
double cofactor(const Affine& a, std::size_t row, std::size_t column) {
  const std::size_t r1 = (row + 1) % 3, r2 = (row + 2) % 3;
  const std::size_t c1 = (column + 1) % 3, c2 = (column + 2) % 3;
  return a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
}

double determinant(const Affine& a) {
  return a[0][0] * cofactor(a, 0, 0) + a[0][1] * cofactor(a, 0, 1) + a[0][2] * cofactor(a, 0, 2);
}

}  // namespace

Point spacing(const Affine& affine) {
  Point lengths;
  for (std::size_t c = 0; c < 3; ++c) {
    lengths[c] = std::hypot(affine[0][c], affine[1][c], affine[2][c]);
  }
  return lengths;
}

Point transform(const Affine& affine, const Point& point) {
  Point result;
  for (std::size_t r = 0; r < 3; ++r) {
    result[r] =
        affine[r][0] * point[0] + affine[r][1] * point[1] + affine[r][2] * point[2] + affine[r][3];
  }
  return result;
}

Affine compose(const Affine& second, const Affine& first) {
  Affine result;
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t r = 0; r < 3; ++r) {
      result[r][c] = second[r][0] * first[0][c] + second[r][1] * first[1][c] +
                     second[r][2] * first[2][c] + (c == 3 ? second[r][3] : 0.0);
    }
  }
  return result;
}

bool is_invertible(const Affine& affine) {
  for (const auto& row : affine) {
    for (const double value : row) {
      if (!std::isfinite(value)) return false;
    }
  }
  const Point lengths = spacing(affine);
  // Relative to the voxel's size, so that micrometres are as good as metres.
  const double volume = std::abs(determinant(affine));
  return volume > 1e-9 * (lengths[0] * lengths[1] * lengths[2]) && std::isfinite(1.0 / volume);
}

Affine inverse(const Affine& affine) {
  assert(is_invertible(affine));
  const double scale = 1.0 / determinant(affine);
  Affine result;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) result[r][c] = scale * cofactor(affine, c, r);
    result[r][3] =
        -(result[r][0] * affine[0][3] + result[r][1] * affine[1][3] + result[r][2] * affine[2][3]);
  }
  return result;
}

}  // namespace knockout
