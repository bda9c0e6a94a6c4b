// SPDX-License-Identifier: Apache-2.0
//
// One training step, native against LibTorch autograd: the same network, batch and optimiser, in
// one process. LibTorch gets a prepared batch; the native step also shuffles, gathers and knocks
// out. LibTorch runs with one thread and with all, and the better counts.
#include <torch/torch.h>

#include <cstdio>
#include <thread>

#include "bench/torch_bench.h"
#include "bench/training_problem.h"
#include "knockout/kernels/flush_denormals.h"
#include "knockout/networks/network_trainer.h"

namespace {

using namespace knockout;
using namespace knockout::bench;

constexpr int kInputs = 9;
const std::vector<int> kHidden = {100, 100};
constexpr int kRuns = 7;

std::vector<double> libtorch_step(int batch, int threads) {
  torch::set_num_threads(threads);
  torch::manual_seed(1);
  torch::nn::Sequential network(torch::nn::Linear(kInputs, 100), torch::nn::ReLU(),
                                torch::nn::Linear(100, 100), torch::nn::ReLU(),
                                torch::nn::Linear(100, 1));
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(3e-3));
  const torch::Tensor inputs = torch::randn({batch, kInputs}), targets = torch::randn({batch, 1});
  return seconds_per_call(kRuns, [&] {
    optimizer.zero_grad();
    torch::mse_loss(network->forward(inputs), targets).backward();
    optimizer.step();
  });
}

/// Native steps on a team of `threads`; a call is a hundred steps, since starting a team costs more
/// than a step.
std::vector<double> native_step(int batch, int threads) {
  constexpr int kSteps = 100;
  const TrainingProblem problem(3000, kInputs);
  const ResolvedTraining options = resolve({.hidden = kHidden,
                                            .networks = 1,
                                            .batch_rows = batch,
                                            .steps = 1 << 30,
                                            .dropout = 0,
                                            .validation_share = 0},
                                           3000);
  NetworkTrainer trainer(problem.examples, problem.encoder, problem.plan, options, 0);
  Team team(threads);
  std::uint64_t first = 0;
  auto seconds = seconds_per_call(kRuns, [&] {
    team.run([&](int rank) {
      const FlushDenormals flush_denormals;
      for (std::uint64_t step = first; step < first + kSteps; ++step)
        trainer.step(team, rank, step);
    });
    first += kSteps;
  });
  for (double& s : seconds) s /= kSteps;
  return seconds;
}

}  // namespace

int main(int, char** argv) {
  choose_blas_kernels(argv);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::printf(
      "9-100-100-1, forward + backward + Adam; microseconds a step, median of %d runs (best in "
      "brackets); BLAS: %s\n",
      kRuns, blas_name().c_str());
  std::printf("%6s %22s %22s %22s %22s %8s\n", "batch", "LibTorch, 1 thread", "LibTorch, all",
              "native, 1 thread", "native, all", "ratio");
  for (const int batch : {32, 128, 512}) {
    const auto torch_one = libtorch_step(batch, 1), torch_all = libtorch_step(batch, cores);
    torch::set_num_threads(1);  // LibTorch shares OpenMP, and with it BLAS, with the native step
    const auto native_one = native_step(batch, 1), native_all = native_step(batch, cores);
    const double rival = std::min(median(torch_one), median(torch_all)),
                 ours = std::min(median(native_one), median(native_all));
    std::printf("%6d", batch);
    for (const auto* seconds : {&torch_one, &torch_all, &native_one, &native_all}) {
      std::printf(" %13.1f (%6.1f)", 1e6 * median(*seconds), 1e6 * seconds->front());
    }
    std::printf(" %7.1fx\n", rival / ours);
  }
}
