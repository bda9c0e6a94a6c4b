// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/read_bytes.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

class ReadBytes : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_, std::ios::binary) << std::string(3'000'000, 'x'); }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("knockout-bytes-" + std::to_string(getpid())))
          .string();
};

TEST_F(ReadBytes, GivesAllOfAFileThatFits) {
  EXPECT_EQ(read_bytes(path_, "the model"), std::string(3'000'000, 'x'));
  EXPECT_EQ(read_bytes(path_, "the model", 3'000'000).size(), 3'000'000U);
}

TEST_F(ReadBytes, RefusesWhatIsLargerThanAllowed) {
  EXPECT_THROW(read_bytes(path_, "the model", 2'999'999), FileError);
}

TEST_F(ReadBytes, RefusesAFileThatNeverEnds) {
  try {
    read_bytes("/dev/zero", "the model", 10'000'000);
    FAIL() << "it came to an end";
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(),
                 "cannot read the model \"/dev/zero\": it holds more than the 10 MB that fit this "
                 "machine's memory.");
  }
}

TEST_F(ReadBytes, NamesAFileThatIsNotThere) {
  EXPECT_THROW(read_bytes(path_ + ".no", "the model"), FileError);
}

}  // namespace
}  // namespace knockout
