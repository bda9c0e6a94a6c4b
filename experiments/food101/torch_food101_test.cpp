// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/torch_food101.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "experiments/food101/emoji.h"
#include "experiments/food101/synthesis.h"
#include "experiments/food101/torch_dish_dataset.h"
#include "experiments/food101/torch_dish_network.h"
#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

class Food101Test : public testing::Test {
 protected:
  void SetUp() override { write_data({.folder = folder_.string(), .size = 60}); }
  void write_data(const Synthesis& synthesis) const {
    fs::remove_all(folder_);
    const int vocabulary_size = write_dishes(synthesis);
    write_food101_encoders((folder_ / "resnet50.pt").string(), (folder_ / "roberta.pt").string(),
                           vocabulary_size, 1);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Food101Options tiny() const {
    Food101Options options;
    options.picture_side = 16;
    options.most_tokens = 16;
    options.hidden = {8};
    options.epochs = 1;
    options.batch = 16;
    options.validation_rows = 10;
    options.learning_rate = 1e-3;
    options.loader_threads = 0;
    return options;
  }
  DataStudyContext run() const {
    DataStudyContext run;
    run.data = folder_.string();
    run.repetitions = 2;
    run.run.threads = 1;
    return run;
  }
  const fs::path folder_ = fs::path(testing::TempDir()) / "knockout_food101_test";
};

TEST_F(Food101Test, TestsBothMethodsUnderEveryPattern) {
  const StudyResult result = run_food101(tiny(), run());
  for (const char* method : {"common-baseline", "knockout"}) {
    const auto& patterns = result.data["scores"]["methods"][method]["patterns"];
    ASSERT_EQ(patterns.size(), 3U);
    for (const auto& [name, cell] : patterns.items()) {
      ASSERT_EQ(cell["values"].size(), 2U) << name;
    }
  }
  EXPECT_EQ(result.data["scores"]["methods"]["knockout"]["patterns"]["w/o Text"]["paper"], 63.2);
  EXPECT_EQ(run_food101(tiny(), run()).data["scores"], result.data["scores"]) << "same seed";
}

/// Of six kinds, a title names its dish in 99 of 100 cases, and a picture shows it in 90. Without a
/// title the untrained encoder of pictures says little, but more than chance; whoever never saw a
/// row without one is left with that. In a control, where both are about another dish, nobody is
/// better than chance.
TEST_F(Food101Test, SaysThatAStandInIsOneAndShowsNoFiguresOfThePaperBesideIt) {
  std::ofstream(folder_ / kStandInNote) << "A stand-in: not dishes.";
  const StudyResult result = run_food101(tiny(), run());
  EXPECT_NE(result.document.summary.find("A stand-in: not dishes."), std::string::npos);
  EXPECT_EQ(result.data["stand_in"], "A stand-in: not dishes.");
  const auto& cell = result.data["scores"]["methods"]["knockout"]["patterns"]["w/o Text"];
  EXPECT_TRUE(!cell.contains("paper") || cell["paper"].is_null()) << cell;
  for (const auto& section : result.document.sections) {
    EXPECT_EQ(section.heading.find("Other work"), std::string::npos);
  }
}

TEST_F(Food101Test, LearnsTheDishesAndNothingFromAControl) {
  Food101Options options = tiny();
  options.hidden = {32};
  options.epochs = 30;
  options.learning_rate = 5e-3;
  options.validation_rows = 40;
  DataStudyContext one = run();
  one.repetitions = 1;
  const auto accuracy = [&](const StudyResult& result, const char* method, const char* pattern) {
    return result.data["scores"]["methods"][method]["patterns"][pattern]["values"][0].get<double>();
  };
  constexpr double kChance = 1.0 / 6;
  write_data({.folder = folder_.string(), .size = 320});
  const StudyResult learned = run_food101(options, one);
  write_data({.folder = folder_.string(), .size = 320, .no_signal = true});
  const StudyResult control = run_food101(options, one);
  for (const char* method : {"common-baseline", "knockout"}) {
    EXPECT_GT(accuracy(learned, method, "Image + Text"), 0.7) << method;
    EXPECT_NEAR(accuracy(control, method, "Image + Text"), kChance, 0.15) << method;
  }
  EXPECT_GT(accuracy(learned, "knockout", "w/o Image"), 0.7);
  EXPECT_GT(accuracy(learned, "knockout", "w/o Text"), kChance + 0.1);
}

/// The paper's table of inputs: latents in Z-scores, zeros for what is missing.
TEST_F(Food101Test, TheHeadSeesZScoresOfTheTrainingRowsAndZerosForWhatIsMissing) {
  BadFiles bad;
  const DishSet set = read_dishes(folder_.string(), bad);
  const auto tokenizer =
      BytePairTokenizer::read((folder_ / "vocab.json").string(), (folder_ / "merges.txt").string());
  const DishDataset data(set.training, tokenizer, 16, 16);
  const auto rows = static_cast<std::int64_t>(data.size());
  torch::manual_seed(1);
  DishNetwork network(tiny(), (folder_ / "resnet50.pt").string(), (folder_ / "roberta.pt").string(),
                      data.range(0, 1), 6, 0.3, 1);
  network->eval();
  const torch::NoGradGuard no_gradients;
  const torch::Tensor latents = network->latents(data.range(0, rows));
  network->set_scale(latents);
  const torch::Tensor features = network->features(data.range(0, rows)).to(torch::kFloat64);
  ASSERT_EQ(features.sizes(), (std::vector<std::int64_t>{rows, 64}));
  EXPECT_LT(features.mean(0).abs().max().item<double>(), 1e-4);
  EXPECT_NEAR(features.std(0, /*unbiased=*/false).min().item<double>(), 1.0, 1e-3);
  EXPECT_NEAR(features.std(0, /*unbiased=*/false).max().item<double>(), 1.0, 1e-3);
  // A row has the same features beside others as it had among the training rows.
  EXPECT_TRUE(torch::allclose(network->features(data.range(3, 4)).to(torch::kFloat64)[0],
                              features[3], 1e-4, 1e-5));

  const torch::Tensor some = network->features(data.range(0, 4));
  const torch::Tensor no_text = torch::cat({some.slice(1, 0, 32), torch::zeros({4, 32})}, 1);
  const torch::Tensor presence = torch::tensor({1, 0}).expand({4, 2});
  EXPECT_TRUE(network->classify(some, presence).equal(network->classify(no_text)));
}

TEST_F(Food101Test, TheStudyTrainsOnZScores) {
  const StudyResult result = run_food101(tiny(), run());
  for (const auto& training : result.data["results"]) {
    EXPECT_NEAR(training["latent_stddev"].get<double>(), 1.0, 0.3);
  }
}

TEST_F(Food101Test, EncodersThatLearnGiveOtherLatentsThanFrozenOnes) {
  Food101Options options = tiny();
  options.epochs = 3;
  options.learning_rate = 1e-2;
  DataStudyContext one = run();
  one.methods = {"knockout"};
  one.repetitions = 1;
  const auto training = [&](bool fine_tune) {
    options.fine_tune = fine_tune;
    // Not an accuracy: of few rows, two may agree by chance.
    return run_food101(options, one).data["results"][0]["latent_stddev"].get<double>();
  };
  const double frozen = training(false);
  EXPECT_EQ(training(false), frozen);
  EXPECT_NE(training(true), frozen);
}

TEST_F(Food101Test, NamesTheEncoderThatIsNotThereOrDoesNotFit) {
  Food101Options options = tiny();
  options.text_encoder = "bert.pt";
  try {
    run_food101(options, run());
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("bert.pt"), std::string::npos) << error.what();
  }
  options.text_encoder = "resnet50.pt";
  try {
    run_food101(options, run());
    FAIL() << "tokens went through a network for pictures";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("resnet50.pt"), std::string::npos) << error.what();
  }
}

TEST_F(Food101Test, RefusesToHoldOutEveryRow) {
  Food101Options options = tiny();
  options.validation_rows = 45;
  EXPECT_THROW(run_food101(options, run()), ConfigError);
}

TEST_F(Food101Test, PadsTokensToAFewLengths) {
  BadFiles bad;
  const DishSet set = read_dishes(folder_.string(), bad);
  const auto tokenizer =
      BytePairTokenizer::read((folder_ / "vocab.json").string(), (folder_ / "merges.txt").string());
  std::vector<Dish> two = {set.training[0], set.training[1]};
  two[0].text = "a";
  two[1].text = std::string(60, '~');  // a byte that no title has, hence a token each
  const nn::Batch batch = DishDataset(two, tokenizer, 8, 40).range(0, 2);
  EXPECT_EQ(batch.inputs[0].sizes(), (std::vector<std::int64_t>{2, 3, 8, 8}));
  ASSERT_EQ(batch.inputs[1].sizes(), (std::vector<std::int64_t>{2, 40})) << "never above the most";
  EXPECT_EQ((batch.inputs[1][0] == 1).sum().item<int>(), 37) << "<s> a </s>, then <pad>";
  EXPECT_EQ((batch.inputs[1][1] == 1).sum().item<int>(), 0);
  EXPECT_EQ(DishDataset(two, tokenizer, 8, 40).range(0, 1).inputs[1].size(1), 16);
}

}  // namespace
}  // namespace knockout::experiments
