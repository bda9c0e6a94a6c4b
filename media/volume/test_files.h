// SPDX-License-Identifier: Apache-2.0
// For tests: files made by hand, byte for byte.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/test_raw_bytes.h"
#include "media/volume/volume.h"

namespace knockout {

inline const std::string kSixBytes = raw<std::uint8_t>({1, 2, 3, 4, 5, 6});

/// Neither straight nor square, and with another spacing along every axis.
inline constexpr Affine kOblique = {{{-1.5, 0.25, 0, 10}, {0.5, 2, 0, -20}, {0, 0.125, 3, 30}}};

/// A folder of its own for each test.
class FilesTest : public ::testing::Test {
 protected:
  FilesTest() { std::filesystem::create_directories(folder_); }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::remove(path(name));  // some file systems flush what is overwritten
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string read_back(const std::string& name) const {
    std::ostringstream bytes;
    bytes << std::ifstream(path(name), std::ios::binary).rdbuf();
    return bytes.str();
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("knockout_volume_" + std::to_string(::getpid()) + "_" +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// The message of the DataError that `action` throws; what happened instead otherwise.
template <typename Action>
std::string data_error_of(Action action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("not a DataError: ") + error.what();
  }
  return "no error";
}

/// How many damaged copies of a file are refused, one byte in [0, end) of each changed by every one
/// of `flips`. Those that are read must give a volume that makes sense.
template <typename Read>
int count_refused(const std::string& whole, std::size_t end, std::initializer_list<int> flips,
                  Read read) {
  int refused = 0;
  for (std::size_t at = 0; at < end; ++at) {
    for (const int flipped : flips) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flipped);
      try {
        const Volume volume = read(damaged);
        EXPECT_EQ(volume.voxels.size(), voxel_count(volume.size));
        EXPECT_TRUE(is_invertible(volume.to_world));
      } catch (const Error&) {  // FileError: the name of another file was damaged
        ++refused;
      }
    }
  }
  return refused;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline void expect_near(const Affine& found, const Affine& expected, double tolerance) {
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(found[r][c], expected[r][c], tolerance) << "row " << r << ", column " << c;
    }
  }
}

/// Different numbers along every axis, so that no two axes can be confused.
inline Volume sample_volume() {
  Volume volume;
  volume.size = {4, 3, 2};
  volume.to_world = kOblique;
  for (int i = 0; i < 24; ++i) volume.voxels.push_back(static_cast<float>(i * i % 17));
  return volume;
}

}  // namespace knockout
