// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/torch_patch_dataset.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "knockout/base/parallel.h"

namespace knockout::experiments {

torch::Tensor read_images(const TumorSubject& subject, const VolumeSize& size) {
  const auto modalities = static_cast<std::int64_t>(subject.images.size());
  torch::Tensor images = torch::empty({modalities, size[2], size[1], size[0]}, torch::kFloat32);
  auto* to = images.data_ptr<float>();
  for (const std::string& path : subject.images) {
    const Volume image = read_image(path, size);
    to = std::copy(image.voxels.begin(), image.voxels.end(), to);
  }
  return images;
}

torch::Tensor read_segmentation(const TumorSubject& subject, const VolumeSize& size, int classes) {
  const std::vector<std::uint8_t> labels = read_labels(subject.segmentation, size, classes);
  torch::Tensor tensor = torch::empty({size[2], size[1], size[0]}, torch::kUInt8);
  std::copy(labels.begin(), labels.end(), tensor.data_ptr<std::uint8_t>());
  return tensor;
}

torch::Tensor mean_images(const std::vector<TumorSubject>& subjects, const VolumeSize& size,
                          int threads, AllReduce* processes,
                          const std::function<void(double)>& progress) {
  const std::size_t modalities = subjects.front().images.size(), voxels = voxel_count(size);
  torch::Tensor sums = torch::zeros(
      {static_cast<std::int64_t>(modalities), size[2], size[1], size[0]}, torch::kFloat64);
  auto* const all_sums = sums.data_ptr<double>();
  const std::size_t count = processes == nullptr ? 1 : static_cast<std::size_t>(processes->size());
  const std::size_t rank = processes == nullptr ? 0 : static_cast<std::size_t>(processes->rank());
  std::mutex mutex;
  std::size_t done = 0;
  // A thread per modality adds up in the order of the subjects, so that none changes the result.
  parallel_for(modalities, threads, [&](std::size_t m) {
    double* const sum = all_sums + m * voxels;
    for (std::size_t s = rank; s < subjects.size(); s += count) {
      const Volume image = read_image(subjects[s].images[m], size);
      for (std::size_t v = 0; v < voxels; ++v) sum[v] += image.voxels[v];
      const std::scoped_lock lock(mutex);
      progress(std::min(1.0, static_cast<double>(count * ++done) /
                                 static_cast<double>(modalities * subjects.size())));
    }
  });
  if (processes != nullptr) processes->sum(std::span(all_sums, modalities * voxels));
  return sums.div_(static_cast<double>(subjects.size())).to(torch::kFloat32);
}

torch::Tensor fill_missing(const torch::Tensor& images, const torch::Tensor& missing,
                           const torch::Tensor& placeholder) {
  const torch::Tensor where =
      missing.to(torch::kBool).reshape({missing.size(0), missing.size(1), 1, 1, 1});
  return torch::where(where, placeholder, images);
}

PatchDataset::PatchDataset(std::vector<TumorSubject> subjects, const VolumeSize& size, int classes,
                           const nn::PatchSize& patch, torch::Tensor mean_images)
    : subjects_(std::move(subjects)),
      size_(size),
      classes_(classes),
      patch_(patch),
      mean_images_(std::move(mean_images)) {}

nn::Batch PatchDataset::get(std::span<const std::size_t> rows, const Random& random,
                            std::uint64_t draw) const {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> images, labels, means;
  for (const std::size_t row : rows) {
    const auto place = static_cast<std::uint32_t>(row);
    const nn::Patch patch = nn::random_patch(read_images(subjects_[row], size_),
                                             read_segmentation(subjects_[row], size_, classes_),
                                             patch_, random, draw, place);
    images.push_back(patch.volume);
    labels.push_back(patch.labels);
    if (!mean_images_.defined()) continue;
    // The same draw in a volume of the same size: the same place.
    means.push_back(
        nn::random_patch(mean_images_, torch::Tensor(), patch_, random, draw, place).volume);
  }
  return {{torch::stack(images), means.empty() ? torch::Tensor() : torch::stack(means)},
          {},
          torch::stack(labels),
          {rows.begin(), rows.end()}};
}

}  // namespace knockout::experiments
