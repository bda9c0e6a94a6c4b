// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/noisy_images.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "experiments/privileged/annotations.h"
#include "knockout/base/error.h"
#include "media/arrays/npy_writer.h"
#include "media/arrays/pickled_arrays.h"
#include "media/image/cifar.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// The real files, or "" when they are not at hand.
std::string shared_data() {
  const char* const given = std::getenv("KNOCKOUT_SHARED_DATA");
  const fs::path root = given != nullptr
                            ? fs::path(given)
                            : fs::path(__FILE__).parent_path() / "../../../shared/data";
  return fs::is_directory(root / "cifar_n") ? root.string() : "";
}

/// Pictures whose every pixel is the number of the picture.
CifarImages pictures(const std::vector<std::uint8_t>& labels, std::uint8_t first = 0) {
  CifarImages images;
  images.labels = labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    images.pixels.insert(images.pixels.end(), kCifarPixels, static_cast<std::uint8_t>(first + i));
  }
  return images;
}

class NoisyImagesTest : public ::testing::Test {
 protected:
  NoisyImagesTest() { fs::create_directories(folder_); }
  ~NoisyImagesTest() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  /// Three training images of classes 3, 4, 5 in the second batch and two test images.
  void write_pictures() const {
    write_cifar10(pictures({3, 4, 5}), at("data_batch_2.bin"));
    write_cifar10(pictures({8, 9}, 100), at("test_batch.bin"));
  }
  NoisyImages read(const std::string& dataset) {
    options_.dataset = dataset;
    return read_noisy_images(options_, folder_.string(), bad_);
  }
  std::string message(const std::string& dataset) {
    try {
      read(dataset);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  /// What stands in the list of what cannot be used.
  std::string reasons() const { return bad_.json().dump(); }

  fs::path folder_ = fs::temp_directory_path() / ("knockout_noisy_" + std::to_string(::getpid()));
  PrivilegedOptions options_;
  BadFiles bad_;
};

constexpr const char* kLongHeader =
    "train_index,annotation,worker_id,work_time_s,noisy_label,clean_label\n";

TEST_F(NoisyImagesTest, TakesTheLastWrongAnnotationWithItsAnnotatorAndTime) {
  write_pictures();
  write("cifar10n_annotations_long.csv", std::string(kLongHeader) +
                                             "10000,1,20,30,7,3\n"  // wrong
                                             "10000,2,10,50,6,3\n"  // wrong, the last such
                                             "10000,3,99,99,3,3\n"  // right
                                             "10001,1,40,70,4,4\n"  // all right: the last
                                             "10001,2,30,10,4,4\n"  //
                                             "10002,1,20,20,5,5\n"  //
                                             "7,1,500,900,1,1\n");  // of a batch not there
  const NoisyImages data = read("cifar10n");
  EXPECT_TRUE(bad_.empty()) << reasons();
  EXPECT_EQ(data.labels, (std::vector<int>{6, 4, 5}));
  EXPECT_EQ(data.clean_labels, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(data.annotator, (std::vector<float>{0.0F, 1.0F, 0.5F}));  // of 10, 30, 20
  EXPECT_EQ(data.seconds, (std::vector<float>{1.0F, 0.0F, 0.25F}));   // of 50, 10, 20
  EXPECT_EQ(data.test_labels, (std::vector<int>{8, 9}));
  EXPECT_EQ(data.pixels[2 * kCifarPixels], 2);
  EXPECT_EQ(data.test_pixels[kCifarPixels], 101);
  EXPECT_NE(data.description.find("33.33 % of them wrong"), std::string::npos) << data.description;
  EXPECT_NE(data.description.find("(data_batch_2)"), std::string::npos) << data.description;
}

TEST_F(NoisyImagesTest, NamesTheRowOfEveryAnnotationThatCannotBeUsed) {
  write_pictures();
  write("cifar10n_annotations_long.csv", std::string(kLongHeader) +
                                             "10000,1,20,30,10,3\n"
                                             "10001,1,40,70,4,4\n"
                                             "50000,1,40,70,4,4\n"
                                             "10002,1,,70,5,5\n");
  EXPECT_EQ(read("cifar10n").labels, (std::vector<int>{4}));
  EXPECT_EQ(bad_.size(), 5U) << reasons();  // and two images without any annotation
  EXPECT_NE(reasons().find("long.csv:2"), std::string::npos) << reasons();
  EXPECT_NE(reasons().find("is 10; expected 0 to 9"), std::string::npos) << reasons();
  EXPECT_NE(reasons().find("long.csv:4"), std::string::npos) << reasons();
  EXPECT_NE(reasons().find("is 50000; expected 0 to 49999"), std::string::npos) << reasons();
  EXPECT_NE(reasons().find("long.csv:5"), std::string::npos) << reasons();
}

TEST_F(NoisyImagesTest, RefusesAnnotationsOfOtherImages) {
  write_pictures();
  write("cifar10n_annotations_long.csv", std::string(kLongHeader) + "10001,1,40,70,4,9\n");
  EXPECT_NE(message("cifar10n").find("image 10001 is of class 9"), std::string::npos);
}

TEST_F(NoisyImagesTest, SaysWhichFileIsMissing) {
  EXPECT_NE(message("cifar10n").find("data_batch_1.bin: is not there"), std::string::npos);
  write_pictures();
  EXPECT_NE(message("cifar10n").find("CIFAR-10_human.pt: is not there"), std::string::npos);
  EXPECT_NE(message("cifar10h").find("cifar10h-raw.csv: is not there"), std::string::npos);
  EXPECT_NE(message("cifar100n").find("train.bin: is not there"), std::string::npos);
}

TEST_F(NoisyImagesTest, GivesEachLabelOfAShippedFileToThePersonOfItsBatch) {
  fs::create_directories(at("cifar-10-batches-bin"));
  write_cifar10(pictures({1, 2, 3}), at("cifar-10-batches-bin/data_batch_1.bin"));
  write_cifar10(pictures({0}), at("cifar-10-batches-bin/test_batch.bin"));
  NamedIntegers named = {{"clean_label", {1, 2, 3}},   {"random_label1", {7, 2, 3}},
                         {"random_label2", {1, 8, 3}}, {"random_label3", {1, 2, 3}},
                         {"aggre_label", {1, 2, 3}},   {"worse_label", {7, 8, 3}}};
  write_pickled_arrays(named, at("CIFAR-10_human.pt"));
  const std::string header =
      "Image-batch,Worker1-id,Work-time-in-seconds-1,Worker2-id,Work-time-in-seconds-2,"
      "Worker3-id,Work-time-in-seconds-3\n";
  write("side_info_cifar10N.csv", header + "0--1,5,10,6,20,7,30\n2--2,8,40,9,50,10,60\n");
  const NoisyImages data = read("cifar10n");
  EXPECT_TRUE(bad_.empty()) << reasons();
  EXPECT_EQ(data.labels, (std::vector<int>{7, 8, 3}));
  EXPECT_EQ(data.annotator, (std::vector<float>{0.0F, 0.2F, 1.0F}));  // of 5, 6, 10
  EXPECT_EQ(data.seconds, (std::vector<float>{0.0F, 0.2F, 1.0F}));    // of 10, 20, 60
  EXPECT_NE(data.description.find("worst one for 3 images"), std::string::npos);

  write("side_info_cifar10N.csv",
        header + "0--1,5,10,6,20,7,30\n2--9,8,40,9,50,10,60\nx,1,1,1,1,1,1\n");
  EXPECT_EQ(read("cifar10n").count(), 2U);
  EXPECT_EQ(bad_.size(), 3U) << reasons();  // two rows, and the image that nobody annotated
  named["random_label2"].pop_back();
  write_pickled_arrays(named, at("CIFAR-10_human.pt"));
  EXPECT_NE(message("cifar10n").find("\"random_label2\" has 2 labels"), std::string::npos);
}

constexpr const char* kRawColumns = ",image_filename,subcategory,reaction_time,time_elapsed\n";
constexpr const char* kRawStart =
    "annotator_id,trial_index,is_attn_check,true_category,chosen_category,true_label,chosen_label,"
    "correct_guess,";

TEST_F(NoisyImagesTest, ReadsTheRawFileOfCifar10hWithItsQuirks) {
  write_pictures();  // trains on the test images, of classes 8 and 9
  const std::string rows =
      "0,0,0,ship,ship,8,8,1,0,a.png,b,1500.5,1500.5\n"
      "0,1,1,cat,cat,3,3,1,-99999,c.png,d,900,2400.5\n"
      "3,0,0,ship,truck,8,9,0,0,a.png,b,-20,4000\n"
      "5,0,0,truck,truck,9,9,1,1,e.png,f,4000,5000\n";
  for (const std::string name : {"cifar10_test_set_idx", "cifar10_test_test_idx"}) {
    write("cifar10h-raw.csv", kRawStart + name + kRawColumns + rows);
    const NoisyImages data = read("cifar10h");
    EXPECT_TRUE(bad_.empty()) << reasons();
    EXPECT_EQ(data.labels, (std::vector<int>{9, 9}));
    EXPECT_EQ(data.clean_labels, (std::vector<int>{8, 9}));
    EXPECT_EQ(data.annotator, (std::vector<float>{0.0F, 1.0F}));
    EXPECT_EQ(data.seconds, (std::vector<float>{0.0F, 1.0F}));
    EXPECT_EQ(data.test_labels, (std::vector<int>{3, 4, 5}));
    EXPECT_NE(data.description.find("1 reaction time below zero"), std::string::npos);
  }
  write("cifar10h-raw.csv", std::string(kRawStart) + "cifar10_test_test_idx" + kRawColumns + rows +
                                "5,1,0,truck,,9,11,0,1,e.png,f,4000,5000\n"
                                "5,2,0,truck,truck,9,9,1,10000,e.png,f,4000,5000\n");
  EXPECT_EQ(read("cifar10h").count(), 2U);
  EXPECT_EQ(bad_.size(), 2U) << reasons();
  EXPECT_NE(reasons().find("cifar10h-raw.csv:6"), std::string::npos) << reasons();
}

TEST_F(NoisyImagesTest, DrawsAmongTheWrongAnnotationsOfCifar10hOnly) {
  const std::vector<Annotation> annotations = {{1, 0, 0}, {2, 1, 0}, {3, 2, 0}, {1, 3, 0}};
  std::set<double> chosen;
  for (std::size_t image = 0; image < 50; ++image) {
    chosen.insert(worst_of(annotations, 1, /*take_any=*/true, image).annotator);
  }
  EXPECT_EQ(chosen, (std::set<double>{1, 2}));
}

constexpr const char* kPeopleHeader =
    "annotator_id,cifar10_test_idx,true_label,top1,reaction_time_ms\n";

/// As if nine people had called every image 3; other counts of the first image when given.
void write_counts(const std::string& path, std::vector<float> first_row = {}) {
  std::vector<float> counts(100'000, 0.0F);
  for (std::size_t image = 0; image < 10'000; ++image) counts[image * 10 + 3] = 9;
  std::copy(first_row.begin(), first_row.end(), counts.begin());
  write_npy(path, counts, 10'000, 10);
}

TEST_F(NoisyImagesTest, StandsInForCifar10hWithPeopleOfSomeImagesAndCountsOfTheOthers) {
  write_cifar10(pictures({3, 3, 3, 3}), at("test_batch.bin"));
  write_cifar10(pictures({8, 9}, 100), at("data_batch_1.bin"));
  write_counts(at("cifar10h-counts.npy"), {0, 0, 0, 40, 0, 0, 0, 2, 0, 0});
  write("cifar10s_annotations.csv",
        std::string(kPeopleHeader) + "5,2,3,3,9000\n7,2,3,4,1000\n9,3,3,3,3000\n");
  const NoisyImages data = read("cifar10h-counts");
  EXPECT_TRUE(bad_.empty()) << reasons();
  // Images 2 and 3 come first: their annotators are known. Image 0 has a wrong count, 7.
  EXPECT_EQ(data.labels, (std::vector<int>{4, 3, 7, 3}));
  EXPECT_EQ(data.pixels[0], 2);
  EXPECT_EQ(data.annotator[0], 0.0F);  // annotator 7 of 7 and 9
  EXPECT_EQ(data.annotator[1], 1.0F);
  EXPECT_EQ(data.seconds[0], 0.0F);  // 1 s of 1 s and 3 s
  EXPECT_TRUE(std::isnan(data.annotator[2]) && std::isnan(data.seconds[2]));
  EXPECT_EQ(data.test_labels, (std::vector<int>{8, 9}));
  EXPECT_NE(data.description.find("known of 2 of"), std::string::npos) << data.description;
  EXPECT_NE(data.description.find("A stand-in"), std::string::npos) << data.description;
  options_.training_images = 2;
  EXPECT_EQ(read("cifar10h-counts").labels, (std::vector<int>{4, 3}));
}

TEST_F(NoisyImagesTest, NamesWhatIsWrongWithTheFilesOfTheStandIn) {
  write_cifar10(pictures({3, 3}), at("test_batch.bin"));
  write_cifar10(pictures({8}), at("data_batch_1.bin"));
  EXPECT_NE(message("cifar10h-counts").find("cifar10h-counts.npy"), std::string::npos);
  write_counts(at("cifar10h-counts.npy"), {-1});
  EXPECT_NE(message("cifar10h-counts").find("cifar10s_annotations.csv"), std::string::npos);
  write("cifar10s_annotations.csv",
        std::string(kPeopleHeader) + "5,0,3,3,9\n7,1,3,12,9\n7,,3,1,9\n");
  EXPECT_NE(message("cifar10h-counts").find("the count of class 0 is no whole"), std::string::npos);
  write_counts(at("cifar10h-counts.npy"));
  read("cifar10h-counts");
  EXPECT_EQ(bad_.size(), 2U) << reasons();
  write("cifar10s_annotations.csv", std::string(kPeopleHeader) + "5,0,4,3,9\n");
  EXPECT_NE(message("cifar10h-counts").find("of class 4 there and of class 3"), std::string::npos);
}

TEST_F(NoisyImagesTest, ReadsTheRealFilesOfTheStandIn) {
  const std::string shared = shared_data();
  if (shared.empty() || !fs::exists(fs::path(shared) / "cifar10s")) {
    GTEST_SKIP() << "cifar10h and cifar10s are not at hand";
  }
  options_.dataset = "cifar10h-counts";
  const NoisyImages data = read_noisy_images(options_, shared, bad_);
  EXPECT_TRUE(bad_.empty()) << reasons();
  EXPECT_EQ(data.count(), 10'000U);
  const auto unknown = std::count_if(data.annotator.begin(), data.annotator.end(),
                                     [](float value) { return std::isnan(value); });
  EXPECT_EQ(unknown, 9'000);  // its people saw 1,000 images
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 1000; ++i) wrong += data.labels[i] != data.clean_labels[i];
  EXPECT_EQ(wrong, 483U);  // counted with Python's csv: images with a wrong top1
}

TEST_F(NoisyImagesTest, ReadsNoMoreImagesThanAskedFor) {
  write_pictures();
  write("cifar10n_annotations_long.csv",
        std::string(kLongHeader) + "10000,1,1,3,3,3\n10001,1,2,7,4,4\n10002,1,3,7,5,5\n");
  options_.training_images = 2;
  options_.test_images = 1;
  const NoisyImages data = read("cifar10n");
  EXPECT_EQ(data.count(), 2U);
  EXPECT_EQ(data.pixels.size(), 2 * kCifarPixels);
  EXPECT_EQ(data.annotator.back(), 1.0F);  // scaled over the images that are used
  EXPECT_EQ(data.test_count(), 1U);
}

TEST_F(NoisyImagesTest, SynthesizesEveryDataSetWithNoiseThatThePeopleExplain) {
  for (const std::string dataset : {"cifar10n", "cifar10h", "cifar100n"}) {
    options_.dataset = dataset;
    const std::string folder = at(dataset);
    synthesize_noisy_images(options_, {.folder = folder, .size = 600});
    const NoisyImages data = read_noisy_images(options_, folder, bad_);
    EXPECT_TRUE(bad_.empty()) << reasons();
    ASSERT_EQ(data.count(), 600U);
    EXPECT_EQ(data.test_count(), 300U);
    // Regulars have the lowest numbers: among theirs hardly a label is wrong, among others most.
    int regulars = 0, others = 0, regulars_wrong = 0, others_wrong = 0;
    for (std::size_t i = 0; i < data.count(); ++i) {
      const bool wrong = data.labels[i] != data.clean_labels[i];
      (data.annotator[i] < 0.15F ? regulars : others) += 1;
      (data.annotator[i] < 0.15F ? regulars_wrong : others_wrong) += wrong;
    }
    EXPECT_GT(regulars, 180) << dataset;
    EXPECT_GT(others, 250) << dataset;
    EXPECT_LT(regulars_wrong, 0.2 * regulars) << dataset;
    EXPECT_GT(others_wrong, 0.8 * others) << dataset;
  }
}

/// How often the class whose pictures have the nearest mean colour is the right one.
double share_told_by_colour(const NoisyImages& data) {
  // Colour is what a channel has over grey. Means of the first half, tried on the second.
  const auto colour = [&](std::size_t image) {
    std::array<double, 3> mean = {};
    for (std::size_t k = 0; k < kCifarPixels; ++k) {
      mean[k / 1024] += data.pixels[image * kCifarPixels + k] / 1024.0;
    }
    const double grey = (mean[0] + mean[1] + mean[2]) / 3;
    for (double& each : mean) each -= grey;
    return mean;
  };
  std::vector<std::array<double, 4>> sums(10);
  for (std::size_t i = 0; i < data.count() / 2; ++i) {
    auto& sum = sums[static_cast<std::size_t>(data.clean_labels[i])];
    const auto c = colour(i);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += c[k];
    sum[3] += 1;
  }
  int right = 0;
  for (std::size_t i = data.count() / 2; i < data.count(); ++i) {
    const auto c = colour(i);
    int best = 0;
    double least = 1e300;
    for (int label = 0; label < 10; ++label) {
      const auto& sum = sums[static_cast<std::size_t>(label)];
      double distance = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double difference = c[k] - sum[k] / sum[3];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = label;
      }
    }
    right += best == data.clean_labels[i];
  }
  return right / (static_cast<double>(data.count()) / 2);
}

TEST_F(NoisyImagesTest, SynthesizesPicturesThatSayNothingOfTheLabelWhenAskedTo) {
  double told[2] = {};
  for (const bool no_signal : {false, true}) {
    const std::string folder = at(no_signal ? "without" : "with");
    synthesize_noisy_images(options_, {.folder = folder, .size = 1000, .no_signal = no_signal});
    told[no_signal] = share_told_by_colour(read_noisy_images(options_, folder, bad_));
  }
  EXPECT_GT(told[0], 0.4);  // colour alone tells five pairs of classes apart
  EXPECT_LT(told[1], 0.15);
}

TEST_F(NoisyImagesTest, FindsTheNoiseThatTheOwnersOfCifarNReport) {
  const std::string folder = shared_data();
  if (folder.empty()) GTEST_SKIP() << "no cifar_n/ in KNOCKOUT_SHARED_DATA or ../shared/data";
  const Annotations ten = read_cifar_n(folder, 10, bad_);
  ASSERT_EQ(ten.of_image.size(), 50'000U);
  int wrong = 0, as_owners = 0;
  for (std::size_t i = 0; i < 50'000; ++i) {
    const int label = worst_of(ten.of_image[i], ten.clean[i], false, i).label;
    wrong += label != ten.clean[i];
    as_owners += label == ten.worst[i];
  }
  EXPECT_EQ(wrong, 20'104);  // 40.21 %
  EXPECT_EQ(as_owners, 50'000);
  const Annotations hundred = read_cifar_n(folder, 100, bad_);
  wrong = 0;
  for (std::size_t i = 0; i < 50'000; ++i) {
    wrong += hundred.of_image[i].at(0).label != hundred.clean[i];
  }
  EXPECT_EQ(wrong, 20'100);  // 40.20 %
  EXPECT_TRUE(bad_.empty()) << reasons();
}

TEST_F(NoisyImagesTest, ReadsTheSameFromTheShippedFilesAndFromTheLongTable) {
  const std::string folder = shared_data();
  if (folder.empty()) GTEST_SKIP() << "no cifar_n/ in KNOCKOUT_SHARED_DATA or ../shared/data";
  for (const int classes : {10, 100}) {
    const std::string name =
        classes == 10 ? "cifar10n_annotations_long.csv" : "cifar100n_annotations.csv";
    fs::create_symlink(fs::absolute(fs::path(folder) / "cifar_n" / name), at(name));
    const Annotations shipped = read_cifar_n(folder, classes, bad_);
    const Annotations table = read_cifar_n(folder_.string(), classes, bad_);
    EXPECT_EQ(shipped.clean, table.clean);
    const auto same = [](const Annotation& a, const Annotation& b) {
      return a.label == b.label && a.annotator == b.annotator && a.seconds == b.seconds;
    };
    for (std::size_t i = 0; i < 50'000; ++i) {
      ASSERT_TRUE(std::equal(shipped.of_image[i].begin(), shipped.of_image[i].end(),
                             table.of_image[i].begin(), table.of_image[i].end(), same))
          << i;
    }
  }
}

TEST_F(NoisyImagesTest, ReadsRealImagesWithTheirAnnotations) {
  const std::string folder = shared_data();
  if (folder.empty()) GTEST_SKIP() << "no cifar_n/ in KNOCKOUT_SHARED_DATA or ../shared/data";
  options_.training_images = 3;
  const NoisyImages data = read_noisy_images(options_, folder, bad_);
  EXPECT_TRUE(bad_.empty()) << reasons();
  // The first rows of cifar10n_labels.csv.
  EXPECT_EQ(data.clean_labels, (std::vector<int>{6, 9, 9}));
  EXPECT_EQ(data.labels, (std::vector<int>{4, 9, 0}));
  EXPECT_EQ(data.test_count(), 10'000U);
}

}  // namespace
}  // namespace knockout::experiments
