// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/networks/trainer.h"

namespace knockout::bench {

/// Gaussian inputs, one Gaussian target: what is learned does not matter here, only how fast.
struct TrainingProblem {
  Encoder encoder;
  Examples examples;
  KnockoutPlan plan;

  TrainingProblem(int rows, int inputs) {
    const Random random(1, Stream::kSimulation);
    Table table;
    Schema schema;
    std::vector<std::string> names;
    for (int i = 0; i < inputs; ++i) {
      std::vector<double> numbers;
      for (int r = 0; r < rows; ++r) numbers.push_back(random.normal(i, r, 0));
      names.push_back("x" + std::to_string(i));
      schema.features.push_back({.name = names.back()});
      table.add_column(Column::numbers(names.back(), std::move(numbers)));
    }
    encoder = Encoder::fit(table, schema);
    examples.inputs = encoder.encode(table);
    examples.heads = {{.loss = Loss::kSquaredError}};
    for (int r = 0; r < rows; ++r) {
      examples.labels.push_back(static_cast<float>(random.normal(inputs, r, 0)));
      examples.weights.push_back(1.0f);
    }
    plan = make_plan(names, std::vector<bool>(inputs, false), {});
  }
};

/// Floating-point operations of one training step: forward, gradients of the weights, and gradients
/// of the activations but the inputs'.
inline double step_flops(int inputs, const std::vector<int>& hidden, int outputs, int batch) {
  double weights = 0, first = 0;
  int from = inputs;
  for (const int width : hidden) {
    weights += 1.0 * from * width;
    if (from == inputs && first == 0) first = 1.0 * from * width;
    from = width;
  }
  weights += 1.0 * from * outputs;
  return 2.0 * batch * (3.0 * weights - first);
}

/// Seconds per call in each of `runs` runs of about 0.3 s, after a warm-up; sorted, so that the
/// first is the best and the middle the median.
inline std::vector<double> seconds_per_call(int runs, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  const auto time_calls = [&](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  int calls = 1;
  while (time_calls(calls) < 0.1) calls *= 2;
  calls *= 3;
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(time_calls(calls) / calls);
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace knockout::bench
