// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/torch_prostate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "experiments/prostate/picai_synthesis.h"
#include "experiments/prostate/torch_crops.h"
#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

fs::path synthesized(const std::string& name, int size) {
  const fs::path folder = fs::path(testing::TempDir()) / ("prostate_" + name);
  fs::remove_all(folder);
  synthesize_picai({.folder = folder.string(), .size = size});
  return folder;
}

TEST(ScorePatterns, GivesF1AndAucOfEachColumn) {
  // Column 0: predicted 1, 1, 0, 0 for 1, 0, 1, 0 (F1 = 2 / 4); of four pairs of a 1 and a 0, the 1
  // is ahead in (0.9, 0.6), (0.9, 0.1), (0.4, 0.1) and behind in (0.4, 0.6).
  const torch::Tensor probabilities =
      torch::tensor({{0.9, 0.7}, {0.6, 0.2}, {0.4, 0.5}, {0.1, 0.5}});
  const torch::Tensor labels = torch::tensor({1.0, 0.0, 1.0, 0.0}).view({4, 1});
  const PatternScores scores = score_patterns(probabilities, labels, 0.5);
  EXPECT_DOUBLE_EQ(scores.f1[0], 0.5);
  EXPECT_DOUBLE_EQ(scores.auc[0], 0.75);
  // Column 1: predicted 1, 0, 1, 1 (F1 = 4 / 5); the tie counts half.
  EXPECT_DOUBLE_EQ(scores.f1[1], 0.8);
  EXPECT_DOUBLE_EQ(scores.auc[1], 0.875);
}

TEST(ScorePatterns, LeavesAucUndefinedWhenAllLabelsAreAlike) {
  const torch::Tensor probabilities = torch::tensor({{0.9}, {0.2}});
  const PatternScores none = score_patterns(probabilities, torch::zeros({2, 1}), 0.5);
  const PatternScores all = score_patterns(probabilities, torch::ones({2, 1}), 0.5);
  EXPECT_TRUE(std::isnan(none.auc[0]));
  EXPECT_TRUE(std::isnan(all.auc[0]));
  EXPECT_DOUBLE_EQ(all.f1[0], 2.0 / 3);
}

TEST(EnsembleProbabilities, AreTheMeanOfTheImagesThatAreThere) {
  const torch::Tensor all = ensemble_probabilities(torch::tensor({{0.2, 0.4, 0.9}}));
  // T2, ADC, DWI, ADC+DWI, T2+DWI, T2+ADC, all
  const torch::Tensor expected = torch::tensor({{0.2, 0.4, 0.9, 0.65, 0.55, 0.3, 0.5}});
  EXPECT_TRUE(torch::allclose(all, expected)) << all;
}

constexpr auto ignore = [](double) {};

class Crops : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = synthesized("crops", 4);
    cases_ = find_picai_cases(folder_.string(), bad_);
    crop_.size = {10, 8, 6};
  }
  std::string kept() const { return (folder_ / "kept").string(); }

  fs::path folder_;
  BadFiles bad_;
  std::vector<PicaiCase> cases_;
  PicaiCrop crop_;
};

TEST_F(Crops, AreTheSameFromDiskAsFromTheImages) {
  CaseCrops from_images(cases_, crop_, ""), from_disk(cases_, crop_, kept());
  from_disk.prepare(bad_, 2, ignore);
  for (std::size_t image = 0; image < kPicaiImages; ++image) {
    const torch::Tensor expected = from_images.read(3, image), found = from_disk.read(3, image);
    EXPECT_EQ(expected.sizes(), (std::vector<std::int64_t>{1, 6, 8, 10}));
    // Half precision has eleven bits.
    EXPECT_TRUE(torch::allclose(found, expected, 1.0 / 2048, 1e-6));
    EXPECT_FALSE(torch::equal(found, from_disk.read(2, image)));
  }
}

TEST_F(Crops, AreNotPreparedTwice) {
  CaseCrops(cases_, crop_, kept()).prepare(bad_, 1, ignore);
  fs::remove_all(folder_ / "images");
  CaseCrops again(cases_, crop_, kept());
  again.prepare(bad_, 1, ignore);
  EXPECT_TRUE(bad_.empty());
  EXPECT_EQ(again.read(0, 2).numel(), 480);
}

TEST_F(Crops, NameAndDropACaseWithADamagedImage) {
  fs::resize_file(cases_[1].paths[2], fs::file_size(cases_[1].paths[2]) / 2);
  CaseCrops crops(cases_, crop_, kept());
  std::vector<double> told;
  crops.prepare(
      bad_, 2, [&](double share) { told.push_back(share); }, 3);
  EXPECT_EQ(told, (std::vector<double>{0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(crops.cases().size(), 3U);
  EXPECT_EQ(crops.cases()[1].name(), cases_[2].name());
  ASSERT_EQ(bad_.size(), 1U);
  EXPECT_NE(bad_.json().dump().find(cases_[1].paths[2]), std::string::npos);
}

ProstateOptions tiny_prostate() {
  ProstateOptions options;
  options.size = {12, 12, 8};
  options.widths = {4, 4};
  options.latent = 4;
  options.head_hidden = {8};
  options.epochs = options.head_epochs = 2;
  return options;
}

TEST(RunProstate, ScoresEveryMethodUnderEveryPatternAndRepeatsItself) {
  const fs::path folder = synthesized("whole", 30);
  DataStudyContext run;
  run.data = folder.string();
  run.repetitions = 2;
  run.run.threads = 1;
  const StudyResult first = run_prostate(tiny_prostate(), run);
  const auto& auc = first.data.at("scores").at("auc").at("methods");
  EXPECT_EQ(auc.size(), 3U);
  for (const char* method : {"ensemble", "common-baseline", "knockout"}) {
    EXPECT_EQ(auc.at(method).at("patterns").size(), 7U);
    for (const auto& [name, pattern] : auc.at(method).at("patterns").items()) {
      EXPECT_GE(pattern.at("mean").get<double>(), 0.0) << method << " " << name;
      EXPECT_LE(pattern.at("mean").get<double>(), 1.0) << method << " " << name;
    }
  }
  EXPECT_TRUE(first.journal);
  // With the crops kept on disk, at half precision, nothing else changes; twice the same.
  const fs::path work = fs::path(testing::TempDir()) / "prostate_work";
  fs::remove_all(work);
  run.checkpoint_folder = work.string();
  run.methods = {"knockout"};
  const StudyResult second = run_prostate(tiny_prostate(), run),
                    third = run_prostate(tiny_prostate(), run);
  EXPECT_EQ(second.data.at("scores").dump(), third.data.at("scores").dump());
  EXPECT_EQ(second.data.at("scores").at("auc").at("methods").size(), 1U);
  EXPECT_TRUE(fs::is_empty(work));
}

TEST(RunProstate, StopsAtBadCasesUnlessTheyAreToBeSkipped) {
  const fs::path folder = synthesized("skip", 30);
  fs::remove(folder / "images" / "10002" / "10002_1000002_hbv.mha");
  DataStudyContext run;
  run.data = folder.string();
  run.repetitions = 1;
  run.run.threads = 1;
  EXPECT_THROW(run_prostate(tiny_prostate(), run), DataError);
  run.skip_bad = true;
  const StudyResult result = run_prostate(tiny_prostate(), run);
  EXPECT_EQ(result.data.at("cases"), 29);
  EXPECT_EQ(result.data.at("bad").size(), 1U);
}

TEST(RunProstate, RefusesATestPartWithoutCases) {
  DataStudyContext run;
  run.data = synthesized("no_test", 30).string();
  ProstateOptions options = tiny_prostate();
  options.test_share = 0.01;
  EXPECT_THROW(run_prostate(options, run), DataError);
}

TEST(RunProstate, RefusesASizeOfTwoNumbers) {
  ProstateOptions options = tiny_prostate();
  options.size = {12, 12};
  EXPECT_THROW(run_prostate(options, {}), ConfigError);
}

}  // namespace
}  // namespace knockout::experiments
