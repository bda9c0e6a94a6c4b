// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "knockout/nn/torch.h"

namespace knockout::nn {

/// LibTorch's own generators of random numbers, which belong to the whole process: that of the CPU
/// and that of another device, if it is one. A training that seeds them has them on loan. The last
/// of several gives them back as the first one found them.
class LentGenerator {
 public:
  explicit LentGenerator(torch::Device device);
  ~LentGenerator();
  LentGenerator(const LentGenerator&) = delete;
  LentGenerator& operator=(const LentGenerator&) = delete;

  /// Seeds them as torch::manual_seed() does, but no other device's.
  void seed(std::uint64_t seed);

 private:
  torch::Device device_;
};

}  // namespace knockout::nn
