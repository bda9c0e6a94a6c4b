// SPDX-License-Identifier: Apache-2.0
#include "experiments/classification_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "knockout/base/random.h"

namespace knockout::experiments {
namespace {

constexpr int kBins = 21;
const std::vector<std::string> kWords = {"a", "b", "c"};

/// What a number is drawn for: the `step` of its counter.
enum PointPurpose : std::uint64_t { kPointOrder = 10, kPoint = 11 };
/// Which number of a point.
enum Draw : std::uint32_t { kFirst = 0, kSecond = 1, kThird = 2, kFourth = 3 };

struct LabelledPoint {
  double x1, x2;
  int y;
};

LabelledPoint draw_ring_or_cross(const Random& random, std::uint32_t row, int y) {
  const auto uniform = [&](Draw draw, double low, double high) {
    return low + (high - low) * random.uniform(kPoint, row, draw);
  };
  if (y == 0) {
    const double radius = uniform(kFirst, 0.8, 0.9);
    const double angle = uniform(kSecond, 0, 2 * std::numbers::pi);
    return {radius * std::cos(angle), radius * std::sin(angle), y};
  }
  const double along = uniform(kFirst, -0.8, 0.8), across = uniform(kSecond, -0.01, 0.01);
  return uniform(kThird, 0, 1) < 0.5 ? LabelledPoint{along, across, y}
                                     : LabelledPoint{across, along, y};
}

LabelledPoint draw_mixture(const Random& random, std::uint32_t row) {
  constexpr std::array<std::array<double, 3>, 3> kMeans = {
      {{.25, .5, .75}, {.20, .5, .80}, {.15, .5, .85}}};
  constexpr std::array<double, 3> kStddevs = {.03, .05, .07};
  const double category_draw = random.uniform(kPoint, row, kFirst);
  const std::size_t k = category_draw < 0.4 ? 0 : category_draw < 0.7 ? 1 : 2;
  const double component_draw = random.uniform(kPoint, row, kSecond);
  const std::size_t c = component_draw < 0.3 ? 0 : component_draw < 0.7 ? 1 : 2;
  // Numbers of one counter block are not independent of its normals, hence another row of draws.
  const double position = kMeans[k][c] + kStddevs[k] * random.normal(kPoint + 1, row, kThird);
  const bool y = k == 0 ? c != 1 : c == 1;
  return {static_cast<double>(k), 9 * position - 4.5, y ? 1 : 0};
}

/// The rows in a random order.
std::vector<std::uint32_t> shuffled(const Random& random, std::size_t rows) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = static_cast<std::uint32_t>(rows); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i, kPointOrder, i, 0)]);
  }
  return order;
}

bool is_categorical(ClassificationProblem problem, const std::string& input) {
  return problem == ClassificationProblem::kMixed && input == "x1";
}

/// Calls `term(p, q)` for both columns of every bin that holds rows and returns the number of bins.
std::size_t for_each_entry(const std::vector<double>& predicted,
                           const std::vector<double>& frequencies,
                           const std::function<void(double p, double q)>& term) {
  std::size_t bins = 0;
  for (std::size_t b = 0; b < predicted.size(); ++b) {
    if (std::isnan(frequencies[b])) continue;
    ++bins;
    term(predicted[b], frequencies[b]);
    term(1 - predicted[b], 1 - frequencies[b]);
  }
  return bins;
}

/// One entry of KL(a || b).
double kl_entry(double a, double b) { return a > 0 ? a * std::log(a / b) : 0.0; }

}  // namespace

Table draw_classification(ClassificationProblem problem, std::uint64_t seed, std::size_t rows) {
  const Random random(seed, Stream::kSimulation);
  const bool mixed = problem == ClassificationProblem::kMixed;
  std::vector<double> x1, x2, y;
  // As many of either class, in the continuous problem.
  for (const std::uint32_t row : shuffled(random, rows)) {
    const LabelledPoint point =
        mixed ? draw_mixture(random, row) : draw_ring_or_cross(random, row, row < rows / 2 ? 0 : 1);
    x1.push_back(point.x1);
    x2.push_back(point.x2);
    y.push_back(point.y);
  }
  Column first = mixed ? Column::coded("x1", {x1.begin(), x1.end()}, kWords)
                       : Column::numbers("x1", std::move(x1));
  return Table(
      {std::move(first), Column::numbers("x2", std::move(x2)), Column::numbers("y", std::move(y))},
      "simulation");
}

MarginalBins bin_rows(ClassificationProblem problem, const std::string& input, const Table& table) {
  MarginalBins bins{.input = input};
  const bool categorical = is_categorical(problem, input);
  const double high = problem == ClassificationProblem::kMixed ? 4.5 : 0.8;
  const double width = 2 * high / kBins;
  if (categorical) {
    bins.words = kWords;
    bins.centers = {0, 1, 2};
  } else {
    for (int b = 0; b < kBins; ++b) bins.centers.push_back(-high + (b + 0.5) * width);
  }
  std::vector<double> rows(bins.centers.size(), 0.0), ones = rows;
  const Column& column = table.at(input);
  const std::span<const double> y = table.at("y").numbers();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double bin =
        categorical ? column.codes()[row] : std::floor((column.number(row) + high) / width);
    if (bin < 0 || bin >= static_cast<double>(rows.size())) continue;
    rows[static_cast<std::size_t>(bin)] += 1;
    ones[static_cast<std::size_t>(bin)] += y[row];
  }
  for (std::size_t b = 0; b < rows.size(); ++b) {
    bins.frequencies.push_back(rows[b] > 0 ? ones[b] / rows[b]
                                           : std::numeric_limits<double>::quiet_NaN());
  }
  return bins;
}

Table bins_to_table(const MarginalBins& bins) {
  return Table({bins.words.empty() ? Column::numbers(bins.input, bins.centers)
                                   : Column::coded(bins.input, {0, 1, 2}, bins.words)},
               "bins");
}

double jensen_shannon(const std::vector<double>& predicted,
                      const std::vector<double>& frequencies) {
  double sum = 0;
  const std::size_t bins = for_each_entry(predicted, frequencies, [&](double p, double q) {
    const double middle = (p + q) / 2;
    sum += 0.5 * kl_entry(p, middle) + 0.5 * kl_entry(q, middle);
  });
  return sum / static_cast<double>(bins);
}

double jensen_shannon_of_paper(const std::vector<double>& predicted,
                               const std::vector<double>& frequencies) {
  double sum = 0;
  const std::size_t bins = for_each_entry(predicted, frequencies, [&](double p, double q) {
    const double middle = (p + q) / 2;
    sum += 0.5 * kl_entry(middle, p) + 0.5 * kl_entry(q, middle);
  });
  return sum / static_cast<double>(2 * bins);
}

}  // namespace knockout::experiments
