// SPDX-License-Identifier: Apache-2.0
// Walks docs/paper_map.md: every file and symbol that it names exists, and every command works.
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "../cli/run_command.h"

namespace knockout::test {
namespace {

namespace fs = std::filesystem;

std::string source_path(const std::string& name) {
  return std::string(KNOCKOUT_SOURCE_DIR) + "/" + name;
}

/// What stands between backticks in the table of the page, in order; and what the words "x in y"
/// tie together: a symbol and its file.
struct PaperMap {
  std::vector<std::string> files, commands;
  std::vector<std::pair<std::string, std::string>> symbols;
  std::vector<std::string> unknown;  ///< Neither of these: the page must be plainer.
};

PaperMap read_map() {
  PaperMap map;
  const std::string page = read_file(source_path("docs/paper_map.md"));
  const std::regex quoted("`([^`]+)`"), symbol("`([A-Za-z_]+)` in `([^`]+)`");
  std::istringstream lines(page);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> named;
    for (std::sregex_iterator at(line.begin(), line.end(), symbol), end; at != end; ++at) {
      map.symbols.emplace_back((*at)[1], (*at)[2]);
      named.push_back((*at)[1]);
    }
    for (std::sregex_iterator at(line.begin(), line.end(), quoted), end; at != end; ++at) {
      const std::string text = (*at)[1];
      if (text.starts_with("knockout ")) {
        map.commands.push_back(text);
      } else if (text.find('/') != std::string::npos) {
        map.files.push_back(text);
      } else if (std::find(named.begin(), named.end(), text) == named.end()) {
        map.unknown.push_back(text);
      }
    }
  }
  return map;
}

/// As a shell would: blanks part words, single quotes hold them together.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : command) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  words.erase(words.begin());  // "knockout"
  return words;
}

TEST(PaperMap, HasTheParts) {
  const PaperMap map = read_map();
  EXPECT_GT(map.files.size(), 20U);
  EXPECT_GT(map.symbols.size(), 15U);
  EXPECT_GT(map.commands.size(), 20U);
  EXPECT_EQ(map.unknown, std::vector<std::string>{})
      << "say `symbol` in `file`, a path from the root, or a whole command";
}

TEST(PaperMap, EveryFileExists) {
  for (const std::string& file : read_map().files) {
    EXPECT_TRUE(fs::exists(source_path(file))) << file;
  }
}

TEST(PaperMap, EverySymbolIsInItsFile) {
  for (const auto& [symbol, file] : read_map().symbols) {
    const std::string text = read_file(source_path(file));
    EXPECT_TRUE(std::regex_search(text, std::regex("\\b" + symbol + "\\b")))
        << symbol << " is not in " << file;
  }
}

class PaperMapCommands : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::string csv = "a,b,y\n";
    for (int row = 0; row < 60; ++row) {
      const int a = (7 * row) % 13, b = (5 * row) % 11;
      csv += (row % 6 == 0 ? "" : std::to_string(a)) + "," +
             (row % 7 == 0 ? "" : std::to_string(b)) + "," + std::to_string(2 * a + b) + "\n";
    }
    if (!folder_.empty()) write("data.csv", csv);
  }

  /// Quick enough to be run as it stands, or with what makes it quick.
  std::optional<std::vector<std::string>> quick(const std::vector<std::string>& words) const {
    static const std::map<std::string, std::vector<std::string>> kShort = {
        {"fit", {"-m", "model.safetensors", "--steps", "20", "--networks", "1", "--hidden", "8"}},
        {"compare",
         {"--steps", "20", "--networks", "1", "--hidden", "8", "--folds", "2", "--ampute", "none",
          "--threads", "1"}},
        {"ampute", {"-o", "gaps.csv"}}};
    std::vector<std::string> all = words;
    if (words[0] == "reproduce") {
      if (words[1] != "dimension" && words[1] != "counter-example") return std::nullopt;
      all.insert(all.end(), {"--quick", "--journal", "journal"});
      return all;
    }
    const auto more = kShort.find(words[0]);
    if (more == kShort.end()) return std::nullopt;
    all.insert(all.end(), more->second.begin(), more->second.end());
    return all;
  }
};

TEST_F(PaperMapCommands, EveryCommandRunsOrIsKnownWithItsOptions) {
  const Outcome list = run({"reproduce", "--help"});
  int ran = 0;
  for (const std::string& command : read_map().commands) {
    SCOPED_TRACE(command);
    const std::vector<std::string> words = words_of(command);
    if (const auto short_form = quick(words)) {
      const Outcome outcome = run(*short_form);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      ++ran;
      continue;
    }
    // Too long to be run: the verb, the study and every option are there, by their own help.
    if (words[0] == "reproduce") {
      EXPECT_TRUE(contains(list.out, "\n  " + words[1] + " ")) << list.out;
    }
    std::vector<std::string> help = words;
    help.emplace_back("--help");
    const Outcome outcome = run(help);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const std::string& word : words) {
      if (word.starts_with("--")) EXPECT_TRUE(contains(outcome.out, word)) << word;
    }
  }
  EXPECT_GE(ran, 12);
}

TEST_F(PaperMapCommands, ACommandThatIsNotThereFails) {
  EXPECT_NE(run({"fit", "data.csv", "--target", "y", "-m", "m.safetensors", "--no-such-option"})
                .exit_code,
            0);
  EXPECT_FALSE(contains(run({"reproduce", "--help"}).out, "\n  no-such-study "));
}

}  // namespace
}  // namespace knockout::test
