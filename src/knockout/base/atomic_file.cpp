// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "knockout/base/error.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

std::string advice_for(int cause, const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const std::string shown_folder = folder.empty() ? "the current folder" : '"' + folder + '"';
  switch (cause) {
    case ENOSPC:
    case EDQUOT:
      return "Free some space or write to another disk.";
    case EFBIG:
      return "Raise the file size limit (ulimit -f) or write to another disk.";
    case ENOENT:
    case ENOTDIR:
      return fmt::format("Create {} first, or check its spelling.", shown_folder);
    case EACCES:
    case EPERM:
    case EROFS:
      return fmt::format("Ask for write permission on {}, or write to another folder.",
                         shown_folder);
    case EISDIR:
      return "Give the name of a file inside that folder.";
    default:
      return "Write to another folder, or remove the cause.";
  }
}

[[noreturn]] void throw_cannot_write(const std::string& path, int cause) {
  throw FileError(fmt::format("cannot write \"{}\": {}.\n  {}", path,
                              std::generic_category().message(cause), advice_for(cause, path)));
}

bool is_device_path(const std::string& path) {
  // Shared memory has a folder among the devices, but its files are files.
  return (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) ||
         path.starts_with("/proc/");
}

/// The file at the end of a chain of links, which need not exist yet.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code ignored;
  for (int hops = 0; hops < 40 && fs::is_symlink(fs::symlink_status(target, ignored)); ++hops) {
    const fs::path next = fs::read_symlink(target, ignored);
    if (ignored) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
    // /dev/stdout leads through /proc to a pipe that has no path of its own.
    if (is_device_path(target.string())) break;
  }
  return target.string();
}

/// How the names of the files begin that are written beside `target`.
std::string temporary_start(const std::string& target) {
  constexpr std::size_t kLongestKeptName = 200;  // file names may have 255 bytes in all
  return fmt::format(".{}.tmp-", fs::path(target).filename().string().substr(0, kLongestKeptName));
}

/// Creates a file beside `target` that nobody else has. Returns -1 with errno on failure.
int create_beside(const std::string& target, mode_t mode, std::string& created_path) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    created_path =
        (fs::path(target).parent_path() /
         fmt::format("{}{}-{:04x}", temporary_start(target), ::getpid(), counter++ & 0xffffU))
            .string();
    const int descriptor =
        ::open(created_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_path_(follow_links(path)) {
  struct stat previous = {};
  const bool exists = ::stat(path.c_str(), &previous) == 0;
  if (exists && S_ISDIR(previous.st_mode)) fail(EISDIR);
  int descriptor = -1;
  if (is_device_path(target_path_) || (exists && !S_ISREG(previous.st_mode))) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  } else {
    // Renaming would replace a file that its owner has made read-only.
    if (exists && ::access(path.c_str(), W_OK) != 0) fail(errno);
    descriptor = create_beside(target_path_, 0666, temporary_path_);
    if (descriptor < 0) {
      const int cause = errno;
      temporary_path_.clear();
      fail(cause);
    }
    if (exists) static_cast<void>(::fchmod(descriptor, previous.st_mode & 07777));
  }
  if (descriptor < 0) fail(errno);
  file_ = ::fdopen(descriptor, "wb");
  if (file_ == nullptr) {
    const int cause = errno;
    ::close(descriptor);
    fail(cause);
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::string_view bytes) {
  assert(file_ != nullptr);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
}

void AtomicFile::commit() {
  assert(file_ != nullptr);
  if (std::fflush(file_) != 0) fail(errno);
  // A pipe or terminal has nothing to synchronise and says EINVAL or ENOTSUP.
  if (::fsync(::fileno(file_)) != 0 && !temporary_path_.empty()) fail(errno);
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
  if (temporary_path_.empty()) return;
  if (std::rename(temporary_path_.c_str(), target_path_.c_str()) != 0) fail(errno);
  temporary_path_.clear();
  // The rename itself must outlive a power cut. Some file systems refuse this; the file is whole
  // either way.
  const std::string folder = fs::path(target_path_).parent_path().string();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    static_cast<void>(::fsync(descriptor));
    ::close(descriptor);
  }
}

void AtomicFile::discard() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
  temporary_path_.clear();
}

void AtomicFile::fail(int cause) {
  discard();
  throw_cannot_write(path_, cause);
}

void write_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void create_folder(const std::string& path, std::string_view what) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (!failure) return;
  throw FileError(fmt::format("cannot create {} \"{}\": {}.\n  {}", what, path, failure.message(),
                              failure.value() == ENOTDIR || failure.value() == EEXIST
                                  ? "There is a file of that name: choose another."
                                  : advice_for(failure.value(), path)));
}

void remove_unfinished(const std::string& path) {
  const std::string target = follow_links(path), start = temporary_start(target);
  const fs::path folder = fs::path(target).parent_path();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    if (entry.path().filename().string().starts_with(start)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace knockout
