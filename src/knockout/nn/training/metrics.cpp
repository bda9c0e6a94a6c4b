// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/metrics.h"

#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double ratio(double part, double whole) { return whole > 0 ? part / whole : kNan; }

/// Predictions and labels where there is a label, as flat lists.
std::pair<torch::Tensor, torch::Tensor> labelled(const torch::Tensor& predicted,
                                                 const torch::Tensor& labels) {
  if (predicted.sizes() != labels.sizes()) {
    throw ConfigError(fmt::format("metrics: predictions have the shape [{}] and labels [{}].",
                                  fmt::join(predicted.sizes(), ", "),
                                  fmt::join(labels.sizes(), ", ")));
  }
  const torch::Tensor there = labels >= 0;  // not so for NaN
  return {predicted.detach().masked_select(there), labels.masked_select(there)};
}

torch::Tensor members(const torch::Tensor& classes, const Region& region) {
  torch::Tensor inside = torch::zeros_like(classes, torch::kBool);
  for (const std::int64_t c : region) inside.logical_or_(classes == c);
  return inside;
}

}  // namespace

std::vector<double> dice(const torch::Tensor& predicted, const torch::Tensor& labels,
                         std::span<const Region> regions) {
  const auto [found, truth] = labelled(predicted, labels);
  std::vector<double> overlaps;
  for (const Region& region : regions) {
    const torch::Tensor a = members(found, region), b = members(truth, region);
    const torch::Tensor counts =
        torch::stack({a.logical_and(b).sum(), a.sum() + b.sum()}).to(torch::kCPU);
    const auto both = counts[0].item<double>(), either = counts[1].item<double>();
    overlaps.push_back(truth.numel() == 0 ? kNan : either == 0 ? 1.0 : 2.0 * both / either);
  }
  return overlaps;
}

double accuracy(const torch::Tensor& predicted, const torch::Tensor& labels) {
  const auto [found, truth] = labelled(predicted, labels);
  return ratio((found == truth).sum().item<double>(), static_cast<double>(truth.numel()));
}

double f1(const torch::Tensor& predicted, const torch::Tensor& labels, F1Average average,
          std::int64_t classes) {
  const auto [found, truth] = labelled(predicted, labels);
  if (truth.numel() == 0) return kNan;
  for (const torch::Tensor& side : {found, truth}) {
    if (side.min().item<std::int64_t>() < 0 || side.max().item<std::int64_t>() >= classes) {
      throw DataError(fmt::format("f1: classes go from {} to {}; expected 0 to {}.",
                                  side.min().item<std::int64_t>(), side.max().item<std::int64_t>(),
                                  classes - 1));
    }
  }
  const torch::Tensor confusion =  // [truth, found]
      torch::bincount(truth.to(torch::kInt64) * classes + found.to(torch::kInt64), {},
                      classes * classes)
          .reshape({classes, classes})
          .to(torch::kCPU, torch::kFloat64);
  std::vector<ClassCounts> counts;
  for (std::int64_t c = 0; c < classes; ++c) {
    counts.push_back({.hits = confusion[c][c].item<double>(),
                      .named = confusion.select(1, c).sum().item<double>(),
                      .there = confusion[c].sum().item<double>()});
  }
  return f1_of(counts, average);
}

/// The rank-sum form: the mean rank of the positives, ties sharing theirs.
double auroc(const torch::Tensor& scores, const torch::Tensor& labels) {
  const auto [found, truth] = labelled(scores, labels);
  if (found.isnan().any().item<bool>()) return kNan;
  const auto [values, place, counts] =
      at::_unique2(found, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/true);
  const torch::Tensor ends = counts.cumsum(0).to(torch::kFloat64);
  const torch::Tensor ranks = (ends - (counts - 1) / 2.0).index({place});
  const torch::Tensor positive = truth > 0;
  const auto positives = positive.sum().item<double>();
  const double negatives = static_cast<double>(truth.numel()) - positives;
  const auto rank_sum = (ranks * positive).sum().item<double>();
  return ratio(rank_sum - positives * (positives + 1) / 2, positives * negatives);
}

}  // namespace knockout::nn
