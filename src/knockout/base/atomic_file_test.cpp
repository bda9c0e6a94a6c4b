// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "knockout/base/error.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void put(const fs::path& path, const std::string& bytes) { std::ofstream(path) << bytes; }

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "knockout_atomic_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

/// The message of the FileError that `action` throws, or "" when it throws none.
template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

void write_whole(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

TEST_F(AtomicFileTest, HoldsTheBytesAfterCommitAndLeavesNothingElse) {
  const fs::path path = folder_ / "out.bin";
  const std::string bytes("a\0b\n", 4);
  write_whole(path, bytes);
  EXPECT_EQ(content_of(path), bytes);
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicFileTest, LeavesThePreviousFileWhenNotCommitted) {
  const fs::path path = folder_ / "out.txt";
  put(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(files_in_folder(), 2U);
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicFileTest, WhatKilledWritersLeftCanBeRemovedAndNothingElse) {
  const fs::path path = folder_ / "out.txt";
  put(path, "whole");
  put(folder_ / ".out.txt.tmp-123-0001", "half");
  put(folder_ / ".out.txt", "another file");
  remove_unfinished(path);
  EXPECT_EQ(content_of(path), "whole");
  EXPECT_FALSE(fs::exists(folder_ / ".out.txt.tmp-123-0001"));
  EXPECT_EQ(files_in_folder(), 2U);
}

TEST_F(AtomicFileTest, KeepsThePermissionsOfTheFileItReplaces) {
  const fs::path path = folder_ / "out.txt";
  put(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_whole(path, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, NamesTheFolderThatALinkLeadsToAndThatIsNotThere) {
  fs::create_symlink("nowhere/target.txt", folder_ / "link");
  try {
    write_whole(folder_ / "link", "new");
    FAIL() << "it was written";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere\" first"), std::string::npos) << error.what();
  }
}

TEST_F(AtomicFileTest, WritesThroughALinkAndKeepsIt) {
  fs::create_directory(folder_ / "elsewhere");
  put(folder_ / "elsewhere" / "target.txt", "old");
  fs::create_symlink("elsewhere/target.txt", folder_ / "link");
  fs::create_symlink("link", folder_ / "link_to_link");
  write_whole(folder_ / "link_to_link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link_to_link"));
  EXPECT_EQ(content_of(folder_ / "elsewhere" / "target.txt"), "new");
}

TEST_F(AtomicFileTest, CreatesTheTargetOfALinkThatLeadsNowhere) {
  fs::create_symlink("later.txt", folder_ / "link");
  write_whole(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content_of(folder_ / "later.txt"), "new");
}

TEST_F(AtomicFileTest, RefusesLinksThatLeadInACircle) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  const std::string message = message_of([&] { write_whole(folder_ / "a", "new"); });
  EXPECT_NE(message.find("symbolic links"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_symlink(folder_ / "a") && fs::is_symlink(folder_ / "b"));
}

TEST_F(AtomicFileTest, ReplacesALinkThatAppearsBeforeTheCommit) {
  put(folder_ / "out.txt", "old");
  put(folder_ / "victim.txt", "precious");
  AtomicFile file(folder_ / "out.txt");
  file.write("new");
  fs::remove(folder_ / "out.txt");
  fs::create_symlink("victim.txt", folder_ / "out.txt");
  file.commit();
  EXPECT_FALSE(fs::is_symlink(folder_ / "out.txt"));
  EXPECT_EQ(content_of(folder_ / "out.txt"), "new");
  EXPECT_EQ(content_of(folder_ / "victim.txt"), "precious");
}

TEST_F(AtomicFileTest, GoesWhereALinkLedWhenItWasOpened) {
  put(folder_ / "meant.txt", "old");
  put(folder_ / "victim.txt", "precious");
  fs::create_symlink("meant.txt", folder_ / "link");
  AtomicFile file(folder_ / "link");
  file.write("new");
  fs::remove(folder_ / "link");
  fs::create_symlink("victim.txt", folder_ / "link");
  file.commit();
  EXPECT_EQ(content_of(folder_ / "meant.txt"), "new");
  EXPECT_EQ(content_of(folder_ / "victim.txt"), "precious");
}

TEST_F(AtomicFileTest, StaysInTheFolderThatItWasOpenedIn) {
  fs::create_directory(folder_ / "meant");
  fs::create_directory(folder_ / "other");
  put(folder_ / "other" / "out.txt", "precious");
  AtomicFile file(folder_ / "meant" / "out.txt");
  file.write("new");
  fs::rename(folder_ / "meant", folder_ / "moved");
  fs::create_symlink("other", folder_ / "meant");
  file.commit();
  EXPECT_EQ(content_of(folder_ / "moved" / "out.txt"), "new");
  EXPECT_EQ(content_of(folder_ / "other" / "out.txt"), "precious");
}

TEST_F(AtomicFileTest, RefusesALinkThatSomebodyElseLeftInAFolderForAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser can make another's link";
  fs::permissions(folder_, fs::perms::all | fs::perms::sticky_bit);
  put(folder_ / "victim.txt", "precious");
  fs::create_symlink("victim.txt", folder_ / "out.txt");
  ASSERT_EQ(::lchown((folder_ / "out.txt").c_str(), 12345, 12345), 0);
  const std::string message = message_of([&] { write_whole(folder_ / "out.txt", "new"); });
  EXPECT_NE(message.find("somebody else"), std::string::npos) << message;
  EXPECT_EQ(content_of(folder_ / "victim.txt"), "precious");
  ASSERT_EQ(::lchown((folder_ / "out.txt").c_str(), ::geteuid(), ::getegid()), 0);
  write_whole(folder_ / "out.txt", "new");  // our own link is followed there, too
  EXPECT_EQ(content_of(folder_ / "victim.txt"), "new");
}

TEST_F(AtomicFileTest, WritesToAPipeDirectly) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = content_of(path); });
  write_whole(path, "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(AtomicFileTest, LeavesTheNullDeviceADevice) {
  write_whole("/dev/null", "nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, TakesAFileInSharedMemoryForAFile) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "there is no /dev/shm";
  const fs::path path = "/dev/shm" / folder_.filename();
  put(path, "old");
  { AtomicFile(path.string()).write("half of the new"); }
  EXPECT_EQ(content_of(path), "old");
  fs::remove(path);
}

TEST_F(AtomicFileTest, SaysThatAFullDeviceIsFull) {
  const std::string message = message_of([] { write_whole("/dev/full", "too much"); });
  EXPECT_NE(message.find("/dev/full"), std::string::npos) << message;
  EXPECT_NE(message.find("No space left"), std::string::npos) << message;
  EXPECT_NE(message.find("Free some space"), std::string::npos) << message;
}

TEST_F(AtomicFileTest, LeavesThePreviousFileWholeWhenTheDiskIsFull) {
  const fs::path path = folder_ / "out.txt";
  put(path, "old");
  // A file size limit fails writes just as a full disk does; it must not outlive the child.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of([&] { write_whole(path, std::string(100'000, 'x')); });
    const bool good = message.find("out.txt") != std::string::npos &&
                      message.find("File too large") != std::string::npos;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(AtomicFileTest, NamesTheFolderThatDoesNotExist) {
  const std::string path = folder_ / "absent" / "out.txt";
  const std::string message = message_of([&] { AtomicFile file(path); });
  EXPECT_NE(message.find(path), std::string::npos) << message;
  EXPECT_NE(message.find("Create \"" + (folder_ / "absent").string() + "\" first"),
            std::string::npos)
      << message;
}

TEST_F(AtomicFileTest, RefusesAFolderAsDestination) {
  const std::string message = message_of([&] { AtomicFile file(folder_); });
  EXPECT_NE(message.find("Is a directory"), std::string::npos) << message;
}

TEST_F(AtomicFileTest, RefusesAnUnwritableFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write anywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const std::string message = message_of([&] { AtomicFile file(folder_ / "out.txt"); });
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
}

TEST_F(AtomicFileTest, AcceptsTheLongestNameThatAFileCanHave) {
  const fs::path path = folder_ / std::string(255, 'n');
  write_whole(path, "long name");
  EXPECT_EQ(content_of(path), "long name");
}

}  // namespace
}  // namespace knockout
