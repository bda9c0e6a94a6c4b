// SPDX-License-Identifier: Apache-2.0
#include "experiments/data_study.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

class DataStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "data/sub");
    write("data/sub/a.txt", "one");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  DataStudyContext run() const {
    DataStudyContext run;
    run.data = (folder_ / "data").string();
    run.checkpoint_folder = (folder_ / "work").string();
    run.run.journal_folder = (folder_ / "work").string();
    return run;
  }
  /// Where the checkpoints of a run go: another place for other work.
  std::string place(const DataStudyContext& run,
                    const nlohmann::ordered_json& settings = {{"depth", 3}},
                    const std::vector<std::string>& other_files = {}) const {
    return open_work("test", settings, run, other_files).checkpoint_folder;
  }
  const fs::path folder_ = fs::path(testing::TempDir()) / "knockout_data_study_test";
};

TEST_F(DataStudyTest, WorkBelongsToEverythingThatDecidesTheResults) {
  std::set<std::string> places = {place(run())};
  EXPECT_EQ(place(run()), *places.begin()) << "the same work goes on";
  DataStudyContext other = run();
  other.seed = 1;
  places.insert(place(other));
  other = run();
  other.skip_bad = true;
  places.insert(place(other));
  places.insert(place(run(), {{"depth", 4}}));
  write("encoder.pt", "x");
  places.insert(place(run(), {{"depth", 3}}, {(folder_ / "encoder.pt").string()}));
  write("data/sub/a.txt", "other");
  places.insert(place(run()));
  write("data/b.txt", "");
  places.insert(place(run()));
  EXPECT_EQ(places.size(), 7U);
}

TEST_F(DataStudyTest, WorkGoesOnWithOtherThreadsAndFromAnotherFolder) {
  const std::string here = place(run(), {{"depth", 3}, {"loader-threads", 1}});
  EXPECT_EQ(place(run(), {{"depth", 3}, {"loader-threads", 2}}), here);
  DataStudyContext other = run();
  other.data += "/";
  EXPECT_EQ(place(other, {{"depth", 3}}), here);
}

TEST_F(DataStudyTest, ARunWithAJournalOfItsOwnHasCheckpointsOfItsOwn) {
  DataStudyContext one = run(), two = run();
  one.run.journal_path = (folder_ / "one").string();
  two.run.journal_path = (folder_ / "two").string();
  EXPECT_NE(place(one), place(two));
}

TEST_F(DataStudyTest, NamesAFolderThatCannotBeLookedThrough) {
  fs::create_directory_symlink(".", folder_ / "data/loop");
  try {
    place(run());
    FAIL() << "went round in circles";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("loop"), std::string::npos) << error.what();
  }
}

TEST_F(DataStudyTest, NeverWritesADataSetOverAnother) {
  EXPECT_THROW(empty_folder((folder_ / "data").string()), ConfigError);
  EXPECT_THROW(empty_folder((folder_ / "data/sub/a.txt").string()), FileError);
  EXPECT_TRUE(fs::is_directory(empty_folder((folder_ / "new/one").string())));
}

TEST_F(DataStudyTest, KnowsAMadeUpDataSetAndARealOne) {
  const std::string made = empty_folder((folder_ / "new").string());
  EXPECT_FALSE(is_made_up(made));
  mark_made_up(made, "Ten trees.");
  EXPECT_TRUE(is_made_up(made));
  EXPECT_TRUE(is_made_up(made + "/ADNIMERGE.csv")) << "a file of it is one, too";
  EXPECT_FALSE(is_made_up((folder_ / "data").string()));
}

TEST_F(DataStudyTest, SaysWhatIsExpectedWhere) {
  EXPECT_EQ(expect_path(folder_.string(), "data"), (folder_ / "data").string());
  try {
    expect_path(folder_.string(), "labels.csv");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("labels.csv: is not there"), std::string::npos);
  }
}

TEST_F(DataStudyTest, ChoosesEachMethodOnceAndKnowsTheNearestName) {
  DataStudyContext run;
  EXPECT_EQ(chosen_methods({"a", "b"}, run), (std::vector<std::string>{"a", "b"}));
  run.methods = {"b", "b"};
  EXPECT_EQ(chosen_methods({"a", "b"}, run), (std::vector<std::string>{"b"}));
  run.methods = {"knockuot"};
  EXPECT_THROW(chosen_methods({"knockout"}, run), ConfigError);
}

TEST(DataStudies, SayWhichTorchScriptFilesTheyLoad) {
  for (const DataStudy& study : data_studies()) {
    if (study.name != "food101") continue;
    const std::vector<std::string> programs = study.programs("data");
    EXPECT_EQ(programs, (std::vector<std::string>{"resnet50.pt", "roberta.pt"}));
    const std::string warning = warning_of_programs(programs);
    EXPECT_EQ(warning.find("resnet50.pt, roberta.pt: TorchScript is a program"), 0U) << warning;
    EXPECT_NE(warning.find("if you made them"), std::string::npos) << warning;
  }
  EXPECT_NE(warning_of_programs({"a.pt"}).find("if you made it"), std::string::npos);
}

TEST(DataStudies, HaveSettingsThatAreInRangeWhetherQuickOrNot) {
  for (DataStudy& study : data_studies()) {
    EXPECT_NO_THROW(study.settings.check()) << study.name;
    study.settings.make_quick({});
    EXPECT_NO_THROW(study.settings.check()) << study.name;
    EXPECT_FALSE(study.description.empty());
    EXPECT_FALSE(study.methods.empty());
  }
}

}  // namespace
}  // namespace knockout::experiments
