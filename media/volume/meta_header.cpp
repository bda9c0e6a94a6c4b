// SPDX-License-Identifier: Apache-2.0
#include "media/volume/meta_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "knockout/base/wording.h"
#include "media/volume/volume_error.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestHeader = std::size_t{1} << 16;

struct TypeName {
  std::string_view name;
  VoxelType type;
};

// The first name of a type is the one that is written. MET_LONG has 32 bits on every machine.
constexpr std::array<TypeName, 12> kTypeNames = {{
    {"MET_UCHAR", VoxelType::kUint8},
    {"MET_CHAR", VoxelType::kInt8},
    {"MET_USHORT", VoxelType::kUint16},
    {"MET_SHORT", VoxelType::kInt16},
    {"MET_UINT", VoxelType::kUint32},
    {"MET_INT", VoxelType::kInt32},
    {"MET_ULONG", VoxelType::kUint32},
    {"MET_LONG", VoxelType::kInt32},
    {"MET_ULONG_LONG", VoxelType::kUint64},
    {"MET_LONG_LONG", VoxelType::kInt64},
    {"MET_FLOAT", VoxelType::kFloat32},
    {"MET_DOUBLE", VoxelType::kFloat64},
}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The lines `name = value` up to ElementDataFile, which is the last.
class MetaFields {
 public:
  explicit MetaFields(const std::string& path) : path_(path) {
    ByteStream stream(path);
    std::string text(kLongestHeader, '\0');
    text.resize(stream.read(text.data(), text.size()));
    while (!fields_.contains("ElementDataFile")) {
      const std::string_view rest = std::string_view(text).substr(bytes_);
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      const std::size_t equals = line.find('=');
      if (rest.empty() || (equals == std::string_view::npos && !trimmed(line).empty())) {
        throw_bad_volume(path,
                         "not a MetaImage, or cut off: its lines \"name = value\" do not lead to "
                         "ElementDataFile");
      }
      if (equals != std::string_view::npos) {
        fields_.insert_or_assign(std::string(trimmed(line.substr(0, equals))),
                                 std::string(trimmed(line.substr(equals + 1))));
      }
      bytes_ += std::min(end + 1, rest.size());
    }
  }

  /// Where data begin that follow the header.
  std::size_t bytes() const { return bytes_; }

  /// The value under the first of `names` that is there.
  std::optional<std::string_view> find(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const auto found = fields_.find(name);
      if (found != fields_.end()) return found->second;
    }
    return std::nullopt;
  }

  std::string_view get(std::string_view name) const {
    const auto found = find({name});
    if (!found) throw_bad_volume(path_, fmt::format("its header has no {}", name));
    return *found;
  }

  bool is_true(std::initializer_list<std::string_view> names, bool otherwise) const {
    const auto found = find(names);
    if (!found || found->empty()) return otherwise;
    return std::string_view("Tt1Yy").find(found->front()) != std::string_view::npos;
  }

  template <typename T>
  std::vector<T> numbers(std::string_view text, std::string_view name, std::size_t count) const {
    std::vector<T> values;
    const std::string_view whole = text;
    while (!(text = trimmed(text)).empty()) {
      if (text.front() == '+') text.remove_prefix(1);
      T value{};
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const auto used = static_cast<std::size_t>(end - text.data());
      const bool ends_here = used == text.size() || text[used] == ' ' || text[used] == '\t';
      if (error != std::errc() || !ends_here) break;
      values.push_back(value);
      text.remove_prefix(used);
    }
    if (values.size() != count || !text.empty()) {
      throw_bad_volume(path_,
                       fmt::format("{} = \"{}\" in its header is not {}", name, whole,
                                   plural(count, std::is_integral_v<T> ? "integer" : "number")));
    }
    return values;
  }

  std::vector<double> numbers_or(std::initializer_list<std::string_view> names,
                                 const std::vector<double>& otherwise) const {
    const auto found = find(names);
    return found ? numbers<double>(*found, *names.begin(), otherwise.size()) : otherwise;
  }

 private:
  std::string path_;
  std::map<std::string, std::string, std::less<>> fields_;
  std::size_t bytes_ = 0;
};

VoxelType voxel_type_of(std::string_view name, const std::string& path) {
  for (const TypeName& known : kTypeNames) {
    if (known.name == name) return known.type;
  }
  throw_bad_volume(path,
                   fmt::format("the ElementType \"{}\" is not a number of 8 to 64 bits", name),
                   "Write it as MET_SHORT or MET_FLOAT.");
}

Affine affine_of(const MetaFields& fields, std::size_t dimensions, const std::string& path) {
  std::vector<double> axes(dimensions * dimensions, 0.0);
  for (std::size_t d = 0; d < dimensions; ++d) axes[d * dimensions + d] = 1.0;
  axes = fields.numbers_or({"TransformMatrix", "Orientation", "Rotation"}, axes);
  const std::vector<double> origin =
      fields.numbers_or({"Offset", "Position", "Origin"}, std::vector<double>(dimensions, 0.0));
  const std::vector<double> steps =
      fields.numbers_or({"ElementSpacing", "ElementSize"}, std::vector<double>(dimensions, 1.0));
  Affine affine = kIdentityAffine;
  for (std::size_t d = 0; d < dimensions; ++d) {
    // Each row of the matrix in the file is the direction of one axis of the volume.
    for (std::size_t r = 0; r < dimensions; ++r) affine[r][d] = axes[d * dimensions + r] * steps[d];
    affine[d][3] = origin[d];
    if (!(steps[d] > 0.0)) {
      throw_bad_volume(path, fmt::format("its voxels are {} apart, but a positive number is needed",
                                         fmt::join(steps, " x ")));
    }
  }
  if (!is_invertible(affine)) {
    throw_bad_volume(path, "its TransformMatrix places all voxels in one plane or nowhere",
                     "Write the file again with a valid orientation.");
  }
  return swap_lps_and_ras(affine);
}

void find_data(const MetaFields& fields, MetaHeader& header, const std::string& path) {
  const std::string_view name = fields.get("ElementDataFile");
  const bool local = name == "LOCAL" || name == "Local" || name == "local";
  if (name == "LIST" || name.starts_with("LIST ") || name.find('%') != std::string_view::npos) {
    throw_bad_volume(path,
                     fmt::format("its slices are in separate files (ElementDataFile = {})", name),
                     "Write them to one .mha file.");
  }
  if (name.empty()) throw_bad_volume(path, "its header names no ElementDataFile");
  header.data_path = local ? path : (fs::path(path).parent_path() / name).string();
  header.offset = local ? fields.bytes() : 0;
  if (const auto text = fields.find({"HeaderSize"})) {
    const std::int64_t skipped = fields.numbers<std::int64_t>(*text, "HeaderSize", 1).front();
    if (skipped > 0) header.offset = static_cast<std::uint64_t>(skipped);
    header.at_the_end = skipped == -1;
    if (skipped < -1) {
      throw_bad_volume(path, fmt::format("HeaderSize = {} has no meaning", skipped));
    }
    if (header.at_the_end && header.compressed) {
      throw_bad_volume(path, "HeaderSize = -1 cannot say where compressed data begin",
                       "Write the file without HeaderSize.");
    }
  }
}

}  // namespace

MetaHeader read_meta_header(const std::string& path) {
  const MetaFields fields(path);
  const std::string_view object = fields.find({"ObjectType"}).value_or("Image");
  if (object != "Image") {
    throw_bad_volume(path, fmt::format("it holds a \"{}\", not an image", object));
  }
  const std::int64_t dimensions =
      fields.numbers<std::int64_t>(fields.get("NDims"), "NDims", 1).front();
  if (dimensions != 2 && dimensions != 3) {
    throw_bad_volume(path, fmt::format("it has {} dimensions, but 2 or 3 are needed", dimensions),
                     "Write each volume to a file of its own.");
  }
  const auto dimension_count = static_cast<std::size_t>(dimensions);

  const auto channels = fields.find({"ElementNumberOfChannels"});
  if (channels && fields.numbers<std::int64_t>(*channels, "ElementNumberOfChannels", 1)[0] != 1) {
    throw_bad_volume(path, fmt::format("it has {} numbers per voxel, but one is needed", *channels),
                     "Write each channel to a file of its own.");
  }
  if (!fields.is_true({"BinaryData"}, true)) {
    throw_bad_volume(path, "its voxels are written as text (BinaryData = False)",
                     "Write it again as binary data.");
  }

  MetaHeader header;
  header.coding.type = voxel_type_of(fields.get("ElementType"), path);
  header.coding.big_endian =
      fields.is_true({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"}, false);
  header.compressed = fields.is_true({"CompressedData"}, false);
  const auto extents =
      fields.numbers<std::int64_t>(fields.get("DimSize"), "DimSize", dimension_count);
  std::copy(extents.begin(), extents.end(), header.size.begin());
  header.byte_count = checked_bytes(header.size, header.coding.type, path);
  header.to_world = affine_of(fields, dimension_count, path);
  find_data(fields, header, path);
  return header;
}

std::string_view meta_name_of(VoxelType type) {
  return std::find_if(kTypeNames.begin(), kTypeNames.end(),
                      [&](const TypeName& known) { return known.type == type; })
      ->name;
}

Affine swap_lps_and_ras(Affine affine) {
  for (std::size_t c = 0; c < 4; ++c) {
    affine[0][c] = -affine[0][c];
    affine[1][c] = -affine[1][c];
  }
  return affine;
}

}  // namespace knockout
