// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/training_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "knockout/base/error.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

class TrainingFolderTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(path_); }
  const fs::path path_ =
      fs::temp_directory_path() / ("knockout_training_folder_" + std::to_string(::getpid()));
  const TrainingFolder folder_{path_.string(), {"last", "best"}};
};

TEST_F(TrainingFolderTest, GivesBackWhatWasWrittenAndNothingBefore) {
  EXPECT_FALSE(fs::exists(path_)) << "made before it was opened";
  folder_.open();
  EXPECT_FALSE(folder_.has("last"));
  EXPECT_EQ(folder_.read("last"), std::nullopt);
  folder_.write("last", std::string_view("a\0b", 3));
  EXPECT_EQ(folder_.read("last"), std::string("a\0b", 3));
  EXPECT_EQ(folder_.read("best"), std::nullopt);
  folder_.remove("last");
  EXPECT_FALSE(folder_.has("last"));
  EXPECT_NO_THROW(folder_.remove("last")) << "there is none any more";
}

TEST_F(TrainingFolderTest, RemovesItsOwnFilesOnly) {
  folder_.open();
  folder_.write("last", "1");
  folder_.write("best", "2");
  std::ofstream(path_ / "notes") << "mine";
  folder_.remove_all();
  EXPECT_FALSE(folder_.has("last") || folder_.has("best"));
  EXPECT_TRUE(fs::exists(path_ / "notes"));
  fs::remove(path_ / "notes");
  folder_.remove_all();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(TrainingFolderTest, SaysWhatCannotBeMadeOrRemoved) {
  std::ofstream(path_) << "a file";
  EXPECT_THROW(folder_.open(), FileError);
  fs::remove(path_);
  fs::create_directories(path_ / "best" / "something");
  try {
    folder_.remove("best");
    FAIL() << "expected an error";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find(folder_.path_of("best")), std::string::npos);
  }
}

}  // namespace
}  // namespace knockout
