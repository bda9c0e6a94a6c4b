// SPDX-License-Identifier: Apache-2.0
#include "media/volume/byte_stream.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>

#include "knockout/base/error.h"
#include "media/volume/volume_error.h"

namespace knockout {
namespace {

constexpr int kZlibWindow = 15;
constexpr int kGzipWindow = kZlibWindow + 16;  // zlib's way to ask for the gzip format
constexpr int kEitherWindow = kZlibWindow + 32;
constexpr std::size_t kPiece = std::size_t{1} << 18;
// Deflate's longest match is 258 bytes for two bits.
constexpr std::uint64_t kMostExpansion = 1032;

[[noreturn]] void throw_cannot_read(const std::string& path, int cause) {
  throw FileError(fmt::format("cannot read the volume \"{}\": {}.", path,
                              std::generic_category().message(cause)));
}

}  // namespace

ByteStream::ByteStream(const std::string& path, Format format, std::uint64_t offset)
    : path_(path), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
  if (!file_) throw_cannot_read(path, errno);
  struct stat status = {};
  if (::fstat(::fileno(file_.get()), &status) != 0) throw_cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) throw_cannot_read(path, EISDIR);
  file_bytes_left_ = static_cast<std::uint64_t>(status.st_size);
  offset = std::min(offset, file_bytes_left_);
  if (::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) {
    throw_cannot_read(path, errno);
  }
  file_bytes_left_ -= offset;

  if (format == Format::kGzipIfMarked) {
    // By content: files that were unpacked often keep ".gz" in their name.
    char mark[2];
    compressed_ =
        std::fread(mark, 1, 2, file_.get()) == 2 && mark[0] == '\x1f' && mark[1] == '\x8b';
    if (::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) {
      throw_cannot_read(path, errno);
    }
  } else {
    compressed_ = format == Format::kZlib;
  }
  if (compressed_) {
    input_.resize(kPiece);
    if (inflateInit2(&stream_, kEitherWindow) != Z_OK) throw std::bad_alloc();
  }
}

ByteStream::~ByteStream() {
  if (compressed_) inflateEnd(&stream_);
}

std::size_t ByteStream::read(char* out, std::size_t size) {
  if (!compressed_) return read_file(out, size);
  std::size_t done = 0;
  while (done < size && !ended_) done += inflate_some(out + done, size - done);
  return done;
}

std::uint64_t ByteStream::skip(std::uint64_t count) {
  std::vector<char> piece(static_cast<std::size_t>(std::min<std::uint64_t>(count, kPiece)));
  std::uint64_t done = 0;
  while (done < count) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(count - done, piece.size()));
    const std::size_t found = read(piece.data(), wanted);
    done += found;
    if (found < wanted) break;
  }
  return done;
}

void ByteStream::check_rest() {
  if (compressed_) skip(std::numeric_limits<std::uint64_t>::max());
}

std::uint64_t ByteStream::most_bytes_left() const {
  if (!compressed_) return file_bytes_left_;
  // What zlib has taken in but not yet given out fits these 64 bytes many times.
  return (file_bytes_left() + 64) * kMostExpansion;
}

std::size_t ByteStream::read_file(char* out, std::size_t size) {
  const std::size_t count = std::fread(out, 1, size, file_.get());
  if (count < size && std::ferror(file_.get())) throw_cannot_read(path_, errno);
  file_bytes_left_ -= std::min<std::uint64_t>(file_bytes_left_, count);
  return count;
}

bool ByteStream::refill() {
  const std::size_t kept = stream_.avail_in;
  std::copy_n(reinterpret_cast<const char*>(stream_.next_in), kept, input_.data());
  const std::size_t added = read_file(input_.data() + kept, input_.size() - kept);
  stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
  stream_.avail_in = static_cast<uInt>(kept + added);
  return added > 0;
}

std::size_t ByteStream::inflate_some(char* out, std::size_t size) {
  if (stream_.avail_in == 0 && !refill()) {
    throw_bad_volume(path_, "the compressed data end too early: the file was cut off");
  }
  const auto wanted = static_cast<uInt>(std::min(size, kPiece));
  stream_.next_out = reinterpret_cast<Bytef*>(out);
  stream_.avail_out = wanted;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
    throw_bad_volume(path_, "the compressed data are damaged");
  }
  if (status == Z_STREAM_END) {
    // Another gzip member may follow; anything else is padding, which gzip ignores too.
    if (stream_.avail_in < 2) refill();
    const bool another =
        stream_.avail_in >= 2 && stream_.next_in[0] == 0x1f && stream_.next_in[1] == 0x8b;
    if (another) {
      inflateReset(&stream_);
    } else {
      ended_ = true;
    }
  }
  return wanted - stream_.avail_out;
}

std::string compress_bytes(std::string_view bytes, Packing packing) {
  z_stream stream{};
  constexpr int kMemoryLevel = 8;  // zlib's default
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                   packing == Packing::kGzip ? kGzipWindow : kZlibWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended_later(&stream, &deflateEnd);
  std::string packed;
  std::vector<char> piece(kPiece);
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {  // zlib counts in 32 bits
      const std::string_view next = bytes.substr(0, kPiece);
      bytes.remove_prefix(next.size());
      // zlib's interface predates const; it does not write to its input.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));
      stream.avail_in = static_cast<uInt>(next.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(piece.data(), piece.size() - stream.avail_out);
  }
  return packed;
}

}  // namespace knockout
