// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/bad_files.h"
#include "experiments/prostate/picai.h"
#include "knockout/nn/torch.h"
#include "knockout/nn/training/dataset.h"

namespace knockout::experiments {

/// The crops of all cases, read from disk whenever they are needed: memory does not grow with the
/// number of cases. With a folder, each case is prepared once and kept there as numbers of 16 bits
/// (T2, ADC, DWI one after the other); without one, it is prepared at every reading.
///   CaseCrops crops(std::move(cases), crop, work.checkpoint_folder + "/crops");
///   crops.prepare(bad, threads, progress);
class CaseCrops {
 public:
  CaseCrops(std::vector<PicaiCase> cases, PicaiCrop crop, std::string folder);

  /// Opens every image that has not been prepared yet and drops the cases whose images cannot be
  /// used, which go to `bad` in the order of the cases, whatever the `first` to be opened.
  /// `progress` hears the share done. Several processes may do this at once.
  void prepare(BadFiles& bad, int threads, const std::function<void(double)>& progress,
               std::size_t first = 0);

  const std::vector<PicaiCase>& cases() const { return cases_; }
  /// [1, depth, height, width] of floats. Safe from any thread.
  torch::Tensor read(std::size_t case_number, std::size_t image) const;
  /// 1 for cancer, 0 for none: [cases, 1].
  torch::Tensor labels(const std::vector<std::size_t>& of) const;

 private:
  std::string path_of(const PicaiCase& of) const;
  std::uintmax_t bytes_per_image() const;
  torch::Tensor prepared(const PicaiCase& of, std::size_t image) const;
  bool is_kept(const PicaiCase& of) const;
  void keep(const PicaiCase& of, const std::vector<torch::Tensor>& images) const;

  std::vector<PicaiCase> cases_;
  PicaiCrop crop_;
  std::string folder_;
};

/// One image of some of the cases, to train a network on.
class ImageDataset : public nn::Dataset {
 public:
  /// `crops` must outlive it.
  ImageDataset(const CaseCrops& crops, std::vector<std::size_t> cases, std::size_t image);
  std::size_t size() const override { return cases_.size(); }
  nn::Batch get(std::span<const std::size_t> rows, const Random& random,
                std::uint64_t draw) const override;

 private:
  const CaseCrops& crops_;
  std::vector<std::size_t> cases_;
  std::size_t image_;
};

}  // namespace knockout::experiments
