// SPDX-License-Identifier: Apache-2.0
//
// Exhaustive evaluation, as `knockout evaluate --max-missing 3` does it: every pattern of up to
// three of nine inputs on 27,000 rows, five networks of 128-128 units, all metrics with intervals.
// Against it, in the same run: the bare matrix products of the same layers on the same number of
// rows and threads, and one predict() per pattern.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "knockout/base/parallel.h"
#include "knockout/base/random.h"
#include "knockout/eval/evaluate.h"
#include "knockout/fit/fit.h"
#include "knockout/kernels/blas.h"
#include "knockout/networks/network_ensemble.h"

namespace {

using namespace knockout;
using Clock = std::chrono::steady_clock;

constexpr int kInputs = 9, kRows = 27'000, kMaxMissing = 3;

Table make_table(std::uint32_t rows, bool classes) {
  const Random random(4, Stream::kSimulation);
  std::vector<std::vector<double>> numbers(kInputs + 1);
  for (std::uint32_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < kInputs; ++c) {
      numbers[c].push_back(random.normal(0, r, c));
      sum += numbers[c].back();
    }
    sum += random.normal(1, r, 0);
    numbers[kInputs].push_back(classes ? (sum > 0 ? 1.0 : 0.0) : sum);
  }
  std::vector<Column> columns;
  for (int c = 0; c <= kInputs; ++c) {
    columns.push_back(
        Column::numbers(c == kInputs ? "y" : fmt::format("x{}", c), std::move(numbers[c])));
  }
  return Table(std::move(columns), "rows");
}

Model make_model(bool classes) {
  FitOptions options;
  options.schema.targets = {"y"};
  options.schema.task = classes ? Task::kClassification : Task::kRegression;
  options.train.hidden = {128, 128};
  options.train.networks = 5;
  options.train.steps = 100;
  return fit(make_table(2000, classes), options).model;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The matrix products of `rows` rows through every layer of every network, and nothing else.
void multiply_only(const Model& model, std::size_t rows, int threads) {
  constexpr int kBlock = 1024;
  struct Product {
    int inputs, outputs;
    std::size_t offset;  // of the weights
  };
  const auto& ensemble = dynamic_cast<const NetworkEnsemble&>(*model.learners().front().learner);
  std::vector<Product> products;
  std::size_t offset = 0;
  for (const LayerPointer& layer : ensemble.networks().front().layers().layers()) {
    if (!layer->in_place()) products.push_back({layer->inputs() + 1, layer->outputs(), offset});
    offset += layer->parameter_count();
  }
  parallel_for(
      static_cast<std::size_t>(resolve_threads(threads)), threads, [&](std::size_t worker) {
        std::vector<std::vector<float>> activations;
        for (const Product& product : products) {
          activations.emplace_back(static_cast<std::size_t>(kBlock) * product.inputs, 0.5F);
        }
        activations.emplace_back(static_cast<std::size_t>(kBlock) * products.back().outputs);
        const std::size_t blocks = rows / kBlock;
        for (std::size_t b = worker; b < blocks; b += resolve_threads(threads)) {
          for (const Network& network : ensemble.networks()) {
            for (std::size_t p = 0; p < products.size(); ++p) {
              const auto& [inputs, outputs, at] = products[p];
              const int out_stride = p + 1 < products.size() ? outputs + 1 : outputs;
              gemm(Transpose::kNo, Transpose::kNo, kBlock, outputs, inputs, activations[p].data(),
                   inputs, network.parameters().data() + at, outputs, 0.0F,
                   activations[p + 1].data(), out_stride);
            }
          }
        }
      });
}

void measure(const char* task, bool classes) {
  const Model model = make_model(classes);
  const Table table = make_table(kRows, classes);
  const PatternList list = patterns_up_to(model.schema(), kMaxMissing);
  std::vector<MissingPattern> patterns;
  for (const NamedPattern& pattern : list.patterns) patterns.push_back(pattern.pattern);
  const std::size_t rows = patterns.size() * kRows;
  fmt::print("{}: {} patterns x {} rows, five networks of 128-128 units; {}\n", task,
             patterns.size(), kRows, blas_name());
  const auto ignore = [](std::size_t, const std::vector<TargetPrediction>&) {};
  for (const int threads : {1, 2}) {
    for (int run = 0; run < 3; ++run) {
      const double products = seconds_of([&] { multiply_only(model, rows, threads); });
      const double predicted =
          seconds_of([&] { model.predict_patterns(table, patterns, ignore, {}, threads); });
      const double evaluated =
          seconds_of([&] { evaluate(model, table, list, {.threads = threads}); });
      const double one_by_one = seconds_of(
          [&] { model.Predictor::predict_patterns(table, patterns, ignore, {}, threads); });
      if (run == 0) continue;  // warm-up
      fmt::print(
          "  {} thread{}: evaluate {:.2f} s = {:.2f} x the matrix products ({:.2f} s); predictions "
          "alone {:.2f} s ({:.2f} x); predict() per pattern {:.2f} s\n",
          threads, threads == 1 ? " " : "s", evaluated, evaluated / products, products, predicted,
          predicted / products, one_by_one);
    }
  }
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // lines appear as they are measured
  measure("regression", false);
  measure("two classes", true);
}
