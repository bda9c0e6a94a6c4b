// SPDX-License-Identifier: Apache-2.0
#include "media/image/cifar.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

class Cifar : public ::testing::Test {
 protected:
  ~Cifar() override { fs::remove(path_); }

  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  template <typename Read>
  std::string refusal(const std::string& bytes, Read read) const {
    write(bytes);
    try {
      read();
    } catch (const DataError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path_ + ": ")) << error.what();
      return error.what();
    }
    return "it was accepted";
  }
  std::string refusal10(const std::string& bytes) const {
    return refusal(bytes, [&] { read_cifar10({path_}); });
  }
  std::string refusal100(const std::string& bytes) const {
    return refusal(bytes, [&] { read_cifar100(path_); });
  }

  std::string path_ =
      (fs::temp_directory_path() / ("knockout_cifar_" + std::to_string(::getpid()) + ".bin"))
          .string();
};

/// A record: labels, then the red, green and blue plane, each of one value.
std::string record(const std::string& labels, char red, char green, char blue) {
  return labels + std::string(1024, red) + std::string(1024, green) + std::string(1024, blue);
}

const std::string kFive(1, '\5');
const std::string kNine(1, '\t');

TEST_F(Cifar, TenHasOneLabelAndThreePlanesPerRecord) {
  write(record(kFive, 'r', 'g', 'b') + record(kNine, 'x', 'y', 'z'));
  const CifarImages images = read_cifar10({path_, path_});
  EXPECT_EQ(images.labels, (Bytes{5, 9, 5, 9}));
  EXPECT_TRUE(images.coarse_labels.empty());
  ASSERT_EQ(images.pixels.size(), 4 * kCifarPixels);
  EXPECT_EQ(images.pixels[1023], 'r');
  EXPECT_EQ(images.pixels[1024], 'g');
  EXPECT_EQ(images.pixels[2 * 1024], 'b');
  EXPECT_EQ(images.pixels[kCifarPixels], 'x');
  EXPECT_EQ(images.pixels.back(), 'z');
}

TEST_F(Cifar, HundredHasTheCoarseLabelFirst) {
  write(record("\x13\x63", 'r', 'g', 'b'));
  const CifarImages images = read_cifar100(path_);
  EXPECT_EQ(images.coarse_labels, Bytes{19});
  EXPECT_EQ(images.labels, Bytes{99});
  EXPECT_EQ(images.pixels.front(), 'r');
  EXPECT_EQ(images.pixels.back(), 'b');
}

TEST_F(Cifar, WritersGiveTheBytesOfTheLayout) {
  CifarImages images{Bytes(kCifarPixels, 'p'), {7}, {}};
  write_cifar10(images, path_);
  EXPECT_EQ(read_bytes(path_, "it"), record("\x07", 'p', 'p', 'p'));
  images.coarse_labels = {3};
  write_cifar100(images, path_);
  EXPECT_EQ(read_bytes(path_, "it"), record("\x03\x07", 'p', 'p', 'p'));
}

TEST_F(Cifar, RefusesAFileThatIsEmptyOrEndsWithinARecord) {
  EXPECT_NE(refusal10("").find("empty"), std::string::npos);
  const std::string whole = record(kFive, 'r', 'g', 'b');
  const std::string message = refusal10(whole + whole.substr(1));
  EXPECT_NE(message.find("6,145 bytes are not a whole number of CIFAR-10 records of 3,073"),
            std::string::npos)
      << message;
  EXPECT_NE(refusal100(whole).find("records of 3,074"), std::string::npos);
  EXPECT_NE(refusal10("\x80\x02}q\x01").find("version for Python"), std::string::npos);
}

TEST_F(Cifar, NamesTheRecordAndTheByteOfALabelOutOfRange) {
  const std::string good = record(kFive, 'r', 'g', 'b');
  const std::string message = refusal10(good + good + record("\x0a", 'r', 'g', 'b'));
  EXPECT_NE(message.find("record 2 (byte 6146): label 10 is out of range; 0 to 9"),
            std::string::npos)
      << message;
  EXPECT_NE(refusal100(record("\x14\x05", 'r', 'g', 'b')).find("(byte 0): coarse label 20"),
            std::string::npos);
  EXPECT_NE(refusal100(record("\x05\x64", 'r', 'g', 'b')).find("(byte 1): fine label 100"),
            std::string::npos);
}

// Expected: NumPy 1.24.2, numpy.fromfile(path, "uint8").reshape(-1, 3073), of the distributed
// files.
TEST(CifarFiles, AreReadAsNumpyReadsThem) {
  const char* const given = std::getenv("KNOCKOUT_SHARED_DATA");
  const fs::path folder =
      fs::path(given != nullptr ? given : KNOCKOUT_SOURCE_DIR "/../shared/data") / "cifar10";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no CIFAR-10 in " << folder;
  const CifarImages train = read_cifar10({folder / "data_batch_1.bin"});
  const CifarImages test = read_cifar10({folder / "test_batch.bin"});
  const auto count_labels = [](const CifarImages& images) {
    std::vector<int> counts(10);
    for (const std::uint8_t label : images.labels) ++counts[label];
    return counts;
  };
  const auto sum = [](const Bytes& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  };
  EXPECT_EQ(count_labels(train),
            (std::vector<int>{1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981}));
  EXPECT_EQ(count_labels(test), std::vector<int>(10, 1000));
  EXPECT_EQ(sum(train.pixels), 3'718'380'578U);
  EXPECT_EQ(sum(test.pixels), 3'733'375'634U);
  EXPECT_EQ(train.labels.front(), 6);
  EXPECT_EQ(Bytes(train.pixels.begin(), train.pixels.begin() + 3), (Bytes{59, 43, 50}));
  EXPECT_EQ(test.labels.back(), 7);
  EXPECT_EQ(test.pixels.back(), 26);
}

}  // namespace
}  // namespace knockout
