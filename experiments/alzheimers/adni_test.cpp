// SPDX-License-Identifier: Apache-2.0
#include "experiments/alzheimers/adni.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
class AdniFolder : public testing::Test {
 protected:
  AdniFolder() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~AdniFolder() override { fs::remove_all(folder_); }

  std::string write(const std::string& text, const std::string& name = "ADNIMERGE.csv") const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

std::string header() {
  std::string text = "RID,VISCODE,DX,DX_bl,Years_bl,PTGENDER";
  for (const AdniInput& input : kAdniInputs) text += fmt::format(",{}", input.name);
  return text + '\n';
}

/// A row whose inputs are all 1 but for those named.
std::string row(const std::string& start,
                const std::vector<std::pair<std::string, std::string>>& cells = {}) {
  std::string text = start;
  for (const AdniInput& input : kAdniInputs) {
    std::string cell = "1";
    for (const auto& [name, value] : cells) {
      if (name == input.name) cell = value;
    }
    text += ',' + cell;
  }
  return text + '\n';
}

TEST_F(AdniFolder, ReadsCensoredCellsAsTheirLimit) {
  BadFiles bad;
  const auto subjects =
      read_adnimerge(write(header() + row("7,bl,MCI,LMCI,0,Female",
                                          {{"ABETA", "\">1700\""}, {"PTAU", "<8"}, {"TAU", ""}})),
                     bad);
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(subjects[0].inputs[adni_input("ABETA")], 1700);
  EXPECT_EQ(subjects[0].inputs[adni_input("PTAU")], 8);
  EXPECT_EQ(subjects[0].inputs[adni_input("TAU")], std::nullopt);
  EXPECT_TRUE(subjects[0].female);
}

TEST_F(AdniFolder, TakesTheSecondPartOfOlderDiagnoses) {
  BadFiles bad;
  const auto subjects = read_adnimerge(
      write(header() + row("7,bl,NL to MCI,LMCI,0,Male") +
            row("7,m12,MCI to Dementia,LMCI,1.02,Male") + row("7,m06,MCI to NL,LMCI,,Male")),
      bad);
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_EQ(subjects[0].baseline, Diagnosis::kMci);
  ASSERT_EQ(subjects[0].follow_ups.size(), 2U);
  EXPECT_EQ(subjects[0].follow_ups[0].years, 0.5);  // by its code, and first
  EXPECT_EQ(subjects[0].follow_ups[0].diagnosis, Diagnosis::kCn);
  EXPECT_EQ(subjects[0].follow_ups[1].diagnosis, Diagnosis::kAd);
}

TEST_F(AdniFolder, FallsBackOnTheEnrolmentGroup) {
  BadFiles bad;
  const auto subjects = read_adnimerge(write(header() + row("7,bl,,EMCI,0,Male")), bad);
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_EQ(subjects[0].baseline, Diagnosis::kMci);
  EXPECT_TRUE(subjects[0].baseline_by_group);
}

TEST_F(AdniFolder, ListsBadSubjectsWithLineAndColumnAndKeepsTheOthers) {
  BadFiles bad;
  const auto subjects = read_adnimerge(
      write(header() + row("1,bl,MCI,LMCI,0,Male") +
            row("2,bl,MCI,LMCI,0,Male", {{"MMSE", "n/k"}}) + row("3,bl,MCI,LMCI,0,Male") +
            row("3,m12,MCI,LMCI,1,Male") + row("3,m12,MCI,LMCI,1,Male") +
            row("4,week9,MCI,LMCI,0,Male") + row("5,bl,MCI,LMCI,0,Male", {{"APOE4", "3"}}) +
            row("6,bl,MCI,LMCI,0,Male", {{"FDG", "-4"}}) + row("7,bl,Sick,LMCI,0,Male")),
      bad);
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_EQ(subjects[0].rid, "1");
  ASSERT_EQ(bad.size(), 6U);
  const auto list = bad.json();
  const std::vector<std::string> expected = {":3, column \"MMSE\"",    ":6, column \"VISCODE\"",
                                             ":7, column \"VISCODE\"", ":8, column \"APOE4\"",
                                             ":9, column \"FDG\"",     ":10, column \"DX\""};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NE(list[i]["reason"].get<std::string>().find(expected[i]), std::string::npos)
        << list[i].dump();
  }
  EXPECT_THROW(bad.throw_unless_skipped(false, "subject"), DataError);
}

TEST_F(AdniFolder, PassesOverTheEmptyMonthZeroRow) {
  BadFiles bad;
  const auto subjects =
      read_adnimerge(write(header() + row("7,bl,MCI,LMCI,0,Male") + row("7,m0,,LMCI,0,Male")), bad);
  EXPECT_EQ(subjects.size(), 1U);
  EXPECT_TRUE(bad.empty());
}

TEST_F(AdniFolder, NamesAllMissingColumnsAtOnce) {
  BadFiles bad;
  try {
    read_adnimerge(write("RID,VISCODE,DX\n1,bl,MCI\n"), bad);
    FAIL() << "an extract was accepted";
  } catch (const DataError& error) {
    const std::string message = error.what();
    for (const char* column : {"DX_bl", "Years_bl", "PTGENDER", "AGE", "FDG"}) {
      EXPECT_NE(message.find(column), std::string::npos) << column;
    }
  }
}

TEST_F(AdniFolder, NamesLineAndColumnOfAVisitAtAnImpossibleTime) {
  BadFiles bad;
  const std::string baseline = "bl,MCI,LMCI,0,Male";
  const auto subjects = read_adnimerge(
      write(header() + row("1," + baseline) + row("1,m12,MCI,LMCI,-0.5,Male") +
            row("2," + baseline) + row("2,m12,MCI,LMCI,1e300,Male") + row("3," + baseline) +
            row("3,m9999,MCI,LMCI,,Male") + row("4," + baseline) + row("4,m12,MCI,LMCI,30,Male")),
      bad);
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_EQ(subjects[0].rid, "4");
  ASSERT_EQ(bad.size(), 3U);
  const auto reasons = bad.json();
  for (const auto& [number, expected] :
       {std::pair(0, "ADNIMERGE.csv:3, column \"Years_bl\": \"-0.5\""),
        std::pair(1, "ADNIMERGE.csv:5, column \"Years_bl\": \"1e300\""),
        std::pair(2, "ADNIMERGE.csv:7, column \"VISCODE\": \"m9999\"")}) {
    const auto reason = reasons[number]["reason"].get<std::string>();
    EXPECT_NE(reason.find(expected), std::string::npos) << reason;
  }
}

TEST_F(AdniFolder, FindsTheOneDatedReleaseAndRefusesTwo) {
  EXPECT_THROW(find_adnimerge(folder_.string()), FileError);
  write("", "ADNIMERGE_DICT_01Jan2024.csv");
  const std::string first = write("", "ADNIMERGE_01Jan2024.csv");
  EXPECT_EQ(find_adnimerge(folder_.string()), first);
  write("", "ADNIMERGE_02Jan2024.csv");
  EXPECT_THROW(find_adnimerge(folder_.string()), ConfigError);
}

}  // namespace
}  // namespace knockout::experiments
