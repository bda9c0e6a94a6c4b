// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/dishes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "experiments/food101/emoji.h"
#include "experiments/food101/synthesis.h"
#include "knockout/base/error.h"
#include "media/image/cifar.h"
#include "media/image/picture.h"
#include "media/image/transform.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

class DishesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    for (const char* dish : {"pie", "soup"}) {
      fs::create_directories(folder_ / "images/train" / dish);
      fs::create_directories(folder_ / "images/test" / dish);
    }
    fs::create_directories(folder_ / "texts");
    Picture picture{20, 10, std::vector<std::uint8_t>(600, 128)};
    for (const char* name :
         {"train/pie/pie_0.jpg", "train/soup/soup_0.jpg", "test/pie/pie_1.jpg"}) {
      write_jpeg(picture, (folder_ / "images" / name).string(), 90);
    }
    write("texts/train_titles.csv", "soup_0.jpg,\"Soup, \"\"hot\"\"\",soup\npie_0.jpg,NA,pie\n");
    write("texts/test_titles.csv", "pie_1.jpg,,pie\n");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  /// What the one bad row is called and why.
  std::pair<std::string, std::string> only_bad() const {
    BadFiles bad;
    read_dishes(folder_.string(), bad);
    EXPECT_EQ(bad.size(), 1U);
    if (bad.empty()) return {};
    return {bad.json()[0]["what"], bad.json()[0]["reason"]};
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "knockout_dishes_test";
};

TEST_F(DishesTest, ReadsListsWithQuotesAndTextsThatLookLikeSomethingElse) {
  BadFiles bad;
  const DishSet set = read_dishes(folder_.string(), bad);
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(set.classes, (std::vector<std::string>{"pie", "soup"}));
  ASSERT_EQ(set.training.size(), 2U);
  EXPECT_EQ(set.training[0].text, "Soup, \"hot\"");
  EXPECT_EQ(set.training[0].label, 1);
  EXPECT_EQ(set.training[0].picture, (folder_ / "images/train/soup/soup_0.jpg").string());
  EXPECT_EQ(set.training[1].text, "NA") << "is a text, not a gap";
  ASSERT_EQ(set.test.size(), 1U);
  EXPECT_EQ(set.test[0].text, "");
}

TEST_F(DishesTest, NamesTheRowAndThePathOfAPictureThatIsNotThere) {
  write("texts/test_titles.csv", "pie_1.jpg,,pie\npie_7.jpg,Pie,pie\n");
  const auto [what, reason] = only_bad();
  EXPECT_NE(what.find("test_titles.csv:2"), std::string::npos) << what;
  EXPECT_NE(reason.find("images/test/pie/pie_7.jpg: is not there"), std::string::npos) << reason;
}

TEST_F(DishesTest, NamesADishThatTrainingDoesNotKnow) {
  write("texts/test_titles.csv", "pie_1.jpg,,pie\npie_1.jpg,x,stew\n");
  EXPECT_NE(only_bad().second.find("\"stew\" is not in the training list"), std::string::npos);
}

TEST_F(DishesTest, SaysWhatAListShouldLookLike) {
  write("texts/train_titles.csv", "pie_0.jpg,a pie, with a comma,pie\n");
  BadFiles bad;
  try {
    read_dishes(folder_.string(), bad);
    FAIL() << "four columns were read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("train_titles.csv: 4 columns, expected 3"),
              std::string::npos)
        << error.what();
  }
  fs::remove(folder_ / "texts/train_titles.csv");
  EXPECT_THROW(read_dishes(folder_.string(), bad), FileError);
}

TEST_F(DishesTest, LeavesOutPicturesThatCannotBeUsed) {
  write("images/train/pie/pie_0.jpg", "<html>moved</html>");
  write_png(Picture{200, 2, std::vector<std::uint8_t>(1200, 9)},
            (folder_ / "images/train/soup/soup_0.jpg").string());
  BadFiles bad;
  DishSet set = read_dishes(folder_.string(), bad);
  double share = 0;
  check_pictures(set.training, 8, 2, bad, [&](double done) { share = done; });
  EXPECT_EQ(share, 1.0);
  EXPECT_TRUE(set.training.empty());
  ASSERT_EQ(bad.size(), 2U);
  EXPECT_NE(bad.json()[0]["reason"].get<std::string>().find("200 x 2 pixels"), std::string::npos);
  EXPECT_NE(bad.json()[1]["reason"].get<std::string>().find("HTML"), std::string::npos);
}

TEST_F(DishesTest, GivesThePlanesThatEncodersExpect) {
  const std::vector<float> planes =
      read_planes((folder_ / "images/test/pie/pie_1.jpg").string(), 7);
  ASSERT_EQ(planes.size(), 3U * 7 * 7);
  for (int c = 0; c < 3; ++c) {
    const float grey = (128 / 255.0F - kImageNetMean[c]) / kImageNetStddev[c];
    EXPECT_NEAR(planes[c * 49 + 24], grey, 0.02);
  }
}

/// Eight pictures of 32 x 32, each of one grey, and their texts.
void write_emoji(const fs::path& folder, const std::string& texts) {
  CifarImages images;
  for (std::uint8_t i = 0; i < 8; ++i) {
    images.labels.push_back(i % 2);
    images.pixels.insert(images.pixels.end(), kCifarPixels, static_cast<std::uint8_t>(30 * i));
  }
  images.pixels[kCifarPixels] = 200;  // the red of the first pixel of number 1
  fs::create_directories(folder);
  write_cifar10(images, (folder / "emoji_cifarformat.bin").string());
  std::ofstream(folder / "text.csv") << texts;
}

TEST_F(DishesTest, StandInEmojiForDishes) {
  const fs::path emoji = folder_ / "emoji", made = folder_ / "made";
  std::string texts = "index,text,category,label\n";
  for (int i = 0; i < 8; ++i) {
    texts += fmt::format("{0},\"face {0}, \"\"big\"\"\",{1},{2}\n", i,
                         i % 2 == 0 ? "Smileys & Emotion" : "Food/Drink", i % 2);
  }
  write_emoji(emoji, texts);
  write_emoji_as_dishes(emoji.string(), {.folder = made.string(), .seed = 3});
  BadFiles bad;
  const DishSet set = read_dishes(made.string(), bad);
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(set.training.size() + set.test.size(), 8U);
  EXPECT_TRUE(fs::exists(made / kStandInNote));
  EXPECT_EQ(set.classes, (std::vector<std::string>{"Food_Drink", "Smileys & Emotion"}));
  std::vector<Dish> all = set.training;
  all.insert(all.end(), set.test.begin(), set.test.end());
  for (const Dish& dish : all) {
    const int number = std::stoi(fs::path(dish.picture).stem().string());
    EXPECT_EQ(dish.text, fmt::format("face {}, \"big\"", number));
    EXPECT_EQ(dish.label, 1 - number % 2) << number;
    const Picture picture = read_picture(dish.picture);
    EXPECT_EQ(picture.rgb[3], 30 * number);
    EXPECT_EQ(picture.rgb[0], number == 1 ? 200 : 30 * number);
  }
}

TEST_F(DishesTest, RefusesEmojiWhoseTextsAreOthers) {
  const auto complaint = [&](const std::string& texts) -> std::string {
    write_emoji(folder_ / "emoji", texts);
    try {
      write_emoji_as_dishes((folder_ / "emoji").string(), {.folder = (folder_ / "x").string()});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string header = "text,category,label\n";
  EXPECT_NE(complaint(header + "a,b,0\n").find("has 1 row where there are 8"), std::string::npos);
  std::string shifted = header;
  for (int i = 1; i < 9; ++i) shifted += fmt::format("a,b,{}\n", i % 2);
  EXPECT_NE(complaint(shifted).find("label is 1, and 0"), std::string::npos) << complaint(shifted);
}

TEST_F(DishesTest, ReadsWhatItMadeUp) {
  const fs::path made = folder_ / "made";
  const int vocabulary_size = write_dishes({.folder = made.string(), .seed = 3, .size = 40});
  EXPECT_GT(vocabulary_size, 260);
  BadFiles bad;
  const DishSet set = read_dishes(made.string(), bad);
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(set.training.size(), 30U);
  EXPECT_EQ(set.test.size(), 10U);
  EXPECT_THROW(write_dishes({.folder = made.string()}), ConfigError) << "never over another";
}

}  // namespace
}  // namespace knockout::experiments
