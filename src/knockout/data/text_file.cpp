// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/stage.h"
#include "knockout/data/csv_field.h"
#include "knockout/data/gzip_file.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::size_t kReadPiece = std::size_t{1} << 20;

/// A file that closes itself; standard input stays open.
struct Descriptor {
  int number = -1;
  bool owned = false;
  ~Descriptor() {
    if (owned) ::close(number);
  }
};

[[noreturn]] void throw_cannot_read(const std::string& path, int cause) {
  std::string advice;
  if (cause == ENOENT) {
    std::vector<std::string> names;
    std::error_code ignored;
    const fs::path folder = fs::path(path).parent_path();
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    advice = did_you_mean(fs::path(path).filename().string(), names);
    if (advice.empty()) advice = "\n  Check the path, or give \"-\" to read standard input.";
  } else if (cause == EISDIR) {
    advice = "\n  Give the name of a file inside that folder.";
  } else if (cause == EACCES) {
    advice = "\n  Ask for permission to read it, or copy it.";
  }
  throw FileError(fmt::format("cannot read \"{}\": {}.{}", path,
                              std::generic_category().message(cause), advice));
}

std::size_t read_some(const Descriptor& file, char* bytes, std::size_t count,
                      const std::string& path) {
  while (true) {
    const ssize_t got = ::read(file.number, bytes, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw_cannot_read(source_name(path), errno);
  }
}

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
  std::string_view fix;
};

constexpr std::string_view kExportCsv = "Export it as CSV (UTF-8) and read that.";
constexpr std::string_view kUnpack = "Unpack it and read the CSV file inside.";
constexpr std::string_view kConvert = "Convert it to CSV with the tool that wrote it.";

constexpr std::array kSignatures = {
    Signature{0, "PK\x03\x04"sv, "a zip archive or a spreadsheet (.xlsx, .ods)",
              "Save the sheet as CSV (UTF-8), or unpack the archive."},
    Signature{0, "\xD0\xCF\x11\xE0"sv, "an old Excel file (.xls)", kExportCsv},
    Signature{0, "PAR1"sv, "a Parquet file", kConvert},
    Signature{0, "ARROW1"sv, "an Arrow file", kConvert},
    Signature{0, "FEA1"sv, "a Feather file", kConvert},
    Signature{0, "ORC\x0A"sv, "an ORC file", kConvert},
    Signature{0, "\x89HDF"sv, "an HDF5 file", kConvert},
    Signature{0, "\x93NUMPY"sv, "a NumPy matrix (.npy)", "Give it as a group of columns instead."},
    Signature{0, "MATLAB 5.0"sv, "a MATLAB file", kConvert},
    Signature{0, "SQLite format 3"sv, "an SQLite database", kExportCsv},
    Signature{0, "$FL2@(#)"sv, "an SPSS file", kExportCsv},
    Signature{0, "<stata_dta>"sv, "a Stata file", kExportCsv},
    Signature{0, "RDX3\n"sv, "an R data file",
              "In R, write it with write.csv(x, row.names = FALSE)."},
    Signature{0,
              "\xFD"
              "7zXZ"sv,
              "an xz file", "Decompress it first: unxz, or xz -dc FILE | ... -"},
    Signature{4, "1AY&SY"sv, "a bzip2 file", "Decompress it first: bunzip2"},
    Signature{0, "\x28\xB5\x2F\xFD"sv, "a zstd file", "Decompress it first: unzstd"},
    Signature{0, "7z\xBC\xAF"sv, "a 7-Zip archive", kUnpack},
    Signature{257, "ustar"sv, "a tar archive", kUnpack},
    Signature{0, "\x89PNG"sv, "a PNG image", "A table is expected: give a CSV file."},
    Signature{0, "\xFF\xD8\xFF"sv, "a JPEG image", "A table is expected: give a CSV file."},
    Signature{0, "%PDF"sv, "a PDF document", "A table is expected: give a CSV file."},
    Signature{0,
              "\x7F"
              "ELF"sv,
              "a program", "A table is expected: give a CSV file."},
};

}  // namespace

void TextBuffer::append(std::string_view bytes) {
  if (bytes.empty()) return;
  std::memcpy(room_for(bytes.size()), bytes.data(), bytes.size());
  add_size(bytes.size());
}

char* TextBuffer::room_for(std::size_t more) {
  if (capacity_ - size_ < more) {
    // Doubling only once the first guess, which is the size of the file, proves too small.
    const std::size_t wanted = std::max(size_ + more, size_ == 0 ? 0 : 2 * capacity_);
    void* const grown = std::realloc(bytes_.get(), wanted);
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(bytes_.release());
    bytes_.reset(static_cast<char*>(grown));
    capacity_ = wanted;
  }
  return bytes_.get() + size_;
}

namespace {

[[noreturn]] void throw_too_large(const std::string& source, std::string_view does,
                                  std::string_view option, std::uint64_t most) {
  throw DataError(fmt::format(
      "{}: this {} more than {}.\n"
      "  A file from a stranger may be made to exhaust the machine. If it is meant:  {}",
      source, does, bytes_text(static_cast<double>(most)),
      field(option, gigabytes_for(4.0 * static_cast<double>(most)))));
}

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

TextBuffer load_text(const std::string& path, const Limits& limits) try {
  const Stage stage("reading " + source_name(path));
  Descriptor file;
  if (path == "-") {
    file.number = STDIN_FILENO;
  } else {
    file.number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file.number < 0) throw_cannot_read(path, errno);
    file.owned = true;
  }
  struct stat status = {};
  if (::fstat(file.number, &status) == 0 && S_ISDIR(status.st_mode))
    throw_cannot_read(path, EISDIR);

  TextBuffer text;
  const std::uint64_t most = limits.memory_bytes(), most_unpacked = limits.unpacked_bytes();
  const auto check_size = [&](std::uint64_t bytes) {
    if (bytes > most) throw_too_large(source_name(path), "holds", "max_memory", most);
  };
  std::vector<char> piece(kReadPiece);
  std::size_t got = read_some(file, piece.data(), piece.size(), path);
  if (!is_gzip({piece.data(), got})) {
    if (S_ISREG(status.st_mode)) {
      check_size(static_cast<std::uint64_t>(status.st_size));
      // One byte more than the file tells its end; one more is for a last '\n'.
      text.room_for(static_cast<std::size_t>(status.st_size) + kReadPiece);
    }
    text.append({piece.data(), got});
    while (got > 0) {
      got = read_some(file, text.room_for(kReadPiece), kReadPiece, path);
      text.add_size(got);
      check_size(text.view().size());
    }
    return text;
  }
  GzipReader gzip(source_name(path));
  for (; got > 0; got = read_some(file, piece.data(), piece.size(), path)) {
    gzip.feed({piece.data(), got}, [&](std::string_view bytes) {
      if (text.view().size() + bytes.size() > most_unpacked) {
        throw_too_large(source_name(path), "unpacks to", "max_unpacked", most_unpacked);
      }
      text.append(bytes);
    });
  }
  gzip.finish();
  return text;
} catch (const std::bad_alloc&) {
  throw FileError(
      fmt::format("cannot read \"{}\": it does not fit in memory.\n"
                  "  Split the file, or use a machine with more memory.",
                  source_name(path)));
}

void refuse_binary_formats(std::string_view bytes, const std::string& source) {
  for (const Signature& signature : kSignatures) {
    if (bytes.size() >= signature.offset &&
        bytes.substr(signature.offset).starts_with(signature.bytes)) {
      throw DataError(fmt::format("{}: this is {}, not a CSV file.\n  {}", source, signature.what,
                                  signature.fix));
    }
  }
}

void throw_no_text(std::string_view bytes, std::size_t bad, const std::string& source) {
  const std::size_t line = 1 + count_newlines(bytes.data(), bytes.data() + bad);
  if (bytes[bad] == 0) {
    throw DataError(
        fmt::format("{}:{}: a NUL byte, which no text file has.\n"
                    "  If it is text in a rare encoding: iconv -f UTF-32 -t UTF-8 FILE\n"
                    "  Otherwise it is no CSV file, or it is damaged.",
                    source, line));
  }
  throw DataError(
      fmt::format("{}:{}: the byte 0x{:02X} belongs to no text, and the file holds control "
                  "characters.\n"
                  "  It is no CSV file, or it is damaged.",
                  source, line, static_cast<unsigned char>(bytes[bad])));
}

}  // namespace knockout
