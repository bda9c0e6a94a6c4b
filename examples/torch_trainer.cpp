// SPDX-License-Identifier: Apache-2.0
//
// A whole training: a data set, Knockout, validation, checkpoints, progress, and as many processes
// as start it. The inputs a and b are Gaussian with correlation 0.6, and y = 2a + b + noise, so
// that the best answer with one of them missing is known: 2.6 a, or 2.2 b.
//   example_torch_trainer FOLDER              killed and started again, it goes on
//   mpirun -n 4 example_torch_trainer FOLDER  the same, each batch shared by 4 processes
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "knockout/base/rendezvous.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/training/trainer.h"

using namespace knockout::nn;

namespace {

/// Rows as they could lie on disk: read when they are asked for, by any thread.
class Rows : public Dataset {
 public:
  explicit Rows(std::size_t size, std::uint64_t seed)
      : size_(size), content_(seed, knockout::Stream::kSimulation) {}
  std::size_t size() const override { return size_; }
  Batch get(std::span<const std::size_t> rows, const knockout::Random& random,
            std::uint64_t draw) const override {
    Batch batch{{torch::empty({static_cast<std::int64_t>(rows.size()), 2})},
                {},
                torch::empty({static_cast<std::int64_t>(rows.size()), 1}),
                {rows.begin(), rows.end()}};
    auto inputs = batch.inputs[0].accessor<float, 2>();
    auto labels = batch.labels.accessor<float, 2>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::uint32_t>(rows[i]);
      const double a = content_.normal(0, row, 0);
      const double b = 0.6 * a + 0.8 * content_.normal(0, row, 2);
      inputs[i][0] = static_cast<float>(a);
      inputs[i][1] = static_cast<float>(b);
      // Augmentation: noise that is another one at each step, and the same when it is repeated.
      labels[i][0] = static_cast<float>(2 * a + b + 0.3 * random.normal(draw, row, 0));
    }
    return batch;
  }

 private:
  std::size_t size_;
  knockout::Random content_;
};

}  // namespace

int main(int count, char** arguments) try {
  // Who else is there: nobody, or what mpirun, torchrun, Slurm say.
  std::unique_ptr<ProcessGroup> processes;
  if (const auto rendezvous = knockout::rendezvous_from_environment()) {
    processes = std::make_unique<ProcessGroup>(*rendezvous);
    // All are on this machine here: together they take its cores once, not each for itself.
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    torch::set_num_threads(std::max(1, cores / rendezvous->size));
  }
  const bool leads = !processes || processes->rank() == 0;
  const bool keeps_folder = count > 1;
  const std::string folder = keeps_folder
                                 ? arguments[1]
                                 : (std::filesystem::temp_directory_path() /
                                    ("knockout_torch_trainer_" + std::to_string(::getpid())))
                                       .string();

  torch::manual_seed(1);
  torch::nn::Sequential network(
      Knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                     .shape = {2},
                                                     .placeholder = Placeholder::z_score(),
                                                     .knockout_rate = 0.4,
                                                     .separate_features = true}}}),
      torch::nn::Linear(2, 64), torch::nn::ReLU(), torch::nn::Linear(64, 64), torch::nn::ReLU(),
      torch::nn::Linear(64, 1));

  const Rows training(5000, 1), validation(500, 2);
  constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  TrainingTask task;
  task.network = network.ptr();
  task.loss = [&](const Batch& batch) {
    return torch::mse_loss(network->forward(batch.inputs[0]), batch.labels);
  };
  std::vector<std::size_t> rows(validation.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const Batch all = validation.get(rows, knockout::Random(2, knockout::Stream::kAugment), 0);
  task.validate = [&] {  // with both inputs, without a, without b; the higher the better
    double score = 0;
    for (const int missing : {-1, 0, 1}) {
      torch::Tensor inputs = all.inputs[0].clone();
      if (missing >= 0) inputs.select(1, missing).fill_(kMissing);
      score -= torch::mse_loss(network->forward(inputs), all.labels).item<double>();
    }
    return score;
  };

  TrainerOptions options;
  options.batch_rows = 256;  // of all processes together
  options.steps = 1200;
  options.learning_rate = 5e-3;
  options.warmup_steps = 50;
  options.validate_every = 100;
  options.patience = 6;
  options.checkpoint_folder = folder;
  const TrainerReport report =
      train(task, training, options, processes.get(), [](const TrainerProgress& at) {
        std::printf("step %4ld of %ld, loss %.3f, %.0f s left\n", static_cast<long>(at.step),
                    static_cast<long>(at.steps), at.training_loss, at.seconds_left);
      });
  if (leads && !keeps_folder) std::filesystem::remove_all(folder);

  // All processes have the best weights now.
  const torch::NoGradGuard no_gradients;
  const auto answer = [&](float a, float b) {
    return network->forward(torch::tensor({{a, b}})).item<double>();
  };
  const double without_b = answer(1, kMissing), without_a = answer(kMissing, 1);
  if (leads) {
    std::printf("resumed at step %ld, best at step %ld\n", static_cast<long>(report.resumed_at),
                static_cast<long>(report.best_step));
    std::printf("a = 1: %.2f, best 2.60\nb = 1: %.2f, best 2.20\n", without_b, without_a);
  }
  return std::abs(without_b - 2.6) < 0.3 && std::abs(without_a - 2.2) < 0.3 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
