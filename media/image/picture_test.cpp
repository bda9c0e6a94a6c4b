// SPDX-License-Identifier: Apache-2.0
#include "media/image/picture.h"

#include <gtest/gtest.h>
#include <png.h>
#include <turbojpeg.h>
#include <unistd.h>

#include <filesystem>

#include "knockout/base/error.h"
#include "knockout/base/random.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using Bytes = std::vector<std::uint8_t>;

std::string from_hexadecimal(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// Pictures of 2 x 2 pixels written by Pillow 9.4.0, with what its .convert("RGB") gives.
constexpr std::string_view kGreyJpeg =
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c19"
    "12130f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc0000b08"
    "0002000201011100ffc40014000100000000000000000000000000000007ffc4001c10000202020300000000000000"
    "00000000010204050015212291ffda0008010100003f0022de5ba744b49aaabc002438007b9fffd9";
const Bytes kGreyRgb = {96, 96, 96, 129, 129, 129, 11, 11, 11, 23, 23, 23};

constexpr std::string_view kCmykJpeg =
    "ffd8ffee000e41646f626500640000000000ffdb004300080606070605080707070909080a0c140d0c0b0b0c191213"
    "0f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc00014080002"
    "0002044311004d11005911004b1100ffc40014000100000000000000000000000000000007ffc4001d100002020203"
    "010000000000000000000001030204000605112141ffda000e0443004d0059004b00003f000b6b596dd3b3659373db"
    "22c635923294e47d3224fa493ef78555370d9ab52457afb1f2ea4a97182d6bbac8c61103a00012e8003e6196dd4aa5"
    "6dcf9d422aa5495721620b5ad6231844324000078001f31ff3ffd9";
const Bytes kCmykRgb = {247, 7, 3, 17, 237, 0, 15, 0, 244, 0, 46, 55};

constexpr std::string_view kTransparentPng =
    "89504e470d0a1a0a0000000d494844520000000200000002080600000072b60d240000001649444154789c63f8cfc0"
    "c0c0f09f01427289c8310000238f033adb9b893c0000000049454e44ae426082";
const Bytes kTransparentRgb = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30};

// 4 x 2 pixels of 16 bits: 0, 255, 256, 257, 32767, 32768, 65534, 65535.
constexpr std::string_view kSixteenBitPng =
    "89504e470d0a1a0a0000000d49484452000000040000000210000000000a53fefc0000001949444154789c05c18101"
    "000004c0a075b9cf515527cc319b071e2204022816b5d70000000049454e44ae426082";

Picture decode(std::string_view bytes) { return decode_picture(bytes, "x.jpg"); }

std::string refusal(std::string_view bytes) {
  try {
    decode(bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "it was accepted";
}

Picture gradient(int width, int height) {
  Picture picture{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const int value : {x * 3, y * 5, (x + y) * 2}) {
        picture.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return picture;
}

std::string compress(const Picture& picture, int flags) {
  tjhandle jpeg = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  EXPECT_EQ(tjCompress2(jpeg, picture.rgb.data(), picture.width, 0, picture.height, TJPF_RGB,
                        &bytes, &count, TJSAMP_420, 90, flags),
            0);
  std::string copy(reinterpret_cast<const char*>(bytes), count);
  tjFree(bytes);
  tjDestroy(jpeg);
  return copy;
}

class PictureFile : public ::testing::Test {
 protected:
  ~PictureFile() override { fs::remove(path_); }

  std::string path_ =
      (fs::temp_directory_path() / ("knockout_picture_" + std::to_string(::getpid()))).string();
};

TEST_F(PictureFile, WrittenAsPngIsReadBackExactly) {
  const Picture picture = gradient(17, 9);
  write_png(picture, path_);
  const Picture again = read_picture(path_);
  EXPECT_EQ(again.width, 17);
  EXPECT_EQ(again.height, 9);
  EXPECT_EQ(again.rgb, picture.rgb);
}

TEST_F(PictureFile, WrittenAsJpegIsReadBackNearly) {
  const Picture picture = gradient(40, 24);
  write_jpeg(picture, path_, 95);
  const Picture again = read_picture(path_);
  ASSERT_EQ(again.rgb.size(), picture.rgb.size());
  EXPECT_EQ(again.width, 40);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) {
    ASSERT_NEAR(again.rgb[i], picture.rgb[i], 6) << i;
  }
}

TEST_F(PictureFile, ThatIsMissingIsAFileErrorWithItsPath) {
  try {
    read_picture(path_);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find(path_), std::string::npos);
  }
}

TEST(DecodePicture, GivesPillowsColoursForGreyAndCmykJpeg) {
  EXPECT_EQ(decode(from_hexadecimal(kGreyJpeg)).rgb, kGreyRgb);
  EXPECT_EQ(decode(from_hexadecimal(kCmykJpeg)).rgb, kCmykRgb);
}

TEST(DecodePicture, GivesTheSamePixelsForBaselineAndProgressiveJpeg) {
  const Picture picture = gradient(50, 30);
  const std::string progressive = compress(picture, TJFLAG_PROGRESSIVE);
  ASSERT_NE(progressive.find("\xff\xc2"sv), std::string::npos) << "not progressive";
  EXPECT_EQ(decode(progressive).rgb, decode(compress(picture, 0)).rgb);
}

TEST(DecodePicture, DropsTheAlphaOfAPngAndKeepsItsColours) {
  EXPECT_EQ(decode(from_hexadecimal(kTransparentPng)).rgb, kTransparentRgb);
}

TEST(DecodePicture, ScalesSixteenBitsToEight) {
  const Picture picture = decode(from_hexadecimal(kSixteenBitPng));
  Bytes red;  // v / 257, rounded
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) red.push_back(picture.rgb[i]);
  EXPECT_EQ(red, (Bytes{0, 1, 1, 1, 127, 128, 255, 255}));
}

TEST(DecodePicture, LooksUpThePaletteOfAPng) {
  const Bytes palette = {1, 2, 3, 255, 200, 100, 50, 0, 9, 8, 7, 128};  // RGBA
  const Bytes indices = {2, 1, 0, 1};
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = 4;
  png.height = 1;
  png.format = PNG_FORMAT_RGBA_COLORMAP;
  png.colormap_entries = 3;
  Bytes bytes(1000);
  png_alloc_size_t count = bytes.size();
  ASSERT_TRUE(
      png_image_write_to_memory(&png, bytes.data(), &count, 0, indices.data(), 0, palette.data()));
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), count);
  EXPECT_EQ(decode(file).rgb, (Bytes{9, 8, 7, 200, 100, 50, 1, 2, 3, 200, 100, 50}));
}

TEST(DecodePicture, SaysWhatAFileThatIsNoPictureLooksLike) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "the file is empty"},
      {"GIF89a...", "a GIF"},
      {"RIFF\1\2\3\4WEBPVP8 ", "a WebP picture"},
      {"\r\n <!DOCTYPE HTML PUBLIC>", "an HTML page"},
      {"\xef\xbb\xbf<html lang=en>", "an HTML page"},
      {"\0\0\0\0"sv, "nothing but zero bytes"},
      {"\x12\x34", "beginning with the bytes 12 34"},
      {"\xff\xd8", "beginning with the bytes ff d8"},
      {"BM1234", "a BMP picture"},
  };
  for (const auto& [bytes, expected] : cases) {
    const std::string message = refusal(bytes);
    EXPECT_TRUE(message.starts_with("x.jpg: ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

TEST(DecodePicture, RefusesATruncatedJpegWhereverItEnds) {
  const std::string whole = compress(gradient(50, 30), 0);
  for (std::size_t length = 3; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)).find("truncated"), std::string::npos) << length;
  }
}

TEST(DecodePicture, RefusesAJpegWhosePixelsEndTooEarly) {
  const std::string whole = compress(gradient(50, 30), 0);
  const std::string message = refusal(whole.substr(0, whole.size() - 60) + "\xff\xd9");
  EXPECT_NE(message.find("truncated or damaged"), std::string::npos) << message;
}

TEST(DecodePicture, AcceptsStrayBytesAfterTheDataOfAJpeg) {
  const std::string whole = compress(gradient(50, 30), 0);
  const Picture expected = decode(whole);
  EXPECT_EQ(decode(whole + "<!-- served by a web server -->").rgb, expected.rgb);
  const std::string_view before_end = std::string_view(whole).substr(0, whole.size() - 2);
  EXPECT_EQ(decode(std::string(before_end) + std::string(5, '\0') + "\xff\xd9").rgb, expected.rgb);
}

TEST(DecodePicture, RefusesATruncatedPng) {
  const std::string whole = from_hexadecimal(kTransparentPng);
  for (std::size_t length = 8; length < whole.size() - 16; ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)).find("truncated"), std::string::npos) << length;
  }
}

TEST(DecodePicture, RefusesAnAbsurdSize) {
  std::string jpeg = compress(gradient(50, 30), 0);
  const std::size_t frame = jpeg.find("\xff\xc0"sv);
  jpeg.replace(frame + 5, 4, "\xf0\x00\xf0\x00"sv);
  const std::string message = refusal(jpeg);
  EXPECT_NE(message.find("61440 x 61440 pixels; at most 100,000,000"), std::string::npos)
      << message;
}

TEST(DecodePicture, GivesAWholePictureOrARefusalForDamagedBytes) {
  const Random random(1, Stream::kSimulation);
  const std::string originals[] = {compress(gradient(20, 20), 0),
                                   compress(gradient(20, 20), TJFLAG_PROGRESSIVE),
                                   from_hexadecimal(kTransparentPng), from_hexadecimal(kCmykJpeg)};
  int refused = 0;
  for (std::uint32_t trial = 0; trial < 2000; ++trial) {
    std::string bytes = originals[trial % 4];
    for (std::uint32_t change = 0; change < 1 + trial % 3; ++change) {
      const auto size = static_cast<std::uint32_t>(bytes.size());
      bytes[random.below(size, change, trial, 0)] =
          static_cast<char>(random.below(256, change, trial, 1));
    }
    try {
      const Picture picture = decode(bytes);
      ASSERT_EQ(picture.rgb.size(), std::size_t(picture.width) * std::size_t(picture.height) * 3);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace knockout
