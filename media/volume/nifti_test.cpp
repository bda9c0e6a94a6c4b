// SPDX-License-Identifier: Apache-2.0
#include "media/volume/nifti.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "media/volume/byte_stream.h"
#include "media/volume/test_files.h"

namespace knockout {
namespace {

/// A NIfTI header by the byte offsets of its specification, in either version and byte order.
struct HeaderBytes {
  int version = 1;
  bool big_endian = false;
  std::string bytes;

  explicit HeaderBytes(int the_version = 1, bool the_big_endian = false)
      : version(the_version),
        big_endian(the_big_endian),
        bytes(the_version == 1 ? 352 : 544, '\0') {
    put<std::int32_t>(0, version == 1 ? 348 : 540);
    if (version == 1) {
      bytes.replace(344, 4, std::string("n+1\0", 4));
      put<float>(108, 352);
    } else {
      bytes.replace(4, 8, std::string("n+2\0\r\n\x1a\n", 8));
      put<std::int64_t>(168, 544);
    }
    dimensions({3, 2, 1});
  }

  template <typename T>
  HeaderBytes& put(std::size_t offset, T value) {
    bytes.replace(offset, sizeof(T), raw<T>({value}, big_endian));
    return *this;
  }
  /// A real number, which has 4 bytes in version 1 and 8 in version 2.
  HeaderBytes& put_real(std::size_t offset1, std::size_t offset2, std::size_t index, double value) {
    if (version == 1) return put<float>(offset1 + 4 * index, static_cast<float>(value));
    return put<double>(offset2 + 8 * index, value);
  }
  HeaderBytes& dimensions(const std::vector<std::int64_t>& extents) {
    for (std::size_t d = 0; d <= extents.size(); ++d) {
      const auto value = d == 0 ? static_cast<std::int64_t>(extents.size()) : extents[d - 1];
      if (version == 1) put<std::int16_t>(40 + 2 * d, static_cast<std::int16_t>(value));
      if (version == 2) put<std::int64_t>(16 + 8 * d, value);
    }
    return *this;
  }
  HeaderBytes& type(int code) {
    return put<std::int16_t>(version == 1 ? 70 : 12, static_cast<std::int16_t>(code));
  }
  HeaderBytes& pixdim(std::size_t index, double value) { return put_real(76, 104, index, value); }
  HeaderBytes& slope(double value) { return put_real(112, 176, 0, value); }
  HeaderBytes& intercept(double value) { return put_real(116, 184, 0, value); }
  HeaderBytes& code(bool sform, int value) {
    if (version == 1) return put<std::int16_t>(sform ? 254 : 252, static_cast<std::int16_t>(value));
    return put<std::int32_t>(sform ? 348 : 344, value);
  }
  HeaderBytes& quaternion(std::size_t index, double value) {  // b, c, d, then the three offsets
    return put_real(256, 352, index, value);
  }
  HeaderBytes& sform(const Affine& affine) {
    for (std::size_t i = 0; i < 12; ++i) put_real(280, 400, i, affine[i / 4][i % 4]);
    return code(true, 1);
  }
  HeaderBytes& units(int value) {
    if (version == 1) return put<char>(123, static_cast<char>(value));
    return put<std::int32_t>(500, value);
  }
};

class NiftiTest : public FilesTest {
 protected:
  Volume read(const std::string& bytes) const { return read_nifti(write("volume.nii", bytes)); }
  std::string refusal(const std::string& bytes) const {
    const std::string message = data_error_of([&] { read(bytes); });
    EXPECT_TRUE(message.starts_with(path("volume.nii") + ": ")) << message;
    return message;
  }
};

TEST_F(NiftiTest, ReadsEveryTypeVersionAndByteOrder) {
  for (const int version : {1, 2}) {
    for (const bool big_endian : {false, true}) {
      const auto check = [&]<typename T>(int code, T lowest) {
        HeaderBytes header(version, big_endian);
        const std::string data = raw<T>({lowest, 2, 3, 4, 5, 100}, big_endian);
        const Volume volume = read(header.type(code).bytes + data);
        EXPECT_EQ(volume.size, (VolumeSize{3, 2, 1}));
        EXPECT_EQ(volume.voxels, (std::vector<float>{static_cast<float>(lowest), 2, 3, 4, 5, 100}))
            << "version " << version << ", type " << code;
      };
      check(2, std::uint8_t{255});
      check(256, std::int8_t{-128});
      check(4, std::int16_t{-32768});
      check(512, std::uint16_t{65535});
      check(8, std::int32_t{-2000000000});
      check(768, std::uint32_t{4000000000});
      check(1024, std::int64_t{-5000000000});
      check(1280, std::uint64_t{10000000000000000000U});
      check(16, -1.5F);
      check(64, -2.5e10);
    }
  }
}

TEST_F(NiftiTest, AppliesSlopeAndInterceptUnlessTheSlopeIsZeroOrNotANumber) {
  for (const int version : {1, 2}) {
    HeaderBytes header(version);
    header.type(2).slope(0.5).intercept(-3);
    EXPECT_EQ(read(header.bytes + kSixBytes).voxels,
              (std::vector<float>{-2.5, -2, -1.5, -1, -0.5, 0}));
    for (const double none : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
      header.slope(none);
      EXPECT_EQ(read(header.bytes + kSixBytes).voxels, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    }
    header.slope(2).intercept(std::numeric_limits<double>::infinity());
    EXPECT_TRUE(contains(refusal(header.bytes + kSixBytes), "intercept"));
  }
}

TEST_F(NiftiTest, CountsNanAndInfinityAsZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  HeaderBytes header;
  EXPECT_EQ(read(header.type(16).bytes +
                 raw<float>({std::nanf(""), infinity, -infinity, 1, -0.5F, 3e38F}))
                .voxels,
            (std::vector<float>{0, 0, 0, 1, -0.5F, 3e38F}));
}

TEST_F(NiftiTest, SkipsHeaderExtensions) {
  HeaderBytes header;
  header.type(2).put<float>(108, 384);
  header.bytes[348] = 1;
  header.bytes += raw<std::int32_t>({32, 6}) + std::string(24, 'x');
  EXPECT_EQ(read(header.bytes + kSixBytes).voxels, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NiftiTest, TakesAnUnsetOffsetAsTheUsualOne) {
  HeaderBytes header;
  header.type(2).put<float>(108, 0);
  EXPECT_EQ(read(header.bytes + kSixBytes).voxels.front(), 1);
  for (const float wrong : {100.0F, -352.0F, std::nanf(""), 1e20F}) {
    header.put<float>(108, wrong);
    EXPECT_TRUE(contains(refusal(header.bytes + kSixBytes), "begin at byte")) << wrong;
  }
}

TEST_F(NiftiTest, ReadsGzipWhateverTheNameSays) {
  HeaderBytes header;
  const std::string packed = compress_bytes(header.type(2).bytes + kSixBytes, Packing::kGzip);
  EXPECT_EQ(read(packed).voxels, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read_nifti(write("plain.nii.gz", header.bytes + kSixBytes)).voxels.back(), 6);
  // Two gzip files after each other unpack to one, as gzip itself does.
  const std::string whole = header.bytes + kSixBytes;
  EXPECT_EQ(read(compress_bytes(whole.substr(0, 355), Packing::kGzip) +
                 compress_bytes(whole.substr(355), Packing::kGzip))
                .voxels,
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NiftiTest, ReadsHeaderAndImageInTwoFiles) {
  HeaderBytes header;
  header.type(2).put<float>(108, 0).bytes.replace(344, 3, "ni1");
  const std::string packed = compress_bytes(kSixBytes, Packing::kGzip);
  write("a.hdr", header.bytes.substr(0, 348));
  write("a.img", kSixBytes);
  write("b.hdr.gz", compress_bytes(header.bytes, Packing::kGzip));
  write("b.img.gz", packed);
  for (const char* name : {"a.hdr", "a.img", "b.hdr.gz", "b.img.gz"}) {
    EXPECT_EQ(read_nifti(path(name)).voxels, (std::vector<float>{1, 2, 3, 4, 5, 6})) << name;
  }
  EXPECT_TRUE(contains(refusal(header.bytes + kSixBytes), ".img"));
  write("c.hdr", header.bytes);
  EXPECT_THROW(read_nifti(path("c.hdr")), FileError);
}

TEST_F(NiftiTest, PrefersSformToQformToSpacing) {
  for (const int version : {1, 2}) {
    HeaderBytes header(version, version == 2);
    header.type(2).pixdim(1, 2).pixdim(2, 3).pixdim(3, 4);
    expect_near(read(header.bytes + kSixBytes).to_world,
                {{{2, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 4, 0}}}, 0);
    // A quarter turn about z takes x to y and y to -x; qfac -1 turns z over.
    header.code(false, 1).quaternion(2, std::sqrt(0.5)).pixdim(0, -1);
    header.quaternion(3, 10).quaternion(4, 20).quaternion(5, 30);
    expect_near(read(header.bytes + kSixBytes).to_world,
                {{{0, -3, 0, 10}, {2, 0, 0, 20}, {0, 0, -4, 30}}}, 1e-6);
    const Affine oblique = {{{-1.5, 0.25, 0, 10}, {0.5, 2, 0, -20}, {0, 0.125, 3, 30}}};
    header.sform(oblique);
    expect_near(read(header.bytes + kSixBytes).to_world, oblique, 0);
    header.code(true, 0);
    expect_near(read(header.bytes + kSixBytes).to_world,
                {{{0, -3, 0, 10}, {2, 0, 0, 20}, {0, 0, -4, 30}}}, 1e-6);
  }
}

TEST_F(NiftiTest, GivesMillimetresWhateverTheUnit) {
  HeaderBytes header;
  header.type(2).pixdim(1, 2).pixdim(2, 3).pixdim(3, 4);
  const auto step = [&](int units) {
    return read(header.units(units).bytes + kSixBytes).to_world[0][0];
  };
  EXPECT_NEAR(step(2 + 8), 2, 1e-12);      // millimetres and seconds
  EXPECT_NEAR(step(1), 2000, 1e-9);        // metres
  EXPECT_NEAR(step(3 + 8), 0.002, 1e-12);  // micrometres and seconds
}

TEST_F(NiftiTest, RefusesAnOrientationWithoutDepth) {
  HeaderBytes header;
  header.type(2).sform({{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}});
  EXPECT_TRUE(contains(refusal(header.bytes + kSixBytes), "sform"));
  HeaderBytes unknown;
  unknown.type(2).code(false, 1).quaternion(0, std::nan(""));
  EXPECT_TRUE(contains(refusal(unknown.bytes + kSixBytes), "qform"));
}

TEST_F(NiftiTest, RefusesSeveralVolumesUnlessOneIsChosen) {
  HeaderBytes header;
  header.type(2).dimensions({1, 2, 1, 3, 2});
  const std::string bytes =
      header.bytes + raw<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const std::string message = refusal(bytes);
  EXPECT_TRUE(contains(message, "6 volumes (1 x 2 x 1 x 3 x 2 voxels)")) << message;
  for (const std::int64_t frame : {0, 4, 5}) {
    const auto first = static_cast<float>(2 * frame);
    EXPECT_EQ(read_nifti(path("volume.nii"), {.frame = frame}).voxels,
              (std::vector<float>{first, first + 1}));
  }
  EXPECT_THROW(read_nifti(path("volume.nii"), {.frame = 6}), ConfigError);
  EXPECT_THROW(read_nifti(path("volume.nii"), {.frame = -1}), ConfigError);
  // The last frame is cut off, so that the first cannot be trusted either.
  write("cut.nii", bytes.substr(0, bytes.size() - 1));
  EXPECT_THROW(read_nifti(path("cut.nii"), {.frame = 0}), DataError);
}

TEST_F(NiftiTest, ReadsTrailingDimensionsOfOneAndPictures) {
  HeaderBytes header;
  EXPECT_EQ(read(header.type(2).dimensions({3, 2, 1, 1, 1}).bytes + kSixBytes).voxels.size(), 6U);
  EXPECT_EQ(read(header.dimensions({3, 2, 1, 0}).bytes + kSixBytes).voxels.size(), 6U);
  HeaderBytes picture;
  EXPECT_EQ(read(picture.type(2).dimensions({2, 3}).bytes + kSixBytes).size, (VolumeSize{2, 3, 1}));
}

TEST_F(NiftiTest, RefusesWhatIsNotOneNumberPerVoxel) {
  const auto with_type = [](int code) {
    HeaderBytes header;
    return header.type(code).bytes + std::string(300, '\1');
  };
  for (const int code : {32, 1792, 2048}) {
    EXPECT_TRUE(contains(refusal(with_type(code)), "complex")) << code;
  }
  for (const int code : {128, 2304}) EXPECT_TRUE(contains(refusal(with_type(code)), "colours"));
  EXPECT_TRUE(contains(refusal(with_type(1536)), "128 bits"));
  for (const int code : {0, 1, 77, -4}) {
    EXPECT_TRUE(contains(refusal(with_type(code)), "the data type")) << code;
  }
}

TEST_F(NiftiTest, RefusesAbsurdDimensionsBeforeTakingMemory) {
  HeaderBytes negative;
  EXPECT_TRUE(contains(refusal(negative.type(2).dimensions({3, -2, 1}).bytes), "at least 1"));
  HeaderBytes too_large;
  EXPECT_TRUE(contains(refusal(too_large.type(2).dimensions({32767, 32767, 32767}).bytes),
                       "at most 1,073,741,824"));
  HeaderBytes overflowing(2);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(contains(refusal(overflowing.type(64).dimensions({most, most, 4, most}).bytes),
                       "at most 1,073,741,824"));
  overflowing.dimensions({2, 1, 1, most, 2});
  EXPECT_TRUE(contains(refusal(overflowing.bytes), "at most"));
  // Possible sizes that the file cannot hold, not even compressed.
  HeaderBytes claim;
  claim.type(64).dimensions({1000, 1000, 1000});
  const std::string message = refusal(claim.bytes + kSixBytes);
  EXPECT_TRUE(contains(message, "take 8,000,000,000 bytes, found 6")) << message;
  EXPECT_TRUE(contains(refusal(compress_bytes(claim.bytes, Packing::kGzip)), "found at most"));
}

TEST_F(NiftiTest, RefusesOtherFilesAndTellsAnalyzeApart) {
  EXPECT_TRUE(contains(refusal(""), "not a NIfTI file"));
  EXPECT_TRUE(contains(refusal("PNG or whatever else"), "not a NIfTI file"));
  HeaderBytes analyze;
  analyze.type(2).bytes.replace(344, 4, 4, '\0');
  EXPECT_TRUE(contains(refusal(analyze.bytes + kSixBytes), "ANALYZE"));
  EXPECT_THROW(read_nifti(path("absent.nii")), FileError);
  EXPECT_THROW(read_nifti(folder_.string()), FileError);
}

TEST_F(NiftiTest, RefusesEveryTruncation) {
  for (const int version : {1, 2}) {
    HeaderBytes header(version);
    const std::string whole = header.type(4).bytes + raw<std::int16_t>({1, 2, 3, 4, 5, 6});
    const std::string packed = compress_bytes(whole, Packing::kGzip);
    ASSERT_EQ(read(whole).voxels.size(), 6U);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string message = refusal(whole.substr(0, size));
      EXPECT_TRUE(contains(message, "NIfTI") || contains(message, "ends") ||
                  contains(message, "cut off"))
          << size << message;
    }
    for (std::size_t size = 0; size < packed.size(); ++size) refusal(packed.substr(0, size));
  }
}

TEST_F(NiftiTest, FlippedBytesGiveAVolumeOrADataError) {
  for (const int version : {1, 2}) {
    HeaderBytes header(version);
    header.type(4).sform(kIdentityAffine).code(false, 1).slope(1);
    const std::string whole = header.bytes + raw<std::int16_t>({1, 2, 3, 4, 5, 6});
    EXPECT_GT(count_refused(whole, header.bytes.size(), {0x01, 0xff},
                            [&](const std::string& damaged) { return read(damaged); }),
              30);
  }
}

TEST_F(NiftiTest, NoticesADamagedBodyByItsChecksum) {
  HeaderBytes header;
  const std::string packed = compress_bytes(header.type(2).bytes + kSixBytes, Packing::kGzip);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    try {
      // Some bits mean nothing, and one run of zeros can be copied from several places.
      EXPECT_EQ(read(damaged).voxels, (std::vector<float>{1, 2, 3, 4, 5, 6})) << at;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, packed.size() / 2);
}

TEST_F(NiftiTest, IgnoresBytesAfterTheLastVoxel) {
  HeaderBytes header;
  EXPECT_EQ(read(header.type(2).bytes + kSixBytes + "padding").voxels.size(), 6U);
}

TEST_F(NiftiTest, InfoTellsSizeFramesAndAffineWithoutTheVoxels) {
  HeaderBytes header;
  header.type(2).dimensions({30, 20, 10, 5, 2}).pixdim(1, 2).pixdim(2, 3).pixdim(3, 4);
  const VolumeInfo info = read_nifti_info(write("header_only.nii", header.bytes));
  EXPECT_EQ(info.size, (VolumeSize{30, 20, 10}));
  EXPECT_EQ(info.frames, 10);
  expect_near(info.to_world, {{{2, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 4, 0}}}, 0);
}

TEST_F(NiftiTest, ReadsBackWhatItWrites) {
  const Volume volume = sample_volume();
  for (const char* name : {"a.nii", "a.nii.gz"}) {
    for (const VoxelType type : {VoxelType::kFloat32, VoxelType::kInt16, VoxelType::kUint8}) {
      write_nifti(volume, path(name), type);
      const Volume again = read_nifti(path(name));
      EXPECT_EQ(again.size, volume.size);
      EXPECT_EQ(again.to_world, volume.to_world);  // its numbers are exact as floats
      EXPECT_EQ(again.voxels, volume.voxels);
    }
  }
  EXPECT_TRUE(read_back("a.nii.gz").starts_with("\x1f\x8b"));
}

TEST_F(NiftiTest, ReadsTheMostCompressibleVolume) {
  // All zeros, as an empty mask: as close to the limit of deflate as a file comes.
  Volume mask{{128, 128, 64}, kIdentityAffine, std::vector<float>(128 * 128 * 64)};
  write_nifti(mask, path("mask.nii.gz"), VoxelType::kUint8);
  EXPECT_EQ(read_nifti(path("mask.nii.gz")).voxels, mask.voxels);
}

TEST_F(NiftiTest, WritesTheBytesOfTheSpecification) {
  Volume volume{{3, 2, 1}, {{{2, 0, 0, 10}, {0, 3, 0, 20}, {0, 0, 4, 30}}}, {1, 2, 3, 4, 5, 6}};
  write_nifti(volume, path("a.nii"), VoxelType::kInt16);
  HeaderBytes header;
  header.dimensions({3, 2, 1, 1, 1, 1, 1}).put<std::int16_t>(40, 3).type(4);
  header.put<std::int16_t>(72, 16).pixdim(0, 1).pixdim(1, 2).pixdim(2, 3).pixdim(3, 4);
  header.slope(1).units(2).put<char>(38, 'r').sform(volume.to_world);
  EXPECT_EQ(read_back("a.nii"), header.bytes + raw<std::int16_t>({1, 2, 3, 4, 5, 6}));
}

TEST_F(NiftiTest, RoundsIntegersAndRefusesWhatDoesNotFit) {
  Volume volume{{3, 1, 1}, kIdentityAffine, {0.4F, 254.6F, -0.4F}};
  write_nifti(volume, path("a.nii"), VoxelType::kUint8);
  EXPECT_EQ(read_nifti(path("a.nii")).voxels, (std::vector<float>{0, 255, 0}));
  for (const float wrong : {256.0F, -1.0F, std::nanf("")}) {
    volume.voxels[1] = wrong;
    const std::string message =
        data_error_of([&] { write_nifti(volume, path("b.nii"), VoxelType::kUint8); });
    EXPECT_TRUE(contains(message, "b.nii: voxel 1 is")) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(path("b.nii")));
}

TEST_F(NiftiTest, RefusesToWriteOtherNamesAndLongerAxes) {
  Volume volume{{32768, 1, 1}, kIdentityAffine, std::vector<float>(32768)};
  EXPECT_THROW(write_nifti(volume, path("a.nii"), VoxelType::kUint8), DataError);
  EXPECT_THROW(write_nifti(sample_volume(), path("a.img"), VoxelType::kUint8), ConfigError);
  EXPECT_THROW(write_nifti(sample_volume(), path("no/a.nii"), VoxelType::kUint8), FileError);
}

}  // namespace
}  // namespace knockout
