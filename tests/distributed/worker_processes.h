// SPDX-License-Identifier: Apache-2.0
// Tests that are one program in two roles: run as it is, it is the test; run by itself with the
// variable KNOCKOUT_TEST_WORKER set, it is one process of a training.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "knockout/base/test_free_port.h"

namespace knockout::testing_processes {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

/// A child that runs this program again.
class Worker {
 public:
  /// What it prints to stderr goes to `log`.
  Worker(const Variables& variables, const fs::path& log) : log_(log) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, STDERR_FILENO);
    for (const char* name : {"RANK", "WORLD_SIZE"}) ::unsetenv(name);
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    ::execl("/proc/self/exe", "worker", nullptr);
    ::_exit(127);
  }
  Worker(Worker&& other) noexcept : pid_(std::exchange(other.pid_, -1)), log_(other.log_) {}
  ~Worker() {
    if (pid_ <= 0) return;
    send(SIGKILL);
    wait();
  }

  void send(int signal) const { ::kill(pid_, signal); }

  /// Its exit code, or 128 + the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  bool is_running() {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

 private:
  pid_t pid_ = -1;
  fs::path log_;
};

inline std::string read_file(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// Waits until something holds; false after half a minute.
inline bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// A test with a folder of its own.
class ProcessesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("knockout_processes_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

}  // namespace knockout::testing_processes
