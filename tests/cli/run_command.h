// SPDX-License-Identifier: Apache-2.0
// Runs the built command as a user would, in a folder of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace knockout::test {

struct Outcome {
  int exit_code = -1;  ///< -1 when a signal ended it.
  int signal = 0;
  std::string out, err;
};

struct RunOptions {
  std::string stdin_text = {};
  std::string stdout_path = {};  ///< Instead of Outcome::out.
  std::optional<rlim_t> largest_file = {};
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Names the command; a test without one is skipped.
inline const char* command_path() { return std::getenv("KNOCKOUT_COMMAND"); }

/// A test in an empty folder, which is the command's current folder too.
class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    if (command_path() == nullptr) GTEST_SKIP() << "KNOCKOUT_COMMAND does not name the command";
    std::string pattern = (std::filesystem::temp_directory_path() / "knockout-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Starts the command and returns its process id.
  pid_t start(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    std::vector<std::string> words = {command_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    write(".stdin", options.stdin_text);
    const std::string out =
        options.stdout_path.empty() ? path(".stdout").string() : options.stdout_path;
    const std::string in = path(".stdin"), err = path(".stderr");
    const pid_t child = fork();
    if (child != 0) return child;
    dup2(open(in.c_str(), O_RDONLY), 0);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
    if (chdir(folder_.c_str()) != 0) _exit(126);
    if (options.largest_file) {
      const rlimit limit{*options.largest_file, *options.largest_file};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }

  Outcome finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    outcome.out = read(".stdout");
    outcome.err = read(".stderr");
    std::filesystem::remove(path(".stdin"));
    std::filesystem::remove(path(".stdout"));
    std::filesystem::remove(path(".stderr"));
    return outcome;
  }

  Outcome run(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    return finish(start(arguments, options));
  }

  /// What the command writes on a terminal of this width, line ends as in a file.
  std::string on_terminal(const std::vector<std::string>& arguments, unsigned short columns) const {
    const winsize size{.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      std::vector<std::string> words = {command_path()};
      words.insert(words.end(), arguments.begin(), arguments.end());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      unsetenv("COLUMNS");
      if (chdir(folder_.c_str()) != 0) _exit(126);
      execv(argv[0], argv.data());
      _exit(127);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(terminal, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(got));
    }
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
    return replaced(text, "\r\n", "\n");
  }

  /// A shell line in the folder; $K is the command.
  Outcome shell(const std::string& line) const {
    const std::string script =
        "cd '" + folder_.string() + "' && K='" + command_path() + "' && { " + line + "; }";
    const std::string redirected = "bash -c '" + replaced(script, "'", "'\\''") + "' >'" +
                                   path(".stdout").string() + "' 2>'" + path(".stderr").string() +
                                   "'";
    write(".stdin", "");
    const int status = std::system(redirected.c_str());
    Outcome outcome;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    outcome.out = read(".stdout");
    outcome.err = read(".stderr");
    return outcome;
  }

  /// 120 patients: numbers, words, codes and gaps; `risk` and `outcome` follow from them.
  static std::string patients(std::size_t rows = 120) {
    std::ostringstream csv;
    csv << "id,age,bmi,sex,ward,risk,outcome\n";
    std::uint32_t state = 12345;
    const auto draw = [&](int count) {
      state = state * 1664525U + 1013904223U;
      return static_cast<int>((state >> 16) % static_cast<std::uint32_t>(count));
    };
    for (std::size_t row = 0; row < rows; ++row) {
      const int age = 20 + draw(60), bmi = 18 + draw(20), ward = 1 + draw(3);
      const bool female = draw(2) == 1;
      const double risk = 0.1 * age + 0.2 * bmi + (female ? 1 : 0) + ward;
      csv << "p" << row << ',' << (draw(5) == 0 ? "" : std::to_string(age)) << ',' << bmi << ','
          << (draw(6) == 0 ? "NA"
              : female     ? "f"
                           : "m")
          << ',' << ward << ',' << risk << ',' << (risk > 14 ? "ill" : "well") << '\n';
    }
    return csv.str();
  }

  /// Options that make a fit take milliseconds.
  static std::vector<std::string> quick(std::vector<std::string> arguments) {
    for (const char* word :
         {"--steps", "40", "--networks", "2", "--hidden", "16", "--batch", "32"}) {
      arguments.emplace_back(word);
    }
    return arguments;
  }

  /// Writes patients.csv and fits model.st to its `outcome`.
  void make_model() const {
    write("patients.csv", patients());
    const Outcome fitted = run(quick({"fit", "patients.csv", "--target", "outcome", "--ignore",
                                      "id,risk", "--categorical", "ward", "-m", "model.st"}));
    ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  std::filesystem::path folder_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace knockout::test
