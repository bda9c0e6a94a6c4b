// SPDX-License-Identifier: Apache-2.0
#include "experiments/torch_jobs.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/wording.h"
#include "knockout/nn/torch.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// A key as the name of a folder.
std::string folder_name(std::string key) {
  for (char& letter : key) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '.' || letter == '-';
    if (!plain) letter = '_';
  }
  return key;
}

}  // namespace

TorchJobs::TorchJobs(const DataStudyContext& run, const StudyWork& work)
    : folder_(work.checkpoint_folder),
      processes_(dynamic_cast<nn::ProcessGroup*>(run.run.processes)) {
  torch::set_num_threads(resolve_threads(run.run.threads));
  if (run.run.from_start && leads()) remove_checkpoints();
}

void TorchJobs::start_job(const std::string& key) {
  if (folder_.empty()) return;
  if (leads() && !job_folder_.empty()) fs::remove_all(job_folder_);
  job_folder_ = (fs::path(folder_) / folder_name(key)).string();
}

nn::TrainerReport TorchJobs::train(const std::string& name, const nn::TrainingTask& task,
                                   const nn::Dataset& training, nn::TrainerOptions options,
                                   const std::function<void(double)>& progress, double from,
                                   double to) {
  if (!job_folder_.empty()) {
    options.checkpoint_folder = (fs::path(job_folder_) / folder_name(name)).string();
    if (leads()) fs::create_directories(options.checkpoint_folder);
  }
  return nn::train(task, training, options, processes_, [&](const nn::TrainerProgress& at) {
    progress(from + (to - from) * static_cast<double>(at.step) / static_cast<double>(at.steps));
  });
}

torch::Tensor TorchJobs::predict(
    std::int64_t rows, std::int64_t batch_rows,
    const std::function<torch::Tensor(std::int64_t begin, std::int64_t end)>& predict) const {
  const torch::NoGradGuard no_gradients;
  if (rows == 0) throw DataError("there are no rows to test on.");
  const std::int64_t size = processes_ == nullptr ? 1 : processes_->size();
  const std::int64_t rank = processes_ == nullptr ? 0 : processes_->rank();
  if (rows < size) {  // the same in all of them, so that nobody waits for the others
    throw ConfigError(fmt::format("{} to predict with {} processes: start fewer.",
                                  plural(static_cast<std::uint64_t>(rows), "row"), size));
  }
  const std::int64_t first = rows * rank / size, last = rows * (rank + 1) / size;
  std::vector<torch::Tensor> mine;
  for (std::int64_t begin = first; begin < last; begin += batch_rows) {
    mine.push_back(predict(begin, std::min(last, begin + batch_rows)).to(torch::kDouble));
  }
  if (size == 1) return torch::cat(mine);
  torch::Tensor own = torch::cat(mine);
  std::vector<std::int64_t> shape = own.sizes().vec();
  shape[0] = rows;
  torch::Tensor all = torch::zeros(shape, torch::kDouble);
  all.slice(0, first, last) = own;
  processes_->sum(std::span(all.data_ptr<double>(), static_cast<std::size_t>(all.numel())));
  return all;
}

void TorchJobs::remove_checkpoints() {
  if (!folder_.empty() && leads()) fs::remove_all(folder_);
}

}  // namespace knockout::experiments
