// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/torch_crops.h"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/parallel.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

}  // namespace

CaseCrops::CaseCrops(std::vector<PicaiCase> cases, PicaiCrop crop, std::string folder)
    : cases_(std::move(cases)), crop_(std::move(crop)), folder_(std::move(folder)) {}

std::string CaseCrops::path_of(const PicaiCase& of) const {
  return (fs::path(folder_) / (of.name() + ".f16")).string();
}

std::uintmax_t CaseCrops::bytes_per_image() const {
  return voxel_count(crop_.size) * sizeof(torch::Half);
}

torch::Tensor CaseCrops::prepared(const PicaiCase& of, std::size_t image) const {
  Volume volume = read_picai_crop(of, image, crop_);
  return torch::tensor(volume.voxels).view({1, crop_.size[2], crop_.size[1], crop_.size[0]});
}

bool CaseCrops::is_kept(const PicaiCase& of) const {
  std::error_code none_there;
  return !folder_.empty() &&
         fs::file_size(path_of(of), none_there) == kPicaiImages * bytes_per_image();
}

void CaseCrops::keep(const PicaiCase& of, const std::vector<torch::Tensor>& images) const {
  if (folder_.empty()) return;
  AtomicFile file(path_of(of));
  for (const torch::Tensor& image : images) {
    file.write({static_cast<const char*>(image.data_ptr()), bytes_per_image()});
  }
  file.commit();
}

void CaseCrops::prepare(BadFiles& bad, int threads, const std::function<void(double)>& progress,
                        std::size_t first) {
  if (!folder_.empty()) fs::create_directories(folder_);
  std::vector<std::string> problems(cases_.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(cases_.size(), threads, [&](std::size_t number) {
    const std::size_t i = (first + number) % cases_.size();
    if (!is_kept(cases_[i])) {
      std::vector<torch::Tensor> images;
      try {
        for (std::size_t image = 0; image < kPicaiImages; ++image) {
          images.push_back(prepared(cases_[i], image).to(torch::kHalf));
        }
      } catch (const DataError& error) {
        problems[i] = error.what();
      } catch (const FileError& error) {
        problems[i] = error.what();
      }
      // Outside of the above: a full disk is no fault of the case.
      if (problems[i].empty()) keep(cases_[i], images);
    }
    const std::scoped_lock lock(mutex);
    progress(static_cast<double>(++done) / static_cast<double>(cases_.size()));
  });
  std::vector<PicaiCase> good;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (problems[i].empty()) {
      good.push_back(std::move(cases_[i]));
    } else {
      bad.add(cases_[i].name(), problems[i]);
    }
  }
  cases_ = std::move(good);
}

torch::Tensor CaseCrops::read(std::size_t case_number, std::size_t image) const {
  const PicaiCase& of = cases_[case_number];
  if (folder_.empty()) return prepared(of, image);
  torch::Tensor voxels =
      torch::empty({1, crop_.size[2], crop_.size[1], crop_.size[0]}, torch::kHalf);
  std::ifstream file(path_of(of), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(image * bytes_per_image()));
  file.read(static_cast<char*>(voxels.data_ptr()), static_cast<std::streamsize>(bytes_per_image()));
  if (!file) {
    throw FileError(fmt::format(
        "{}: cannot be read any more.\n  Start again: prepared images that are gone are made anew.",
        path_of(of)));
  }
  return voxels.to(torch::kFloat);
}

torch::Tensor CaseCrops::labels(const std::vector<std::size_t>& of) const {
  std::vector<float> labels;
  for (const std::size_t i : of) labels.push_back(cases_[i].has_cancer ? 1.0F : 0.0F);
  return torch::tensor(labels).view({-1, 1});
}

ImageDataset::ImageDataset(const CaseCrops& crops, std::vector<std::size_t> cases,
                           std::size_t image)
    : crops_(crops), cases_(std::move(cases)), image_(image) {}

nn::Batch ImageDataset::get(std::span<const std::size_t> rows, const Random&, std::uint64_t) const {
  std::vector<torch::Tensor> volumes;
  std::vector<std::size_t> cases;
  for (const std::size_t row : rows) {
    volumes.push_back(crops_.read(cases_[row], image_));
    cases.push_back(cases_[row]);
  }
  nn::Batch batch;
  batch.inputs = {torch::stack(volumes)};
  batch.labels = crops_.labels(cases);
  batch.rows.assign(rows.begin(), rows.end());
  return batch;
}

}  // namespace knockout::experiments
