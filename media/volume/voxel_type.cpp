// SPDX-License-Identifier: Apache-2.0
#include "media/volume/voxel_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "knockout/base/wording.h"
#include "media/volume/volume_error.h"

namespace knockout {
namespace {

constexpr std::size_t kPieceVoxels = std::size_t{1} << 16;
// 4 GiB as floats: six times the largest scanner's 512 x 512 x 600.
constexpr std::uint64_t kMostVoxels = std::uint64_t{1} << 30;

/// Calls `action` with a value of the C++ type that `type` names.
template <typename Action>
auto with_type(VoxelType type, Action action) {
  switch (type) {
    case VoxelType::kUint8:
      return action(std::uint8_t{});
    case VoxelType::kInt8:
      return action(std::int8_t{});
    case VoxelType::kUint16:
      return action(std::uint16_t{});
    case VoxelType::kInt16:
      return action(std::int16_t{});
    case VoxelType::kUint32:
      return action(std::uint32_t{});
    case VoxelType::kInt32:
      return action(std::int32_t{});
    case VoxelType::kUint64:
      return action(std::uint64_t{});
    case VoxelType::kInt64:
      return action(std::int64_t{});
    case VoxelType::kFloat32:
      return action(float{});
    case VoxelType::kFloat64:
      break;
  }
  return action(double{});
}

template <std::size_t kSize>
void reverse_bytes(unsigned char* bytes) {
  if constexpr (kSize == 2) {
    std::uint16_t word;
    std::memcpy(&word, bytes, 2);
    word = __builtin_bswap16(word);
    std::memcpy(bytes, &word, 2);
  } else if constexpr (kSize == 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes, 4);
    word = __builtin_bswap32(word);
    std::memcpy(bytes, &word, 4);
  } else if constexpr (kSize == 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    word = __builtin_bswap64(word);
    std::memcpy(bytes, &word, 8);
  }
}

template <typename T, bool kReverse>
T load(const char* bytes) {
  unsigned char each[sizeof(T)];
  std::memcpy(each, bytes, sizeof(T));
  if constexpr (kReverse) reverse_bytes<sizeof(T)>(each);
  T value;
  std::memcpy(&value, each, sizeof(T));
  return value;
}

template <typename T, bool kReverse>
void decode_as(const char* bytes, std::span<float> voxels, double slope, double intercept) {
  if (slope == 1.0 && intercept == 0.0) {
    for (std::size_t i = 0; i < voxels.size(); ++i) {
      voxels[i] = static_cast<float>(load<T, kReverse>(bytes + i * sizeof(T)));
    }
  } else {
    for (std::size_t i = 0; i < voxels.size(); ++i) {
      const auto stored = static_cast<double>(load<T, kReverse>(bytes + i * sizeof(T)));
      voxels[i] = static_cast<float>(slope * stored + intercept);
    }
  }
}

/// On the bits: comparisons of floats may trap, which keeps compilers from vectorising them.
void clear_non_finite(std::span<float> voxels) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  for (float& voxel : voxels) {
    const auto bits = std::bit_cast<std::uint32_t>(voxel);
    voxel = std::bit_cast<float>((bits & kExponent) == kExponent ? 0U : bits);
  }
}

}  // namespace

std::size_t bytes_per_voxel(VoxelType type) {
  return with_type(type, []<typename T>(T) { return sizeof(T); });
}

void decode_voxels(const char* bytes, std::span<float> voxels, const VoxelCoding& coding) {
  const bool reverse = coding.big_endian != (std::endian::native == std::endian::big);
  with_type(coding.type, [&]<typename T>(T) {
    if (reverse) {
      decode_as<T, true>(bytes, voxels, coding.slope, coding.intercept);
    } else {
      decode_as<T, false>(bytes, voxels, coding.slope, coding.intercept);
    }
  });
  clear_non_finite(voxels);
}

std::string encode_voxels(std::span<const float> voxels, VoxelType type, const std::string& path) {
  return with_type(type, [&]<typename T>(T) {
    std::string bytes(voxels.size() * sizeof(T), '\0');
    for (std::size_t i = 0; i < voxels.size(); ++i) {
      T stored;
      if constexpr (std::integral<T>) {
        const double rounded = std::nearbyint(static_cast<double>(voxels[i]));
        // The upper limit as a power of two, which a double holds exactly for 64 bits too.
        const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
        const double lowest = std::is_signed_v<T> ? -limit : 0.0;
        if (!(rounded >= lowest && rounded < limit)) {
          throw_bad_volume(
              path,
              fmt::format("voxel {} is {}, which does not fit {} integer of {} bits",
                          with_thousands(i), voxels[i],
                          std::is_signed_v<T> ? "a signed" : "an unsigned", 8 * sizeof(T)),
              "Scale the volume first, or write it as float.");
        }
        stored = static_cast<T>(rounded);
      } else {
        stored = static_cast<T>(voxels[i]);
      }
      unsigned char each[sizeof(T)];
      std::memcpy(each, &stored, sizeof(T));
      if constexpr (std::endian::native == std::endian::big) reverse_bytes<sizeof(T)>(each);
      std::memcpy(bytes.data() + i * sizeof(T), each, sizeof(T));
    }
    return bytes;
  });
}

std::vector<float> read_voxels(ByteStream& stream, std::size_t count, const VoxelCoding& coding) {
  const std::size_t each = bytes_per_voxel(coding.type);
  std::vector<float> voxels(count);
  std::vector<char> piece(std::min(count, kPieceVoxels) * each);
  std::size_t done = 0;
  while (done < count) {
    const std::size_t wanted = std::min(count - done, kPieceVoxels);
    const std::size_t found = stream.read(piece.data(), wanted * each) / each;
    decode_voxels(piece.data(), {voxels.data() + done, found}, coding);
    done += found;
    if (found < wanted) break;
  }
  voxels.resize(done);
  return voxels;
}

std::uint64_t checked_bytes(std::span<const std::int64_t> dimensions, VoxelType type,
                            const std::string& path) {
  std::uint64_t voxels = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] < 1) {
      throw_bad_volume(path, fmt::format("the header says {} voxels, but every dimension must be "
                                         "at least 1",
                                         size_text(dimensions)));
    }
    // The first three are one volume in memory; all together only need to be countable.
    const std::uint64_t most = d < 3 ? kMostVoxels : std::uint64_t{1} << 48;
    const auto extent = static_cast<std::uint64_t>(dimensions[d]);
    if (extent > most / voxels) {
      throw_bad_volume(
          path,
          fmt::format("the header says {} voxels, but a volume of at most {} can be read",
                      size_text(dimensions), with_thousands(kMostVoxels)),
          "If the header is damaged, write or download the file again; if not, cut the volume into "
          "parts.");
    }
    voxels *= extent;
  }
  return voxels * bytes_per_voxel(type);
}

std::string size_text(std::span<const std::int64_t> dimensions) {
  return fmt::format("{}", fmt::join(dimensions, " x "));
}

}  // namespace knockout
