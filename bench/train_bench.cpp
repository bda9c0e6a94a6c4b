// SPDX-License-Identifier: Apache-2.0
//
// The native training loop against what the cores can do. For several networks and batches:
// microseconds per step and GFLOP/s with everything included (shuffling, knocking out, forward,
// loss, backward, Adam), as a share of the sgemm peak measured beside it; then two threads against
// one.
#include <fmt/format.h>

#include <thread>

#include "bench/training_problem.h"
#include "knockout/kernels/blas.h"
#include "knockout/kernels/flush_denormals.h"
#include "knockout/networks/network_trainer.h"

namespace {

using namespace knockout;
using namespace knockout::bench;

constexpr int kRuns = 7;

/// GFLOP/s of square matrix products on `threads` threads at once.
double sgemm_peak(int threads) {
  constexpr int kSize = 768;
  constexpr int kProducts = 12;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> workers;
      for (int t = 0; t < threads; ++t) {
        workers.emplace_back([] {
          std::vector<float> a(kSize * kSize, 0.5f), b(kSize * kSize, 0.25f), c(kSize * kSize);
          for (int i = 0; i < kProducts; ++i) {
            gemm(Transpose::kNo, Transpose::kNo, kSize, kSize, kSize, a.data(), kSize, b.data(),
                 kSize, 0.0f, c.data(), kSize);
          }
        });
      }
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, threads * kProducts * 2.0 * kSize * kSize * kSize / seconds / 1e9);
  }
  return best;
}

struct Case {
  int inputs;
  std::vector<int> hidden;
  int batch;
};

void measure_steps(double peak) {
  fmt::print("\none thread, one network; peak = sgemm on one core, {:.0f} GFLOP/s\n", peak);
  fmt::print("{:<22} {:>6} {:>12} {:>12} {:>10} {:>10}\n", "network", "batch", "us a step",
             "(best)", "GFLOP/s", "of peak");
  for (const Case& c : {Case{9, {100, 100}, 32}, Case{9, {100, 100}, 256}, Case{9, {100, 100}, 512},
                        Case{50, {128, 128, 128}, 256}, Case{50, {256, 256, 256}, 256},
                        Case{50, {256, 256, 256}, 512}, Case{100, {512, 512}, 512}}) {
    const TrainingProblem problem(5000, c.inputs);
    const ResolvedTraining options = resolve({.hidden = c.hidden,
                                              .networks = 1,
                                              .batch_rows = c.batch,
                                              .steps = 1 << 30,
                                              .dropout = 0,
                                              .validation_share = 0},
                                             5000);
    NetworkTrainer trainer(problem.examples, problem.encoder, problem.plan, options, 0);
    Team team(1);
    const FlushDenormals flush_denormals;
    std::uint64_t step = 0;
    const auto seconds = seconds_per_call(kRuns, [&] { trainer.step(team, 0, step++); });
    const double gflops = step_flops(c.inputs, c.hidden, 1, c.batch) / median(seconds) / 1e9;
    fmt::print("{:<22} {:>6} {:>12.1f} {:>12.1f} {:>10.1f} {:>9.0f}%\n",
               fmt::format("{}-{}-1", c.inputs, fmt::join(c.hidden, "-")), c.batch,
               1e6 * median(seconds), 1e6 * seconds.front(), gflops, 100 * gflops / peak);
  }
}

/// Seconds of one whole training of `networks` networks.
std::vector<double> training_seconds(const TrainingProblem& problem, TrainOptions options,
                                     int threads) {
  options.threads = threads;
  std::vector<double> seconds;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    train(problem.examples, problem.encoder, problem.plan, options);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

void measure_threads() {
  fmt::print("\ntwo threads against one, whole trainings (goal: 1.8)\n");
  fmt::print("{:<34} {:>10} {:>10} {:>8} {:>18}\n", "work", "1 thread s", "2 threads", "ratio",
             "2 threads, spread");
  const TrainingProblem problem(5000, 50);
  struct Work {
    const char* name;
    TrainOptions options;
  };
  const TrainOptions common{.hidden = {{128, 128, 128}}, .dropout = 0, .validation_share = 0};
  TrainOptions four = common, one = common;
  four.networks = 4, four.batch_rows = 256, four.steps = 1000;
  one.networks = 1, one.batch_rows = 512, one.steps = 1500;
  for (const Work& work :
       {Work{"4 networks, batch 256", four}, Work{"1 network, batch 512", one}}) {
    const auto single = training_seconds(problem, work.options, 1),
               pair = training_seconds(problem, work.options, 2);
    fmt::print("{:<34} {:>10.2f} {:>10.2f} {:>8.2f} {:>10.2f} - {:.2f}\n", work.name,
               median(single), median(pair), median(single) / median(pair), pair.front(),
               pair.back());
  }
}

}  // namespace

int main() {
  fmt::print("BLAS: {}\n", blas_name());
  const double peak = sgemm_peak(1);
  fmt::print("sgemm peak: {:.0f} GFLOP/s on one core, {:.0f} on two\n", peak, sgemm_peak(2));
  measure_steps(peak);
  measure_threads();
}
