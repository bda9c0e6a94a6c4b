// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knockout {

/// Pictures of 32 x 32 pixels with their labels, in the order of the files.
struct CifarImages {
  std::vector<std::uint8_t> pixels;         ///< n x 3 x 32 x 32
  std::vector<std::uint8_t> labels;         ///< 0..9, for CIFAR-100 the fine ones, 0..99.
  std::vector<std::uint8_t> coarse_labels;  ///< CIFAR-100: 0..19. CIFAR-10: empty.
};

inline constexpr std::size_t kCifarPixels = std::size_t{3} * 32 * 32;  ///< Bytes of one picture.

/// Reads the binary versions of CIFAR-10 (data_batch_1.bin, ..) and CIFAR-100 (train.bin,
/// test.bin): records of one or two labels and the red, green and blue planes. Throws FileError
/// when a file cannot be read, DataError when it is empty, ends within a record or has a label out
/// of range.
///   const CifarImages train = read_cifar10({"data_batch_1.bin", "data_batch_2.bin"});
CifarImages read_cifar10(const std::vector<std::string>& paths);
CifarImages read_cifar100(const std::string& path);

/// Write the same layouts. REQUIRES: as many labels as pictures.
void write_cifar10(const CifarImages& images, const std::string& path);
void write_cifar100(const CifarImages& images, const std::string& path);

}  // namespace knockout
