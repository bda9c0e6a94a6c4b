// SPDX-License-Identifier: Apache-2.0
//
// Data parallel training on this machine: two processes of one thread each against one process of
// one thread and one process of two, on the same global batch. Samples per second, and the share of
// the time in which a process had nothing to do but wait for the gradients of the other.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "bench/torch_bench.h"
#include "bench/training_problem.h"
#include "knockout/nn/knockout.h"
#include "knockout/nn/losses.h"
#include "knockout/nn/process_group.h"
#include "knockout/nn/trainer.h"
#include "knockout/nn/unet3d.h"
#include "knockout/nn/wide_resnet.h"

namespace {

using namespace knockout;
using namespace knockout::bench;

constexpr int kRuns = 3;

/// What a process writes to its parent.
struct Figures {
  double samples_per_second = 0, waiting_share = 0;
};

struct Case {
  const char* name;
  const char* title;
  std::int64_t batch_rows, steps;
};
constexpr std::array kCases = {
    Case{"unet", "U-Net 3-D, 3 levels, 16 wide, 4 x 32^3", 4, 6},
    Case{"resnet", "Wide-ResNet-16-2, 3 x 32 x 32", 64, 6},
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

/// One process of a run: some steps to warm up, then the measured ones.
Figures work(const Case& task, int threads, nn::ProcessGroup* processes) {
  torch::set_num_threads(threads);
  torch::manual_seed(1);
  const auto run = [&](std::int64_t steps) {
    const nn::TrainerOptions options{.batch_rows = task.batch_rows, .steps = steps};
    return std::strcmp(task.name, "unet") == 0 ? train_unet(options, processes)
                                               : train_resnet(options, processes);
  };
  run(1);
  const nn::TrainerReport report = run(task.steps);
  return {.samples_per_second = static_cast<double>(task.batch_rows * task.steps) / report.seconds,
          .waiting_share = report.communication_seconds / report.seconds};
}

int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0) std::abort();
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  close(listener);
  return ntohs(address.sin_port);
}

/// Starts this program as `size` processes of `threads` threads; the figures of the first.
Figures start(const Case& task, int size, int threads) {
  const std::string port = std::to_string(free_port());
  int channel[2];
  if (pipe(channel) != 0) std::abort();
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("RANK", std::to_string(rank).c_str(), 1);
      setenv("WORLD_SIZE", std::to_string(size).c_str(), 1);
      setenv("MASTER_ADDR", "127.0.0.1", 1);
      setenv("MASTER_PORT", port.c_str(), 1);
      const std::string count = std::to_string(threads), output = std::to_string(channel[1]);
      execl("/proc/self/exe", "torch_processes", task.name, count.c_str(), output.c_str(), nullptr);
      std::abort();
    }
    children.push_back(child);
  }
  close(channel[1]);
  Figures figures;
  if (read(channel[0], &figures, sizeof(figures)) != sizeof(figures)) figures = {};
  close(channel[0]);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return figures;
}

Figures median_of_runs(const Case& task, int size, int threads) {
  std::vector<double> speeds, shares;
  for (int i = 0; i < kRuns; ++i) {
    const Figures figures = start(task, size, threads);
    speeds.push_back(figures.samples_per_second);
    shares.push_back(figures.waiting_share);
  }
  return {.samples_per_second = median(speeds), .waiting_share = median(shares)};
}

}  // namespace

int main(int argc, char** argv) {
  choose_blas_kernels(argv);
  if (argc == 4) {
    for (const Case& task : kCases) {
      if (std::strcmp(argv[1], task.name) != 0) continue;
      std::unique_ptr<nn::ProcessGroup> processes;
      if (const auto rendezvous = rendezvous_from_environment()) {
        processes = std::make_unique<nn::ProcessGroup>(*rendezvous);
      }
      const Figures figures = work(task, std::atoi(argv[2]), processes.get());
      if (processes != nullptr && processes->rank() > 0) return 0;
      return write(std::atoi(argv[3]), &figures, sizeof(figures)) == sizeof(figures) ? 0 : 1;
    }
  }
  std::printf("samples per second, median of %d runs; waiting: share of the time\n", kRuns);
  std::printf("%-40s %10s %10s %10s %9s %9s\n", "", "1 thread", "2 threads", "2 proc.", "v 1 thr.",
              "waiting");
  for (const Case& task : kCases) {
    const Figures one = median_of_runs(task, 1, 1), two_threads = median_of_runs(task, 1, 2),
                  two = median_of_runs(task, 2, 1);
    std::printf("%-40s %10.2f %10.2f %10.2f %8.2fx %8.1f%%\n", task.title, one.samples_per_second,
                two_threads.samples_per_second, two.samples_per_second,
                two.samples_per_second / one.samples_per_second, 100 * two.waiting_share);
  }
}
