// SPDX-License-Identifier: Apache-2.0
#include "media/volume/meta_image.h"

#include <cmath>
#include <cstdint>

#include "media/volume/byte_stream.h"
#include "media/volume/nifti.h"
#include "media/volume/test_files.h"

namespace knockout {
namespace {

const std::string kHeader = "ObjectType = Image\nNDims = 3\nDimSize = 3 2 1\n";
const std::string kLocal = "ElementDataFile = LOCAL\n";
const std::vector<float> kOneToSix = {1, 2, 3, 4, 5, 6};

class MetaImageTest : public FilesTest {
 protected:
  Volume read(const std::string& bytes) const {
    return read_meta_image(write("volume.mha", bytes));
  }
  std::string refusal(const std::string& bytes) const {
    const std::string message = data_error_of([&] { read(bytes); });
    EXPECT_TRUE(message.starts_with(path("volume.mha") + ": ")) << message;
    return message;
  }
  /// A small valid file with `lines` before its last one.
  static std::string with(const std::string& lines, const std::string& data = kSixBytes) {
    return kHeader + "ElementType = MET_UCHAR\n" + lines + kLocal + data;
  }
};

TEST_F(MetaImageTest, ReadsEveryTypeInEitherByteOrder) {
  for (const char* order : {"", "BinaryDataByteOrderMSB = False\n", "ElementByteOrderMSB = True\n",
                            "BinaryDataByteOrderMSB = True\n"}) {
    const bool big_endian = contains(order, "True");
    const auto check = [&]<typename T>(const std::string& name, T lowest) {
      const std::string lines = kHeader + order + "ElementType = " + name + "\n" + kLocal;
      EXPECT_EQ(read(lines + raw<T>({lowest, 2, 3, 4, 5, 100}, big_endian)).voxels,
                (std::vector<float>{static_cast<float>(lowest), 2, 3, 4, 5, 100}))
          << order << name;
    };
    check("MET_UCHAR", std::uint8_t{255});
    check("MET_CHAR", std::int8_t{-128});
    check("MET_USHORT", std::uint16_t{65535});
    check("MET_SHORT", std::int16_t{-32768});
    check("MET_UINT", std::uint32_t{4000000000});
    check("MET_INT", std::int32_t{-2000000000});
    check("MET_ULONG", std::uint32_t{4000000000});
    check("MET_LONG", std::int32_t{-2000000000});
    check("MET_ULONG_LONG", std::uint64_t{10000000000000000000U});
    check("MET_LONG_LONG", std::int64_t{-5000000000});
    check("MET_FLOAT", -1.5F);
    check("MET_DOUBLE", -2.5e10);
  }
}

TEST_F(MetaImageTest, ReadsZlibAndSeparateFiles) {
  const std::string packed = compress_bytes(kSixBytes, Packing::kZlib);
  EXPECT_EQ(read(with("CompressedData = True\n", packed)).voxels, kOneToSix);
  const auto separate = [&](const std::string& lines, const std::string& name) {
    return read_meta_image(write("volume.mhd", kHeader + "ElementType = MET_UCHAR\n" + lines +
                                                   "ElementDataFile = " + name + "\n"));
  };
  write("data.raw", kSixBytes);
  write("with a blank.zraw", packed);
  EXPECT_EQ(separate("", "data.raw").voxels, kOneToSix);
  EXPECT_EQ(separate("CompressedData = True\n", "with a blank.zraw").voxels, kOneToSix);
  EXPECT_THROW(separate("", "absent.raw"), FileError);
  EXPECT_THROW(read_meta_image(path("absent.mha")), FileError);
}

TEST_F(MetaImageTest, SkipsTheHeaderOfTheDataFile) {
  write("data.raw", "12345" + kSixBytes);
  const auto skipping = [&](const std::string& lines) {
    return read_meta_image(write("volume.mhd", kHeader + "ElementType = MET_UCHAR\n" + lines +
                                                   "ElementDataFile = data.raw\n"));
  };
  EXPECT_EQ(skipping("HeaderSize = 5\n").voxels, kOneToSix);
  EXPECT_EQ(skipping("HeaderSize = -1\n").voxels, kOneToSix);
  EXPECT_THROW(skipping("HeaderSize = 4\n"), DataError);
  EXPECT_THROW(skipping("HeaderSize = 6\n"), DataError);
  EXPECT_THROW(skipping("HeaderSize = 600\n"), DataError);
  EXPECT_THROW(skipping("HeaderSize = -2\n"), DataError);
  EXPECT_THROW(skipping("HeaderSize = -1\nCompressedData = True\n"), DataError);
}

TEST_F(MetaImageTest, ToleratesWindowsLineEndsAndUnknownFields) {
  std::string lines = with("Comment = a = b\nColor = 1 0 0 1\n\n", "");
  std::string windows;
  for (const char c : lines) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(windows + kSixBytes).voxels, kOneToSix);
}

TEST_F(MetaImageTest, TurnsLpsIntoRasAndTakesRowsAsAxes) {
  const std::string matrix =
      " = 0 1 0 0 0 1 1 0 0\n";  // x runs along world y, y along z, z along x
  for (const char* name : {"TransformMatrix", "Orientation", "Rotation"}) {
    for (const char* origin : {"Offset", "Position", "Origin"}) {
      const Volume volume =
          read(with(std::string(name) + matrix + origin + " = 10 20 30\nElementSpacing = 2 3 4\n"));
      expect_near(volume.to_world, {{{0, 0, -4, -10}, {-2, 0, 0, -20}, {0, 3, 0, 30}}}, 0);
    }
  }
}

TEST_F(MetaImageTest, TakesElementSizeForAMissingSpacing) {
  EXPECT_EQ(spacing(read(with("ElementSize = 2 3 4\n")).to_world), (Point{2, 3, 4}));
  EXPECT_EQ(spacing(read(with("ElementSize = 2 3 4\nElementSpacing = 5 6 7\n")).to_world),
            (Point{5, 6, 7}));
  EXPECT_EQ(spacing(read(with("")).to_world), (Point{1, 1, 1}));
}

TEST_F(MetaImageTest, MakesAPictureOneSlice) {
  const Volume volume = read(
      "NDims = 2\nDimSize = 3 2\nElementType = MET_UCHAR\nTransformMatrix = 0 1 -1 0\nOffset = 5 "
      "6\nElementSpacing = 2 3\n" +
      kLocal + kSixBytes);
  EXPECT_EQ(volume.size, (VolumeSize{3, 2, 1}));
  EXPECT_EQ(volume.voxels, kOneToSix);
  expect_near(volume.to_world, {{{0, 3, 0, -5}, {-2, 0, 0, -6}, {0, 0, 1, 0}}}, 0);
}

TEST_F(MetaImageTest, RefusesWhatIsNotOneNumberPerVoxelWithTheReason) {
  EXPECT_TRUE(contains(refusal(with("ElementNumberOfChannels = 2\n")), "2 numbers per voxel"));
  EXPECT_EQ(read(with("ElementNumberOfChannels = 1\n")).voxels, kOneToSix);
  EXPECT_TRUE(contains(refusal("NDims = 4\nDimSize = 3 2 1 1\nElementType = MET_UCHAR\n" + kLocal),
                       "4 dimensions"));
  EXPECT_TRUE(contains(refusal(with("BinaryData = False\n")), "as text"));
  EXPECT_TRUE(contains(refusal(with("ObjectType = Tube\n")), "Tube"));
  for (const char* name : {"LIST", "slice%03d.raw 1 10 1"}) {
    const std::string message = refusal(
        kHeader + "ElementType = MET_UCHAR\nElementDataFile = " + name + "\n" + "a.raw\nb.raw\n");
    EXPECT_TRUE(contains(message, "separate files")) << message;
  }
  EXPECT_TRUE(contains(refusal(kHeader + "ElementType = MET_STRING\n" + kLocal), "MET_STRING"));
}

TEST_F(MetaImageTest, RefusesFieldsThatMakeNoSense) {
  EXPECT_TRUE(contains(refusal(with("DimSize = 3 2\n")), "DimSize = \"3 2\""));
  EXPECT_TRUE(contains(refusal(with("DimSize = 3 2 1 1\n")), "is not 3 integers"));
  EXPECT_TRUE(contains(refusal(with("DimSize = 3 2 x\n")), "is not 3 integers"));
  EXPECT_TRUE(contains(refusal(with("DimSize = 3 2 -1\n")), "at least 1"));
  EXPECT_TRUE(contains(refusal(with("DimSize = 99999 99999 99999\n")), "at most"));
  EXPECT_TRUE(contains(refusal(with("DimSize = 3 2 99999999999999999999\n")), "is not 3 integers"));
  EXPECT_TRUE(contains(refusal(with("DimSize = 1000 1000 1000\n")), "found 6"));
  EXPECT_TRUE(contains(refusal(with("DimSize = 1000 1000 1000\nCompressedData = True\n")),
                       "take 1,000,000,000 bytes"));
  EXPECT_TRUE(contains(refusal(with("ElementSpacing = 1 0 1\n")), "apart"));
  EXPECT_TRUE(contains(refusal(with("ElementSpacing = 1 nan 1\n")), "apart"));
  EXPECT_TRUE(contains(refusal(with("Offset = 1 inf 1\n")), "nowhere"));
  EXPECT_TRUE(contains(refusal(with("TransformMatrix = 1 0 0 0 1 0 0 0 0\n")), "one plane"));
  EXPECT_TRUE(contains(refusal("NDims = 3\nElementType = MET_UCHAR\n" + kLocal), "no DimSize"));
  EXPECT_TRUE(contains(refusal(""), "not a MetaImage"));
  EXPECT_TRUE(contains(refusal("some other text\n"), "not a MetaImage"));
  EXPECT_TRUE(contains(refusal(std::string(100000, '\n')), "not a MetaImage"));
}

TEST_F(MetaImageTest, SaysHowManyBytesWereExpectedAndFound) {
  EXPECT_TRUE(contains(refusal(with("", kSixBytes + "123456789012")), "take 6 bytes, found 18"));
  EXPECT_TRUE(contains(refusal(with("", "12345")), "take 6 bytes, found 5"));
  const auto packed = [](const std::string& data) {
    return with("CompressedData = True\n", compress_bytes(data, Packing::kZlib));
  };
  EXPECT_TRUE(contains(refusal(packed("12345")), "take 6 bytes, found 5"));
  EXPECT_TRUE(contains(refusal(packed("1234567")), "take 6 bytes, found more"));
  EXPECT_TRUE(contains(refusal(packed("123456") + "xy"), "2 bytes surplus"));
}

TEST_F(MetaImageTest, RefusesEveryTruncation) {
  for (const std::string& whole :
       {with(""), with("CompressedData = True\n", compress_bytes(kSixBytes, Packing::kZlib))}) {
    ASSERT_EQ(read(whole).voxels, kOneToSix);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write("volume.mha", whole.substr(0, size));
      // A name of a data file that was cut, "LOCA", is a file that does not exist.
      EXPECT_THROW(read_meta_image(path("volume.mha")), Error) << size;
    }
  }
}

TEST_F(MetaImageTest, FlippedBytesGiveAVolumeOrAnError) {
  const std::string whole = with(
      "ElementSpacing = 1 2 3\nOffset = 1 2 3\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n"
      "CompressedData = True\nBinaryDataByteOrderMSB = False\nHeaderSize = 0\n",
      compress_bytes(kSixBytes, Packing::kZlib));
  EXPECT_GT(count_refused(whole, whole.size(), {0x01, 0x04, 0x80, 0xff},
                          [&](const std::string& damaged) { return read(damaged); }),
            100);
}

TEST_F(MetaImageTest, InfoNeedsNoVoxels) {
  const VolumeInfo info = read_meta_image_info(write("header.mha", with("Offset = 1 2 3\n", "")));
  EXPECT_EQ(info.size, (VolumeSize{3, 2, 1}));
  EXPECT_EQ(info.frames, 1);
  expect_near(info.to_world, {{{-1, 0, 0, -1}, {0, -1, 0, -2}, {0, 0, 1, 3}}}, 0);
}

TEST_F(MetaImageTest, ReadsBackWhatItWrites) {
  const Volume volume = sample_volume();
  for (const bool compressed : {false, true}) {
    for (const VoxelType type : {VoxelType::kFloat32, VoxelType::kInt16, VoxelType::kUint16,
                                 VoxelType::kUint8, VoxelType::kFloat64}) {
      write_meta_image(volume, path("a.mha"), type, compressed);
      const Volume again = read_meta_image(path("a.mha"));
      EXPECT_EQ(again.size, volume.size);
      EXPECT_EQ(again.voxels, volume.voxels);
      expect_near(again.to_world, volume.to_world, 1e-14);
    }
  }
  EXPECT_THROW(write_meta_image(volume, path("a.mhd"), VoxelType::kUint8, false), ConfigError);
}

TEST_F(MetaImageTest, PlacesAVoxelWhereNiftiPlacesIt) {
  // The same grid described twice by hand: NIfTI's sform in RAS, MetaImage's axes in LPS. In closed
  // form, x steps 2 mm to the right, y 3 mm to the head, z 4 mm to the back, from (5, 6, 7).
  const Affine ras = {{{2, 0, 0, 5}, {0, 0, -4, 6}, {0, 3, 0, 7}}};
  const Volume meta = read(
      with("TransformMatrix = -1 0 0 0 0 1 0 1 0\nOffset = -5 -6 7\nElementSpacing = 2 3 4\n"));
  Volume volume{{3, 2, 1}, ras, kOneToSix};
  write_nifti(volume, path("same.nii"), VoxelType::kUint8);
  const Volume nifti = read_nifti(path("same.nii"));
  EXPECT_EQ(transform(meta.to_world, {1, 2, 3}), (Point{7, -6, 13}));
  EXPECT_EQ(transform(nifti.to_world, {1, 2, 3}), (Point{7, -6, 13}));
  EXPECT_EQ(meta.voxels, nifti.voxels);
}

}  // namespace
}  // namespace knockout
