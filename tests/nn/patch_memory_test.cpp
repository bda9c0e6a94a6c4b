// SPDX-License-Identifier: Apache-2.0
// What the 3-D U-Net takes of memory: by patches, hardly more than the volumes themselves.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/training/patches.h"

namespace knockout::nn {
namespace {

constexpr double kMegabyte = 1e6;

/// A line of /proc/self/status, in bytes: "VmRSS:" is what this process has in memory, "VmHWM:" the
/// most it has had.
double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return 1024 * std::stod(line.substr(name.size()));
  }
  return 0;
}

/// How much memory `work` needs at its peak, beyond what there was. Negative when this system does
/// not tell.
double peak_bytes(const std::function<void()>& work) {
  std::ofstream reset("/proc/self/clear_refs");
  reset << 5 << std::flush;  // the peak begins anew
  if (!reset) return -1;
  const double before = memory("VmRSS:");
  work();
  return memory("VmHWM:") - before;
}

TEST(UNet3d, ByPatchesNeedsMemoryForThePatchAndTheVolumesOnly) {
  const torch::NoGradGuard no_gradients;
  torch::manual_seed(0);
  UNet3d network(UNet3dOptions{.levels = 2, .base_width = 8});
  network->eval();
  const auto answer = [&](const torch::Tensor& part) { return network->forward(part); };
  const auto by_patches = [&](const torch::Tensor& volume) {
    return peak_bytes([&] {
      predict_by_patches(answer, volume, {.size = {32, 32, 32}, .overlap = 0.0});
    });
  };
  const torch::Tensor small = torch::rand({1, 4, 32, 32, 32});
  const torch::Tensor large = torch::rand({1, 4, 128, 128, 128});
  if (by_patches(small) < 0) GTEST_SKIP() << "the peak of memory cannot be told here";

  const double of_patch = by_patches(small), of_patches = by_patches(large);
  const double whole = peak_bytes([&] { network->forward(large); });
  const auto of_volume = static_cast<double>(large.nbytes());
  std::ostringstream figures;
  figures << "MB: one patch " << of_patch / kMegabyte << ", volume by patches "
          << of_patches / kMegabyte << ", volume at once " << whole / kMegabyte << ", the volume "
          << of_volume / kMegabyte;
  RecordProperty("memory", figures.str());
  // The answers are as large as the volume, and blending needs a copy and a weight per voxel.
  EXPECT_LT(of_patches, of_patch + 4 * of_volume) << figures.str();
  EXPECT_LT(2 * of_patches, whole) << figures.str();
}

}  // namespace
}  // namespace knockout::nn
