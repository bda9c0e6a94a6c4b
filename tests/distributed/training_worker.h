// SPDX-License-Identifier: Apache-2.0
// The small trainings that the processes of these tests run.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "knockout/base/error.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/torch.h"
#include "knockout/nn/training/checkpoint.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::testing_processes {

inline std::string variable_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// Rows of a known function, read as slowly as told so that there is time to be killed.
class SlowRows : public nn::Dataset {
 public:
  explicit SlowRows(int milliseconds) : milliseconds_(milliseconds), rows_(make_rows()) {}
  std::size_t size() const override { return rows_.size(); }
  nn::Batch get(std::span<const std::size_t> rows, const Random& random,
                std::uint64_t draw) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    return rows_.get(rows, random, draw);
  }

 private:
  static nn::TensorDataset make_rows() {
    torch::manual_seed(7);
    const torch::Tensor x = torch::randn({101, 6});
    return nn::TensorDataset({x}, x.sum(1).sin());
  }
  int milliseconds_;
  nn::TensorDataset rows_;
};

/// Knockout and two layers; "stateful" puts batch norm and Dropout between them, and has a
/// validation; "norm" is the same without a validation; "unused" adds a layer that takes part in
/// odd steps only, and only in the last process, and one that never does; "gaps" is for labels of
/// which about half are missing.
class Network : public torch::nn::Module {
 public:
  explicit Network(const std::string& kind) : kind_(kind) {
    nn::KnockoutModuleOptions options;
    options.modalities = {{.name = "x",
                           .shape = {6},
                           .placeholder = nn::Placeholder::z_score(),
                           .separate_features = true}};
    knockout_ = register_module("knockout", nn::Knockout(options));
    first_ = register_module("first", torch::nn::Linear(6, 16));
    norm_ = register_module("norm", torch::nn::BatchNorm1d(16));
    dropout_ = register_module("dropout", torch::nn::Dropout(0.2));
    last_ = register_module("last", torch::nn::Linear(16, 1));
    if (kind == "unused") {
      sometimes_ = register_module("sometimes", torch::nn::Linear(16, 1));
      never_ = register_module("never", torch::nn::Linear(16, 1));
    }
  }

  torch::Tensor forward(const torch::Tensor& x, bool with_sometimes) {
    torch::Tensor hidden = first_->forward(knockout_->forward(x));
    if (kind_ == "stateful" || kind_ == "norm") hidden = dropout_->forward(norm_->forward(hidden));
    hidden = torch::tanh(hidden);
    torch::Tensor result = last_->forward(hidden);
    if (with_sometimes) result = result + sometimes_->forward(hidden);
    return result.squeeze(1);
  }

 private:
  std::string kind_;
  nn::Knockout knockout_{nullptr};
  torch::nn::Linear first_{nullptr}, last_{nullptr}, sometimes_{nullptr}, never_{nullptr};
  torch::nn::BatchNorm1d norm_{nullptr};
  torch::nn::Dropout dropout_{nullptr};
};

/// In the tests with gaps, negative labels count as missing.
inline torch::Tensor has_label(const nn::Batch& batch) {
  return batch.labels.ge(0).to(torch::kFloat32);
}

/// Throws if a buffer of this process is not that of rank 0, to the bit.
inline void require_buffers_of_rank_0(const torch::nn::Module& network,
                                      nn::ProcessGroup& processes) {
  for (const auto& buffer : network.named_buffers()) {
    torch::Tensor expected = buffer.value().clone();
    processes.broadcast({static_cast<std::byte*>(expected.data_ptr()), expected.nbytes()});
    if (torch::equal(buffer.value(), expected)) continue;
    throw std::logic_error("validated with another " + buffer.key() + " than rank 0");
  }
}

/// From now on, whoever writes more than a few bytes to a file is killed in the middle of it.
inline void be_killed_while_writing() {
  ::signal(SIGXFSZ, [](int) { ::kill(::getpid(), SIGKILL); });
  const rlimit limit = {512, 512};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

/// Trains as the environment says and writes the network to OUTPUT and the step where it was
/// resumed to OUTPUT.resumed_at; the exit code is that of the command for the same error.
inline int run_training() try {
  torch::set_num_threads(1);
  std::unique_ptr<nn::ProcessGroup> processes;
  if (const auto rendezvous = rendezvous_from_environment()) {
    processes = std::make_unique<nn::ProcessGroup>(*rendezvous);
  }
  const std::string kind = variable_or("NETWORK", "plain");
  const SlowRows data(std::stoi(variable_or("MILLISECONDS", "0")));
  // Each rank begins elsewhere: the weights of rank 0 must win.
  const std::string rank = std::to_string(processes ? processes->rank() : 0);
  torch::manual_seed(std::stoull(variable_or("SEED", rank)));
  const auto network = std::make_shared<Network>(kind);
  const bool is_last_process = !processes || processes->rank() + 1 == processes->size();
  const int killed_writing_after = std::stoi(variable_or("KILLED_WRITING_AFTER", "0"));
  const int cancelled_after =
      variable_or("CANCELLED_BY", "nobody") == rank ? std::stoi(variable_or("AFTER", "5")) : 0;
  std::stop_source stop;
  int step = 0;
  nn::TrainingTask task{network, [&](const nn::Batch& batch) {
                          if (step + 1 == cancelled_after) stop.request_stop();
                          if (++step == killed_writing_after) be_killed_while_writing();
                          const bool odd = kind == "unused" && step % 2 == 1 && is_last_process;
                          const torch::Tensor output = network->forward(batch.inputs[0], odd);
                          if (kind != "gaps") return torch::mse_loss(output, batch.labels);
                          const torch::Tensor labelled = has_label(batch);
                          return ((output - batch.labels).square() * labelled).sum() /
                                 labelled.sum().clamp_min(1);
                        }};
  if (kind == "gaps") {
    task.weight = [](const nn::Batch& batch) { return has_label(batch).sum().item<double>(); };
  }
  if (kind == "stateful") {
    task.validate = [&] {
      if (processes) require_buffers_of_rank_0(*network, *processes);
      const std::vector<std::size_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
      return -task.loss(data.get(rows, Random(0, Stream::kShuffle), 0)).item<double>();
    };
  }
  const std::int64_t steps = std::stoi(variable_or("STEPS", "20"));
  const nn::TrainerReport report =
      nn::train(task, data,
                {.batch_rows = 10,  // for 4 processes: slices of 2 and 3 rows
                 .steps = steps,
                 .optimizer = Optimizer::kAdam,
                 .learning_rate = 0.01,
                 .weight_decay = 0.01,
                 .clip_norm = 1.0,
                 .seed = 5,
                 .validate_every = 7,
                 .checkpoint_folder = variable_or("CHECKPOINTS", ""),
                 .checkpoint_every = 3,
                 .stop = cancelled_after > 0 ? stop.get_token() : std::stop_token()},
                processes.get());
  nn::Checkpoint checkpoint;
  nn::store_network(*network, checkpoint);
  const std::string output = variable_or("OUTPUT", "weights");
  nn::write_checkpoint_bytes(nn::checkpoint_to_bytes(checkpoint), output);
  std::ofstream(output + ".resumed_at") << report.resumed_at;
  return 0;
} catch (const Cancelled& error) {
  std::cerr << error.what() << '\n';
  return 9;
} catch (const PeerError& error) {
  std::cerr << error.what() << '\n';
  return 6;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

}  // namespace knockout::testing_processes
