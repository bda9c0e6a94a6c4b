// SPDX-License-Identifier: Apache-2.0
//
// Data parallel training on this machine: two processes of one thread each against one process of
// one thread and one process of two, on the same global batch. Samples per second, and the share of
// the time in which a process had nothing to do but wait for the gradients of the other.
//
// Two more rows tell where the rest goes: one process with the smaller batch that a process of two
// gets, and two such processes at the same time that know nothing of each other. What these lose
// against the first is lost to small batches and to what the cores share; only what two connected
// processes lose against these is communication.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/torch_bench.h"
#include "bench/training_problem.h"
#include "knockout/base/rendezvous.h"
#include "knockout/base/test_free_port.h"
#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/networks/wide_resnet.h"
#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/training/losses.h"
#include "knockout/nn/training/trainer.h"

namespace {

using namespace knockout;
using namespace knockout::bench;

constexpr int kRuns = 5;
constexpr double kSecondsPerRun = 4.0;

/// What a process writes to its parent.
struct Figures {
  double samples_per_second = 0, waiting_share = 0;
};

struct Case {
  const char* name;
  const char* title;
  std::int64_t batch_rows;
};
constexpr std::array kCases = {
    Case{"unet", "U-Net 3-D, 3 levels, 16 wide, batch of 4 x 4 x 32^3", 4},
    Case{"resnet", "Wide-ResNet-16-2, batch of 64 x 3 x 32 x 32", 64},
};

/// Who trains: so many processes of so many threads, each with its part of the batch.
struct Setting {
  const char* name;
  const char* title;
  int processes, threads;
  int batch_parts;    ///< A process has one of so many.
  bool is_connected;  ///< Or each process trains a network of its own.
};
constexpr std::array kSettings = {
    Setting{"one", "1 process, 1 thread", 1, 1, 1, false},
    Setting{"threads", "1 process, 2 threads", 1, 2, 1, false},
    Setting{"half", "1 process, 1 thread, half the batch", 1, 1, 2, false},
    Setting{"apart", "2 processes, half the batch each, apart", 2, 1, 2, false},
    Setting{"together", "2 processes, half the batch each, together", 2, 1, 2, true},
};

nn::TrainerReport train_unet(const nn::TrainerOptions& options, nn::ProcessGroup* processes) {
  const nn::TensorDataset data({torch::rand({16, 4, 32, 32, 32})},
                               torch::randint(4, {16, 32, 32, 32}, torch::kInt64));
  nn::UNet3d network(nn::UNet3dOptions{.levels = 3, .base_width = 16});
  return nn::train({.network = network.ptr(),
                    .loss =
                        [&](const nn::Batch& batch) {
                          return nn::cross_entropy_and_dice(network->forward(batch.inputs[0]),
                                                            batch.labels);
                        }},
                   data, options, processes);
}

nn::TrainerReport train_resnet(const nn::TrainerOptions& options, nn::ProcessGroup* processes) {
  const nn::TensorDataset data({torch::rand({256, 3, 32, 32})},
                               torch::randint(10, {256}, torch::kInt64));
  nn::WideResNet network(nn::WideResNetOptions{.depth = 16, .width = 2});
  return nn::train({.network = network.ptr(),
                    .loss =
                        [&](const nn::Batch& batch) {
                          return nn::cross_entropy(network->forward(batch.inputs[0]), batch.labels);
                        }},
                   data, options, processes);
}

/// One process of a run: some steps to warm up and to see how long they take, then the measured
/// ones. `processes` is null for a process that is the only one.
Figures work(const Case& task, const Setting& setting, nn::ProcessGroup* processes) {
  torch::set_num_threads(setting.threads);
  torch::manual_seed(1);
  nn::ProcessGroup* const connected = setting.is_connected ? processes : nullptr;
  // A batch is that of all connected processes.
  const std::int64_t batch_rows =
      setting.is_connected ? task.batch_rows : task.batch_rows / setting.batch_parts;
  const auto run = [&](std::int64_t steps) {
    const nn::TrainerOptions options{.batch_rows = batch_rows, .steps = steps};
    return std::strcmp(task.name, "unet") == 0 ? train_unet(options, connected)
                                               : train_resnet(options, connected);
  };
  run(1);
  constexpr std::int64_t kTrialSteps = 3;
  auto steps = static_cast<std::int64_t>(
      std::ceil(kSecondsPerRun / (run(kTrialSteps).seconds / kTrialSteps)));
  // Also lets unconnected processes begin at the same time.
  if (processes != nullptr) processes->broadcast(std::as_writable_bytes(std::span(&steps, 1)));
  const nn::TrainerReport report = run(steps);
  double speed = static_cast<double>(batch_rows * steps) / report.seconds;
  if (processes != nullptr && connected == nullptr) processes->sum(std::span(&speed, 1));
  return {.samples_per_second = speed,
          .waiting_share = report.communication_seconds / report.seconds};
}

/// Starts this program as the processes of a setting; the figures of the first.
Figures start(const Case& task, const Setting& setting) {
  const std::string port = std::to_string(free_port());
  int channel[2];
  if (pipe(channel) != 0) std::abort();
  std::vector<pid_t> children;
  for (int rank = 0; rank < setting.processes; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("RANK", std::to_string(rank).c_str(), 1);
      setenv("WORLD_SIZE", std::to_string(setting.processes).c_str(), 1);
      setenv("MASTER_ADDR", "127.0.0.1", 1);
      setenv("MASTER_PORT", port.c_str(), 1);
      const std::string output = std::to_string(channel[1]);
      execl("/proc/self/exe", "torch_processes", task.name, setting.name, output.c_str(), nullptr);
      std::abort();
    }
    children.push_back(child);
  }
  close(channel[1]);
  Figures figures;
  const bool is_whole = read(channel[0], &figures, sizeof(figures)) == sizeof(figures);
  close(channel[0]);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  if (is_whole) return figures;
  std::fprintf(stderr, "A process of \"%s\" failed.\n", setting.title);
  std::exit(1);
}

/// As one of the processes that start() began.
int run_as_child(const char* task_name, const char* setting_name, int output) {
  const auto has_name = [](const char* name) {
    return [name](const auto& each) { return std::strcmp(each.name, name) == 0; };
  };
  const auto* const task = std::find_if(kCases.begin(), kCases.end(), has_name(task_name));
  const auto* const setting =
      std::find_if(kSettings.begin(), kSettings.end(), has_name(setting_name));
  if (task == kCases.end() || setting == kSettings.end()) {
    std::fprintf(stderr, "Run it without arguments.\n");
    return 2;
  }
  std::unique_ptr<nn::ProcessGroup> processes;
  if (const auto rendezvous = rendezvous_from_environment()) {
    processes = std::make_unique<nn::ProcessGroup>(*rendezvous);
  }
  const Figures figures = work(*task, *setting, processes.get());
  if (processes != nullptr && processes->rank() > 0) return 0;
  return write(output, &figures, sizeof(figures)) == sizeof(figures) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  choose_blas_kernels(argv);
  if (argc == 4) return run_as_child(argv[1], argv[2], std::atoi(argv[3]));
  std::printf(
      "samples per second: median of %d runs of about %.0f s (least to most), against 1 "
      "thread; waiting: share of the time\n",
      kRuns, kSecondsPerRun);
  for (const Case& task : kCases) {
    std::array<std::vector<double>, kSettings.size()> speeds, waiting;
    for (int run = 0; run < kRuns; ++run) {  // in turns, so that a slow minute hits all settings
      for (std::size_t i = 0; i < kSettings.size(); ++i) {
        const Figures figures = start(task, kSettings[i]);
        speeds[i].push_back(figures.samples_per_second);
        waiting[i].push_back(figures.waiting_share);
      }
    }
    std::printf("%s\n", task.title);
    for (std::size_t i = 0; i < kSettings.size(); ++i) {
      const auto [least, most] = std::minmax_element(speeds[i].begin(), speeds[i].end());
      std::printf("  %-44s %8.2f (%.2f to %.2f) %6.2fx", kSettings[i].title, median(speeds[i]),
                  *least, *most, median(speeds[i]) / median(speeds[0]));
      if (kSettings[i].is_connected) std::printf("  waiting %.1f %%", 100 * median(waiting[i]));
      std::printf("\n");
    }
  }
}
