// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "experiments/tumor/subjects.h"
#include "knockout/base/all_reduce.h"
#include "knockout/nn/training/dataset.h"
#include "knockout/nn/training/patches.h"

namespace knockout::experiments {

/// The images of a subject, [modalities, depth, height, width], each scaled to [0, 1].
torch::Tensor read_images(const TumorSubject& subject, const VolumeSize& size);

/// The classes of a subject's voxels, [depth, height, width] of bytes.
torch::Tensor read_segmentation(const TumorSubject& subject, const VolumeSize& size, int classes);

/// The mean image of each modality over these subjects, [modalities, depth, height, width]; in
/// memory are the sums and an image per thread. `processes` share the subjects and all get the
/// mean; may be null.
torch::Tensor mean_images(const std::vector<TumorSubject>& subjects, const VolumeSize& size,
                          int threads, AllReduce* processes,
                          const std::function<void(double)>& progress);

/// `images` [rows, modalities, depth, height, width] with `placeholder`, which may be broadcast,
/// where `missing` [rows, modalities] says so.
torch::Tensor fill_missing(const torch::Tensor& images, const torch::Tensor& missing,
                           const torch::Tensor& placeholder);

/// A random patch of each subject, read from disk when it is asked for. inputs[0] are the images
/// [rows, modalities, ...]; inputs[1] are the mean images in the same place, if there are any.
class PatchDataset : public nn::Dataset {
 public:
  PatchDataset(std::vector<TumorSubject> subjects, const VolumeSize& size, int classes,
               const nn::PatchSize& patch, torch::Tensor mean_images = {});
  std::size_t size() const override { return subjects_.size(); }
  nn::Batch get(std::span<const std::size_t> rows, const Random& random,
                std::uint64_t draw) const override;

 private:
  std::vector<TumorSubject> subjects_;
  VolumeSize size_;
  int classes_;
  nn::PatchSize patch_;
  torch::Tensor mean_images_;
};

}  // namespace knockout::experiments
