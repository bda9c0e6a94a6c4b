// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/linear_filler.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "knockout/base/parallel.h"
#include "knockout/base/seeded_hash.h"

namespace knockout {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The inverse, or that of the nearest well-posed system: columns that say the same leave several
/// solutions, and a pull towards the mean chooses among them.
RowMajor robust_inverse(const RowMajor& matrix) {
  constexpr double kSingular = 1e-10;
  const auto identity = RowMajor::Identity(matrix.rows(), matrix.cols());
  double ridge = 0;
  for (double next = 1e-6; next < 1e3; next *= 10) {
    const Eigen::PartialPivLU<RowMajor> factors(matrix + ridge * identity);
    if (factors.rcond() > kSingular) return factors.inverse();
    ridge = next;
  }
  return RowMajor::Zero(matrix.rows(), matrix.cols());  // the mean
}

}  // namespace

std::vector<PatternRows> group_by_pattern(const InputMatrix& inputs) {
  std::vector<PatternRows> groups;
  HashMap<std::string_view, std::size_t> group_of;
  std::string_view last;
  std::size_t last_group = 0;
  for (std::size_t row = 0; row < inputs.rows; ++row) {
    const std::string_view gaps(reinterpret_cast<const char*>(inputs.gaps_of(row)),
                                inputs.features);
    if (row == 0 || gaps != last) {  // neighbours are often alike
      last = gaps;
      const auto [found, is_new] = group_of.emplace(gaps, groups.size());
      last_group = found->second;
      if (is_new) {
        groups.emplace_back();
        for (std::size_t f = 0; f < inputs.features; ++f) {
          if (gaps[f] != 0) groups.back().missing.push_back(f);
        }
      }
    }
    groups[last_group].rows.push_back(row);
  }
  std::erase_if(groups, [](const PatternRows& group) { return group.missing.empty(); });
  return groups;
}

LinearFiller::LinearFiller(std::vector<double> equations, std::vector<double> constants)
    : equations_(std::move(equations)), constants_(std::move(constants)) {}

LinearFiller::LinearFiller(ImputerArrays& arrays, std::size_t width) {
  const auto side = static_cast<std::int64_t>(width);
  equations_ = arrays.take<double>("equations", {side, side});
  constants_ = arrays.take<double>("constants", {side});
}

void LinearFiller::write(ImputerArrays& arrays) const {
  const auto side = static_cast<std::int64_t>(constants_.size());
  arrays.put("equations", {side, side}, equations_);
  arrays.put("constants", {side}, constants_);
}

void LinearFiller::fill(const ImputerInputs& space, InputMatrix& inputs, int threads) const {
  constexpr std::size_t kPartRows = 1024;
  struct Part {
    const PatternRows* pattern;
    std::size_t begin, end;
  };
  const std::vector<PatternRows> patterns = group_by_pattern(inputs);
  std::vector<Part> parts;
  for (const PatternRows& pattern : patterns) {
    for (std::size_t begin = 0; begin < pattern.rows.size(); begin += kPartRows) {
      parts.push_back({&pattern, begin, std::min(begin + kPartRows, pattern.rows.size())});
    }
  }
  parallel_for(parts.size(), threads, [&](std::size_t p) {
    fill_rows(space, *parts[p].pattern, parts[p].begin, parts[p].end, inputs);
  });
}

void LinearFiller::fill_rows(const ImputerInputs& space, const PatternRows& pattern,
                             std::size_t begin, std::size_t end, InputMatrix& inputs) const {
  const std::size_t width = space.width();
  std::vector<std::size_t> missing;  // coordinates
  for (const std::size_t f : pattern.missing) {
    const Input& input = space.inputs()[f];
    for (std::size_t k = 0; k < input.width; ++k) missing.push_back(input.begin + k);
  }
  const std::size_t count = missing.size();

  // The known side by coordinate, so that the inner loop runs along the missing ones. What is
  // missing counts as 0 there, its mean, and so adds nothing.
  std::vector<double> known(width * count);
  RowMajor among_missing(count, count);
  for (std::size_t m = 0; m < count; ++m) {
    const double* const equation = equations_.data() + missing[m] * width;
    for (std::size_t c = 0; c < width; ++c) known[c * count + m] = equation[c];
    for (std::size_t other = 0; other < count; ++other) {
      among_missing(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(other)) =
          equation[missing[other]];
    }
  }
  const RowMajor inverse = robust_inverse(among_missing);

  std::vector<float> coordinates(width);
  std::vector<double> right(count);
  std::vector<float> solved(count);
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t row = pattern.rows[i];
    space.expand(inputs, row, row + 1, coordinates.data());
    for (std::size_t m = 0; m < count; ++m) right[m] = constants_[missing[m]];
    for (std::size_t c = 0; c < width; ++c) {
      const double x = coordinates[c];
      if (x == 0) continue;
      for (std::size_t m = 0; m < count; ++m) right[m] -= x * known[c * count + m];
    }
    for (std::size_t m = 0; m < count; ++m) {
      const double* const weights = inverse.data() + m * count;
      double sum = 0;
      for (std::size_t other = 0; other < count; ++other) sum += weights[other] * right[other];
      solved[m] = static_cast<float>(sum);
    }
    const float* at = solved.data();
    for (const std::size_t f : pattern.missing) {
      inputs.values_of(row)[f] = space.collapse(f, at);
      at += space.inputs()[f].width;
    }
  }
}

}  // namespace knockout
