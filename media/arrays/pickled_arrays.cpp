// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/pickled_arrays.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "media/arrays/unpickler.h"

namespace knockout {
namespace {

using namespace std::string_view_literals;
using namespace std::string_literals;

[[noreturn]] void throw_damaged_archive(const std::string& path, std::string_view what) {
  throw DataError(
      fmt::format("{}: {}.\n  The file is damaged; copy or download it again.", path, what));
}

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// --- zip: records with little-endian fields, found from the end of the file ---

constexpr std::size_t kLocalHeader = 30, kDirectoryEntry = 46;  // without names
constexpr std::string_view kEntryName = "data.pkl";

/// A little-endian field, or an error where the file has no such place.
std::uint32_t field(std::string_view file, std::uint64_t at, std::size_t bytes,
                    const std::string& path) {
  if (at > file.size() || bytes > file.size() - at) {
    throw_damaged_archive(path, "the directory of the archive is cut off");
  }
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(file[at + i]);
  }
  return value;
}

/// The bytes of the entry data.pkl.
std::string_view find_pickle(std::string_view file, const std::string& path) {
  const std::size_t end = file.rfind("PK\x05\x06"sv);
  if (end == std::string_view::npos) throw_damaged_archive(path, "the archive has no directory");
  field(file, end + 20, 2, path);  // its last field
  const std::uint32_t entries = field(file, end + 10, 2, path);
  std::uint64_t at = field(file, end + 16, 4, path);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const auto get = [&](std::size_t offset, std::size_t bytes) {
      return field(file, at + offset, bytes, path);
    };
    if (file.substr(std::min<std::uint64_t>(at, file.size()), 4) != "PK\x01\x02"sv) {
      throw_damaged_archive(path, "the directory of the archive cannot be read");
    }
    const std::uint32_t name_bytes = get(28, 2);
    field(file, at + kDirectoryEntry + name_bytes, 0, path);
    if (!file.substr(at + kDirectoryEntry, name_bytes).ends_with(kEntryName)) {
      at += kDirectoryEntry + name_bytes + get(30, 2) + get(32, 2);
      continue;
    }
    if (get(10, 2) != 0) {
      throw DataError(fmt::format(
          "{}: data.pkl is compressed, which torch.save() never does.\n  Write it again with "
          "torch.save().",
          path));
    }
    const std::uint32_t crc = get(16, 4), size = get(20, 4), local = get(42, 4);
    const std::uint64_t data = std::uint64_t{local} + kLocalHeader +
                               field(file, local + 26ULL, 2, path) +
                               field(file, local + 28ULL, 2, path);
    field(file, data + size, 0, path);
    const std::string_view pickle = file.substr(data, size);
    if (crc_of(pickle) != crc) throw_damaged_archive(path, "the check sum of data.pkl is wrong");
    return pickle;
  }
  throw DataError(
      fmt::format("{}: the archive has no data.pkl.\n  Expected what torch.save() "
                  "writes.",
                  path));
}

/// What follows the header of a .npy file of one object.
std::string_view find_object(std::string_view file, const std::string& path) {
  const std::size_t length_bytes = file.size() > 6 && file[6] == '\1' ? 2 : 4;
  const std::uint64_t header = field(file, 8, length_bytes, path);
  const std::size_t start = 8 + length_bytes;
  field(file, start + header, 0, path);
  if (file.substr(start, header).find("'|O'") == std::string_view::npos) {
    throw DataError(
        fmt::format("{}: this is an array of numbers.\n  Expected a dictionary.", path));
  }
  return file.substr(start + header);
}

// --- writing ---

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string pickled_text(std::string_view text) {
  return "X" + little_endian(text.size(), 4) + std::string(text);
}

/// The pickle of a dictionary of NumPy arrays by protocol 2, which has no bytes: they become text
/// with the same code points.
std::string pickle_of(const NamedIntegers& arrays) {
  std::string pickle = "\x80\x02}("s;
  for (const auto& [name, values] : arrays) {
    std::string bytes;
    for (const std::int64_t value : values) {
      for (const char c : little_endian(static_cast<std::uint64_t>(value), 8)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) bytes += static_cast<char>(0xc0 | byte >> 6);
        bytes += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
      }
    }
    const auto encoded = [](std::string_view text) {
      return "c_codecs\nencode\n" + pickled_text(text) + pickled_text("latin1") + "\x86R";
    };
    pickle += pickled_text(name);
    pickle += "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85"sv;
    pickle += encoded("b") + "\x87R(K\x01J" + little_endian(values.size(), 4) + "\x85";
    pickle += "cnumpy\ndtype\n" + pickled_text("i8") + "\x89\x88\x87R(K\x03" + pickled_text("<");
    pickle += "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89"sv;
    pickle += encoded(bytes) + "tb";
  }
  return pickle + "u.";
}

struct ZipEntry {
  std::string_view name, content;
};

/// An archive of uncompressed entries, without dates, so that the same content gives the same file.
std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string archive, directory;
  for (const ZipEntry& entry : entries) {
    constexpr std::string_view kVersionFlagsMethodDate = "\x14\0\0\0\0\0\0\0\x21\0"sv;
    const std::string common =
        std::string(kVersionFlagsMethodDate) + little_endian(crc_of(entry.content), 4) +
        little_endian(entry.content.size(), 4) + little_endian(entry.content.size(), 4) +
        little_endian(entry.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02\x14\0"sv;
    directory += common + std::string(10, '\0') + little_endian(archive.size(), 4);
    directory += entry.name;
    archive += "PK\x03\x04" + common;
    archive += entry.name;
    archive += entry.content;
  }
  const std::size_t start = archive.size();
  archive += directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(entries.size(), 2) +
             little_endian(entries.size(), 2) + little_endian(directory.size(), 4) +
             little_endian(start, 4) + little_endian(0, 2);
  return archive;
}

}  // namespace

NamedIntegers read_pickled_arrays(const std::string& path, const Limits& limits) {
  const std::string file = read_bytes(path, "the labels");
  if (file.starts_with("PK"sv)) return unpickle_arrays(find_pickle(file, path), path, limits);
  if (file.starts_with("\x93NUMPY"sv))
    return unpickle_arrays(find_object(file, path), path, limits);
  throw DataError(
      fmt::format("{}: this is neither an archive of torch.save() nor a file of numpy.save().\n"
                  "  If it is from before PyTorch 1.6, load it there and save it again.",
                  path));
}

void write_pickled_arrays(const NamedIntegers& arrays, const std::string& path) {
  const std::string pickle = pickle_of(arrays);
  write_atomically(path, zip_of({{"archive/data.pkl", pickle}, {"archive/version", "3\n"}}));
}

}  // namespace knockout
