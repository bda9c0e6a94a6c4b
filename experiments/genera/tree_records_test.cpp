// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/tree_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "experiments/engine_studies.h"
#include "experiments/genera/training.h"
#include "experiments/genera/view_set.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "media/arrays/crc32c.h"
#include "media/image/imagenet.h"
#include "media/image/picture.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

std::string number_bytes(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string varint_of(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

/// A field of a protobuf message that holds bytes or another message.
std::string field_with(int number, const std::string& content) {
  return varint_of(static_cast<std::uint64_t>(number) * 8 + 2) + varint_of(content.size()) +
         content;
}

std::string entry_of(const std::string& name, const std::string& feature) {
  return field_with(1, field_with(1, name) + field_with(2, feature));
}

std::string bytes_entry(const std::string& name, const std::string& bytes) {
  return entry_of(name, field_with(1, field_with(1, bytes)));
}

std::string number_entry(const std::string& name, std::uint64_t value) {
  return entry_of(name, field_with(3, field_with(1, varint_of(value))));
}

std::string record_with(const std::string& content) {
  const auto checksum = [](const std::string& bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return number_bytes((crc >> 15 | crc << 17) + 0xa282ead8U, 4);
  };
  const std::string length = number_bytes(content.size(), 8);
  return length + checksum(length) + content + checksum(content);
}

/// A tree as Auto Arborist has it, among other fields.
std::string tree_record(const std::string& aerial, const std::string& street, std::uint64_t genus) {
  return record_with(field_with(
      1, number_entry("tree/id", 7) + bytes_entry("aerial/encoded", aerial) +
             bytes_entry("streetlevel/encoded", street) + number_entry("tree/genus/label", genus)));
}

std::string png_of(int red) {
  const std::string path = testing::TempDir() + "tree_records.png";
  const auto colour = static_cast<std::uint8_t>(red);
  write_png({.width = 4, .height = 4, .rgb = std::vector<std::uint8_t>(48, colour)}, path);
  return read_bytes(path, "the picture");
}

class TreeRecords : public testing::Test {
 protected:
  TreeRecords() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "tfrecords/columbus");
  }
  ~TreeRecords() override {
    fs::remove_all(folder_);
    set_engine_studies({});
  }
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  PictureList list() { return list_pictures(folder_.string(), options_, bad_); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "TreeRecords";
  TreesOptions options_;
  BadFiles bad_;
};

TEST_F(TreeRecords, SayWhereTheBytesOfEveryPictureLie) {
  write("tfrecords/columbus/train-00000-of-00002",
        tree_record("AB", "street one", 3) + tree_record("longer aerial", "S", 4));
  write("tfrecords/columbus/test-00000-of-00001", tree_record("test aerial", "test street", 3));
  write("tfrecords/columbus/train-00000-of-00002.index", "0 12");
  write("tfrecords/columbus/README", "no records");
  const PictureList found = list();
  EXPECT_TRUE(bad_.empty()) << bad_.json().dump();
  EXPECT_EQ(found.views, (std::vector<std::string>{"aerial", "street"}));
  ASSERT_EQ(found.trees.size(), 3U);
  EXPECT_EQ(found.trees[0].part, "test");
  EXPECT_EQ(read_picture_bytes(found.trees[0].pictures[1]), "test street");
  EXPECT_EQ(found.trees[1].id, "columbus/train-00000-of-00002/1");
  EXPECT_EQ(found.trees[1].genus, "3");
  EXPECT_EQ(read_picture_bytes(found.trees[1].pictures[0]), "AB");
  EXPECT_EQ(read_picture_bytes(found.trees[1].pictures[1]), "street one");
  EXPECT_EQ(read_picture_bytes(found.trees[2].pictures[0]), "longer aerial");
}

TEST_F(TreeRecords, KeepTheMostFrequentGeneraOfTheCitiesThatWereAskedFor) {
  std::string here;
  for (const std::uint64_t genus : {5, 6, 5, 6, 7}) here += tree_record("a", "s", genus);
  write("tfrecords/columbus/train-00000-of-00001", here);
  write("tfrecords/seattle/train-00000-of-00001", tree_record("a", "s", 7) + here);
  options_.classes = 2;
  options_.cities = "columbus";
  EXPECT_EQ(list().trees.size(), 4U);
  EXPECT_EQ(list().trees[0].part, "") << "nothing to test on is no split";
  options_.cities = "";
  EXPECT_EQ(list().trees.size(), 8U);
  options_.cities = "columbos";
  EXPECT_THROW(list(), ConfigError);
}

TEST_F(TreeRecords, GoOnBehindRecordsAndFilesThatCannotBeUsed) {
  const std::string no_street = record_with(
      field_with(1, bytes_entry("aerial/encoded", "a") + number_entry("tree/genus/label", 1)));
  const std::string good = tree_record("a", "s", 1);
  write("tfrecords/columbus/train-00000-of-00003", no_street + good + record_with("\x0b\x0c"));
  write("tfrecords/columbus/train-00001-of-00003", good + good.substr(0, 20));
  write("tfrecords/columbus/train-00002-of-00003", "<html>");
  EXPECT_EQ(list().trees.size(), 2U);
  const std::string left_out = bad_.json().dump();
  EXPECT_EQ(bad_.size(), 4U) << left_out;
  EXPECT_NE(left_out.find("has no field \\\"streetlevel/encoded\\\" among"), std::string::npos)
      << left_out;
  EXPECT_NE(left_out.find("is cut off"), std::string::npos) << left_out;
  EXPECT_NE(left_out.find("no tf.train.Example"), std::string::npos) << left_out;
}

TEST_F(TreeRecords, EndWhenTheFieldsAreOthers) {
  write("tfrecords/columbus/train-00000-of-00001", tree_record("a", "s", 1));
  options_.record_label = "genus";
  EXPECT_THROW(list(), DataError);
  options_.record_views = "aerial";
  EXPECT_THROW(list(), ConfigError);
}

int encodings = 0;

/// Stands for the engine: the red of a picture's first pixel.
std::vector<std::vector<float>> encode_first_red(const PictureEncoding& encoding) {
  std::vector<std::vector<float>> rows;
  for (const PicturePlace& place : encoding.pictures) {
    rows.push_back({static_cast<float>(decode_picture(read_picture_bytes(place), "x").rgb[0]), 1});
  }
  ++encodings;
  return rows;
}

TEST_F(TreeRecords, AreEncodedOnceAndTestedOnTheOwnersTestTrees) {
  std::string train, test;
  for (int tree = 0; tree < 30; ++tree) {
    const std::string png = png_of(tree % 2 == 0 ? tree : 200 + tree);
    (tree < 20 ? train : test) += tree_record(png, png, tree % 2);
  }
  write("tfrecords/columbus/train-00000-of-00001", train + tree_record("no picture", "none", 1));
  write("tfrecords/columbus/test-00000-of-00001", test);
  write("red.pt", "what the encoder is");
  set_engine_studies({.encode_pictures = encode_first_red, .picture_planes = imagenet_planes});
  DataStudy study = make_trees_study();
  for (const Setting& setting : study.settings.all()) {
    if (setting.name == "encoder") {
      *std::get<std::string*>(setting.field) = (folder_ / "red.pt").string();
    }
    if (setting.name == "steps") *std::get<int*>(setting.field) = 20;
  }
  DataStudyContext run{.data = folder_.string(), .repetitions = 1, .skip_bad = true};
  EXPECT_TRUE(study.needs_engine(run.data));
  const StudyResult result = study.run(run);
  EXPECT_EQ(result.data.at("sets").at("red").at("rows"), 30);
  EXPECT_EQ(result.data.at("bad").size(), 1U);
  EXPECT_FALSE(study.needs_engine(run.data));
  study.run(run);
  EXPECT_EQ(encodings, 2) << "once for each view";

  const ViewSet set = read_view_sets(folder_.string(), {}, bad_)[0];
  EXPECT_EQ(std::count(set.parts.begin(), set.parts.end(), Part::kTest), 10);
  const std::vector<Part> parts = split_rows(set, 0.2, 0.5, 1);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), Part::kTest), 10) << "the owners' share";
  EXPECT_EQ(std::count(parts.begin(), parts.end(), Part::kValidation), 4) << "of 20 to train on";
  for (std::size_t row = 0; row < parts.size(); ++row) {
    EXPECT_EQ(parts[row] == Part::kTest, set.parts[row] == Part::kTest);
  }
}

}  // namespace
}  // namespace knockout::experiments
