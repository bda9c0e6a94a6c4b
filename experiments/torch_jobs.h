// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "experiments/data_study.h"
#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::experiments {

/// What the studies on the LibTorch engine share: checkpoints of the training that is under way,
/// progress, and the other processes, if there are any. Jobs run one after the other, each on all
/// threads: LibTorch's random numbers and threads belong to the process.
///   TorchJobs torch_run(run, work);
///   for each job:  torch_run.start_job(key);
///                  torch_run.train("network", task, training, options, progress);
///                  scores = torch_run.predict(rows, [&](auto begin, auto end) { ... });
class TorchJobs {
 public:
  /// Sets the threads of LibTorch.
  TorchJobs(const DataStudyContext& run, const StudyWork& work);

  /// The first process: it alone writes files.
  bool leads() const { return processes_ == nullptr || processes_->rank() == 0; }
  nn::ProcessGroup* processes() const { return processes_; }

  /// Trainings from here on belong to this job. The checkpoints of the job before are removed: its
  /// result is in the journal.
  void start_job(const std::string& key);

  /// nn::train with checkpoints in a folder of the job named `name`; `progress` hears the share
  /// done, from `from` to `to`: a job may train several networks.
  nn::TrainerReport train(const std::string& name, const nn::TrainingTask& task,
                          const nn::Dataset& training, nn::TrainerOptions options,
                          const std::function<void(double)>& progress, double from = 0.0,
                          double to = 0.95);

  /// What a network says of `rows` rows, in batches and without gradients; the processes share the
  /// rows and all get the whole. `predict` gives the rows [begin, end) as a tensor [end - begin,
  /// ...] of numbers on the CPU; the result is of doubles.
  torch::Tensor predict(
      std::int64_t rows, std::int64_t batch_rows,
      const std::function<torch::Tensor(std::int64_t begin, std::int64_t end)>& predict) const;

  /// The whole study is done: nothing is left behind.
  void remove_checkpoints();

 private:
  std::string folder_, job_folder_;  ///< "" = nothing is kept.
  nn::ProcessGroup* processes_ = nullptr;
};

}  // namespace knockout::experiments
