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

/// `target` is where the path leads: it is what needs a folder.
[[noreturn]] void throw_cannot_write(const std::string& path, int cause,
                                     const std::string& target) {
  throw FileError(fmt::format("cannot write \"{}\": {}.\n  {}", path,
                              std::generic_category().message(cause), advice_for(cause, target)));
}

bool is_device_path(const std::string& path) {
  // Shared memory has a folder among the devices, but its files are files.
  return (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) ||
         path.starts_with("/proc/");
}

/// Whether a link in a folder for all, such as /tmp, was left there by somebody else.
bool is_planted_link(const fs::path& link) {
  struct stat of_link = {}, of_folder = {};
  const fs::path folder = link.parent_path().empty() ? "." : link.parent_path();
  if (::lstat(link.c_str(), &of_link) != 0 || ::stat(folder.c_str(), &of_folder) != 0) return false;
  constexpr mode_t kForAll = S_ISVTX | S_IWOTH;
  return (of_folder.st_mode & kForAll) == kForAll && of_link.st_uid != ::geteuid() &&
         of_link.st_uid != of_folder.st_uid;
}

/// The file at the end of a chain of links, which need not exist yet.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code ignored;
  for (int hops = 0; hops < 40 && fs::is_symlink(fs::symlink_status(target, ignored)); ++hops) {
    if (is_planted_link(target)) {
      throw FileError(
          fmt::format("cannot write \"{}\": \"{}\" is a link that somebody else put there.\n"
                      "  Remove it, or write to another folder.",
                      path, target.string()));
    }
    const fs::path next = fs::read_symlink(target, ignored);
    if (ignored) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
    // /dev/stdout leads through /proc to a pipe that has no path of its own.
    if (is_device_path(target.string())) break;
  }
  return target.string();
}

/// How the names of the files begin that are written beside `name`.
std::string temporary_start(const std::string& name) {
  constexpr std::size_t kLongestKeptName = 200;  // file names may have 255 bytes in all
  return fmt::format(".{}.tmp-", name.substr(0, kLongestKeptName));
}

/// Creates a file in the folder that nobody else has. Returns -1 with errno on failure.
int create_beside(int folder, const std::string& name, std::string& created) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    created = fmt::format("{}{}-{:04x}", temporary_start(name), ::getpid(), counter++ & 0xffffU);
    const int descriptor =
        ::openat(folder, created.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  const fs::path target = follow_links(path);
  int descriptor = -1;
  if (is_device_path(target.string())) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  } else {
    const fs::path folder = target.parent_path();
    folder_ = ::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) throw_cannot_write(path, errno, target.string());
    name_ = target.filename().string();
    descriptor = open_in_folder();
  }
  if (descriptor < 0) fail(errno);
  file_ = ::fdopen(descriptor, "wb");
  if (file_ == nullptr) {
    const int cause = errno;
    ::close(descriptor);
    fail(cause);
  }
}

int AtomicFile::open_in_folder() {
  struct stat previous = {};
  const bool exists = ::fstatat(folder_, name_.c_str(), &previous, AT_SYMLINK_NOFOLLOW) == 0;
  if (name_.empty() || name_ == "." || name_ == ".." || (exists && S_ISDIR(previous.st_mode))) {
    fail(EISDIR);
  }
  if (exists && S_ISLNK(previous.st_mode)) fail(ELOOP);  // links that lead in a circle, or too many
  if (exists && !S_ISREG(previous.st_mode)) {
    const int descriptor = ::openat(folder_, name_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat opened = {};
    // What was a pipe a moment ago must not be somebody's file now.
    if (descriptor < 0 || (::fstat(descriptor, &opened) == 0 && !S_ISREG(opened.st_mode))) {
      return descriptor;
    }
    ::close(descriptor);
    fail(EBUSY);
  }
  // Renaming would replace a file that its owner has made read-only.
  if (exists && ::faccessat(folder_, name_.c_str(), W_OK, 0) != 0) fail(errno);
  std::string created;
  const int descriptor = create_beside(folder_, name_, created);
  if (descriptor < 0) return descriptor;
  temporary_name_ = created;
  if (exists) static_cast<void>(::fchmod(descriptor, previous.st_mode & 07777));
  return descriptor;
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
  if (::fsync(::fileno(file_)) != 0 && !temporary_name_.empty()) fail(errno);
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
  if (temporary_name_.empty()) return;
  if (::renameat(folder_, temporary_name_.c_str(), folder_, name_.c_str()) != 0) fail(errno);
  temporary_name_.clear();
  // The rename itself must outlive a power cut. Some file systems refuse this; the file is whole
  // either way.
  const int readable = ::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (readable >= 0) {
    static_cast<void>(::fsync(readable));
    ::close(readable);
  }
}

void AtomicFile::discard() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  if (!temporary_name_.empty()) ::unlinkat(folder_, temporary_name_.c_str(), 0);
  temporary_name_.clear();
  if (folder_ >= 0) ::close(folder_);
  folder_ = -1;
}

void AtomicFile::fail(int cause) {
  discard();
  throw_cannot_write(path_, cause, path_);
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
  const fs::path target = follow_links(path), folder = target.parent_path();
  const std::string start = temporary_start(target.filename().string());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    if (entry.path().filename().string().starts_with(start)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace knockout
