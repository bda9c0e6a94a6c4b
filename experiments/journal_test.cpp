// SPDX-License-Identifier: Apache-2.0
#include "experiments/journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "experiments/jobs.h"
#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

class JournalTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "knockout_journal_test.jsonl";
  const nlohmann::json settings_ = {{"study", "test"}, {"seed", 1}};
};

TEST_F(JournalTest, RemembersAcrossRuns) {
  {
    Journal journal(path_, settings_);
    journal.add("a", 1.25);
    journal.add("b", {1, 2});
  }
  const Journal journal(path_, settings_);
  EXPECT_EQ(journal.resumed(), 2U);
  EXPECT_EQ(*journal.find("a"), 1.25);
  EXPECT_FALSE(journal.find("c").has_value());
}

TEST_F(JournalTest, ForgetsTheWorkOfOtherSettings) {
  Journal(path_, settings_).add("a", 1);
  const Journal journal(path_, {{"study", "test"}, {"seed", 2}});
  EXPECT_EQ(journal.resumed(), 0U);
}

TEST_F(JournalTest, CanStartAnew) {
  Journal(path_, settings_).add("a", 1);
  const Journal journal(path_, settings_, true);
  EXPECT_EQ(journal.resumed(), 0U);
}

TEST_F(JournalTest, ALineThatIsTooDeepCountsAsNotWritten) {
  Journal(path_, settings_).add("a", 1);
  const std::string deep(100000, '[');
  std::ofstream(path_, std::ios::app)
      << R"({"key": "b", "result": )" << deep << std::string(deep.size(), ']') << "}\n"
      << R"({"key": "c", "result": 1e999})" << '\n';
  const Journal journal(path_, settings_);
  EXPECT_EQ(journal.resumed(), 1U);
  EXPECT_FALSE(journal.find("b").has_value());
}

TEST_F(JournalTest, ALineCutShortCountsAsNotWritten) {
  {
    Journal journal(path_, settings_);
    journal.add("a", 1);
    journal.add("b", "a longer result");
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 5);
  {
    Journal journal(path_, settings_);
    EXPECT_EQ(journal.resumed(), 1U);
    EXPECT_FALSE(journal.find("b").has_value());
    journal.add("b", 2);
  }
  const Journal journal(path_, settings_);
  EXPECT_EQ(*journal.find("b"), 2) << "the piece is not lost behind the broken line";
}

TEST_F(JournalTest, TwoRunsCannotShareOne) {
  const Journal journal(path_, settings_);
  EXPECT_THROW(Journal(path_, settings_), FileError);
}

TEST_F(JournalTest, IsGoneWhenTheWorkIsDone) {
  Journal journal(path_, settings_);
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(JournalTest, AnInterruptedRunGoesOnWhereItWas) {
  std::atomic<int> calls = 0;
  std::atomic<bool> broken = true;
  std::vector<Job> jobs;
  for (int j = 0; j < 6; ++j) {
    jobs.push_back({"job " + std::to_string(j), [&calls, &broken, j](const auto&) {
                      if (j == 4 && broken) throw DataError("interrupted");
                      ++calls;
                      return nlohmann::json(10 * j);
                    }});
  }
  {
    Journal journal(path_, settings_);
    EXPECT_THROW(run_jobs(jobs, journal, {.threads = 1}), DataError);
  }
  EXPECT_EQ(calls, 4);
  broken = false;
  Journal journal(path_, settings_);
  double last = 0;
  const auto results = run_jobs(
      jobs, journal,
      {.threads = 1, .progress = [&](const StudyContext::Progress& p) { last = p.share_done; }});
  EXPECT_EQ(calls, 6) << "what was done is not done again";
  EXPECT_EQ(last, 1.0);
  for (int j = 0; j < 6; ++j) EXPECT_EQ(results[static_cast<std::size_t>(j)], 10 * j);
}

/// An environment variable that is as it was afterwards.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* const value = std::getenv(name)) before_ = value;
    unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  void set(const std::string& value) const { setenv(name_, value.c_str(), 1); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(JournalFolder, IsTheUsersAlone) {
  std::string cache = testing::TempDir() + "knockout_cache_XXXXXX";
  ASSERT_NE(mkdtemp(cache.data()), nullptr);
  const Variable variable("XDG_CACHE_HOME");
  variable.set(cache);
  const std::filesystem::path folder = default_journal_folder();
  EXPECT_EQ(folder, std::filesystem::path(cache) / "knockout" / "reproduce");
  EXPECT_EQ(std::filesystem::status(folder.parent_path()).permissions(),
            std::filesystem::perms::owner_all);
  std::filesystem::permissions(folder.parent_path(), std::filesystem::perms::all);
  EXPECT_THROW(default_journal_folder(), FileError) << "anybody could plant results there";
  std::filesystem::permissions(folder.parent_path(), std::filesystem::perms::owner_all);
  if (geteuid() == 0) {  // only the superuser can make another's folder
    ASSERT_EQ(chown(folder.parent_path().c_str(), 12345, 12345), 0);
    EXPECT_THROW(default_journal_folder(), FileError) << "it is somebody else's";
  }
  std::filesystem::remove_all(cache);
}

TEST(JournalFolder, IsNeverInTheFolderForAll) {
  const Variable cache("XDG_CACHE_HOME"), home("HOME");
  std::string folder;
  try {
    folder = user_cache_folder();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("--journal"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(folder.starts_with(std::filesystem::temp_directory_path().string())) << folder;
}

}  // namespace
}  // namespace knockout::experiments
