// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_privileged.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "experiments/privileged/noisy_images.h"
#include "experiments/privileged/torch_privileged_methods.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// A dark and a bright class, with grain; labels are turned round by annotators above 0.8.
NoisyImages dark_and_bright(int count) {
  NoisyImages images;
  images.classes = 2;
  images.description = "Dark and bright squares.";
  const Random random(8, Stream::kSimulation);
  const auto add = [&](std::uint64_t set, std::uint32_t image, std::vector<std::uint8_t>& pixels) {
    const int bright = static_cast<int>(random.below(2, set, image, 0));
    for (std::uint32_t i = 0; i < 3 * 32 * 32; ++i) {
      pixels.push_back(
          static_cast<std::uint8_t>(100 * bright + random.below(90, set, image, 1 + i)));
    }
    return bright;
  };
  for (int i = 0; i < count; ++i) {
    images.clean_labels.push_back(add(0, i, images.pixels));
    images.annotator.push_back(static_cast<float>(random.uniform(2, i, 0)));
    images.seconds.push_back(static_cast<float>(random.uniform(2, i, 1)));
    const bool lies = images.annotator.back() > 0.8F;
    images.labels.push_back(lies ? 1 - images.clean_labels.back() : images.clean_labels.back());
    images.test_labels.push_back(add(1, i, images.test_pixels));
  }
  return images;
}

PrivilegedOptions tiny_privileged() {
  PrivilegedOptions options;
  options.augment = false;
  options.depth = 10;
  options.width = 1;
  options.epochs = 2;
  options.decay_epochs = {1};
  options.batch = 12;
  options.learning_rate = 0.02;
  options.het_factors = 2;
  options.het_samples = 5;
  return options;
}

class PrivilegedStudy : public testing::Test {
 protected:
  PrivilegedStudy() { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::temp_directory_path() / ("knockout_privileged_" + std::to_string(::getpid()));
};

TEST_F(PrivilegedStudy, TestsEveryMethodOfThePaperOnCleanLabels) {
  const NoisyImages images = dark_and_bright(24);
  DataStudyContext run{.data = folder_.string(), .repetitions = 2};
  run.run.threads = 1;
  const StudyResult result = run_privileged_on(images, tiny_privileged(), {}, run);
  const auto& methods = result.data.at("scores").at("methods");
  EXPECT_EQ(methods.size(), make_privileged_study().methods.size());
  for (const std::string& method : make_privileged_study().methods) {
    const auto& cell = methods.at(method).at("patterns").at("test accuracy");
    ASSERT_EQ(cell.at("values").size(), 2U) << method;
    for (const double value : cell.at("values")) {
      EXPECT_GE(value, 0) << method;
      EXPECT_LE(value, 1) << method;
      EXPECT_NEAR(24 * value, std::round(24 * value), 1e-9) << method << ": a share of 24 images";
    }
    EXPECT_GT(cell.at("paper"), 80) << "CIFAR-10N, as the options say";
  }
  EXPECT_NE(result.document.summary.find("2 seeds"), std::string::npos) << result.document.summary;
  EXPECT_NE(result.journal, nullptr);
}

TEST(PrivilegedMethods, LearnTheSameAgainAndOthersWithAnotherSeed) {
  const NoisyImages images = dark_and_bright(24);
  const NoisyImageDataset data(images, true);
  const auto trained = [&](std::uint64_t seed) {
    const PrivilegedMethod method = make_privileged_method("sop", tiny_privileged(), data, 2, seed);
    nn::train(method.task, data,
              {.batch_rows = 12, .steps = 3, .optimizer = Optimizer::kSgd, .seed = seed});
    return method.predict(data.scale().apply(images.test_pixels, 0, 8));
  };
  const torch::Tensor once = trained(1);
  EXPECT_TRUE(trained(1).equal(once));
  EXPECT_FALSE(trained(2).equal(once));
}

TEST(PrivilegedMethods, StartWithTheSameEyes) {
  const NoisyImages images = dark_and_bright(4);
  const NoisyImageDataset data(images, false);
  const auto weights = [&](const std::string& method) {
    std::vector<torch::Tensor> all;
    const PrivilegedMethod made = make_privileged_method(method, tiny_privileged(), data, 2, 5);
    for (const auto& item : made.task.network->named_parameters()) {
      if (item.key().find("conv") != std::string::npos) all.push_back(item.value());
    }
    return all;
  };
  const auto expected = weights("no-pi");
  ASSERT_GE(expected.size(), 6U);
  for (const char* method : {"het", "sop", "common-baseline", "knockout-star", "knockout"}) {
    const auto found = weights(method);
    ASSERT_EQ(found.size(), expected.size()) << method;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i].equal(expected[i]));
  }
}

/// What stands in for the annotator at the test: with a linear classifier, exchanging placeholder
/// against mean moves the scores by the classifier's weights times their difference.
TEST(PrivilegedMethods, AnswerWithTheirPlaceholderWhereNobodyAnnotated) {
  const NoisyImages images = dark_and_bright(10);
  const NoisyImageDataset data(images, false);
  const PrivilegedMethod constant =
      make_privileged_method("knockout", tiny_privileged(), data, 2, 5);
  const torch::Tensor pictures = data.scale().apply(images.test_pixels, 0, 3);
  const torch::Tensor weight =
      constant.task.network->named_parameters()["wide_resnet.classifier.layers.0.weight"];
  const torch::Tensor side_weight = weight.narrow(1, 64, 2).t();
  constant.task.network->eval();
  for (const char* name : {"knockout-star", "common-baseline"}) {
    const PrivilegedMethod mean = make_privileged_method(name, tiny_privileged(), data, 2, 5);
    mean.task.network->eval();
    const torch::Tensor moved = torch::matmul(data.side().mean(0, true) + 1, side_weight);
    EXPECT_TRUE(
        torch::allclose(mean.predict(pictures), constant.predict(pictures) + moved, 1e-4, 1e-5))
        << name;
  }
}

}  // namespace
}  // namespace knockout::experiments
