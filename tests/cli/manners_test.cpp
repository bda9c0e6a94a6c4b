// SPDX-License-Identifier: Apache-2.0
// What the command says, where, when, and how it looks on a terminal.
#include <pty.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

class Manners : public CommandTest {
 protected:
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

  static std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    return longest;
  }

  /// Numbers with a stripe of gaps in each of `columns` columns, and a target y.
  static std::string wide_table(int columns) {
    std::ostringstream csv;
    for (int c = 0; c < columns; ++c) csv << "a_rather_long_name_" << c << ',';
    csv << "y\n";
    for (int r = 0; r < 60; ++r) {
      for (int c = 0; c < columns; ++c) {
        if (r % (c + 3) != 0) csv << (r * 37 + c * 11) % 101 * 0.5;
        csv << ',';
      }
      csv << r * 0.25 << '\n';
    }
    return csv.str();
  }
};

TEST_F(Manners, TablesFitTheTerminal) {
  write("wide.csv", wide_table(12));
  for (const unsigned short width : {60, 80, 120}) {
    const std::string text = on_terminal({"inspect", "wide.csv", "--target", "y", "-q"}, width);
    EXPECT_LE(longest_line(text), width) << text;
    EXPECT_TRUE(contains(text, "a_rather_long_name_11")) << text;
  }
}

TEST_F(Manners, WhatIsLeftOutIsSaid) {
  write("wide.csv", wide_table(12));
  const std::string text = on_terminal({"inspect", "wide.csv", "--target", "y", "-q"}, 50);
  EXPECT_TRUE(contains(text, "not shown")) << text;
  EXPECT_TRUE(contains(text, "--json")) << text;
}

TEST_F(Manners, NothingIsCutWhereThereIsNoTerminal) {
  write("wide.csv", wide_table(12));
  const Outcome piped = shell("COLUMNS=40 \"$K\" inspect wide.csv --target y -q | cat");
  EXPECT_FALSE(contains(piped.out, "not shown")) << piped.out;
  EXPECT_GT(longest_line(piped.out), 60U);
}

TEST_F(Manners, FitSaysWhatItUnderstoodBeforeItTrains) {
  write("patients.csv", patients());
  const pid_t child = start({"fit", "patients.csv", "--target", "risk", "--steps", "100000000",
                             "--networks", "1", "-m", "m.st"});
  for (int i = 0; i < 300 && !contains(read(".stdout"), "set aside"); ++i) usleep(100000);
  kill(child, SIGKILL);
  const Outcome outcome = finish(child);
  for (const char* part : {"rows        120", "predicts    risk (regression)", "inputs ",
                           "continuous  age, bmi", "set aside   id"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
  EXPECT_TRUE(contains(outcome.err, "knockout fit: warning: \"id\"")) << outcome.err;
  EXPECT_FALSE(contains(outcome.out, "training "));
  EXPECT_FALSE(exists("m.st"));
}

TEST_F(Manners, CompareSaysWhatItUnderstoodFirst) {
  write("patients.csv", patients());
  const Outcome outcome = run(quick({"compare", "patients.csv", "--target", "risk", "--methods",
                                     "LINEAR,XGBoost", "--folds", "2", "--ampute", "none"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("predicts    risk (regression)\ninputs ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "Linear imputation")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "XGBoost")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "RMSE")) << outcome.out;
}

TEST_F(Manners, QuietVerbsSayNothingOnStandardError) {
  write("patients.csv", patients());
  write("some.csv", "age,sex\n30,\n,f\n");
  const std::vector<std::vector<std::string>> commands = {
      {"inspect", "patients.csv", "-q"},
      quick({"fit", "patients.csv", "--target", "risk", "-m", "m.st", "-q", "--expect-missing",
             "some.csv"}),
      {"describe", "m.st", "-q"},
      {"predict", "some.csv", "-m", "m.st", "-q"},
      {"evaluate", "patients.csv", "-m", "m.st", "-q"},
      quick({"compare", "patients.csv", "--target", "outcome", "-q", "--folds", "2", "--methods",
             "knockout,boosting,missforest,mice,marginals"}),
      {"ampute", "patients.csv", "-q"}};
  for (const auto& arguments : commands) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments[0] << outcome.err;
    EXPECT_EQ(outcome.err, "") << arguments[0];
  }
}

TEST_F(Manners, NamesAndCellsCannotSteerATerminal) {
  std::string csv = "\x1b[31mred\x1b[0m,\"two\nlines\",\xE2\x80\xAEturned,y\n";
  for (int r = 0; r < 40; ++r) {
    csv += std::to_string(r % 7) + (r % 2 == 0 ? ",\x1b[2Jwipe," : ",calm,") +
           std::to_string(r % 5 * 0.5) + "," + std::to_string(r * 0.3) + "\n";
  }
  write("evil.csv", csv);
  write("broken.csv", csv + "\x1b[1m,2\n");
  const std::vector<std::vector<std::string>> commands = {
      {"inspect", "evil.csv"},
      {"inspect", "broken.csv"},
      quick({"fit", "evil.csv", "--target", "y", "-m", "m.st"}),
      {"fit", "evil.csv", "--target", "\x1b[31mrad", "-m", "m.st"},
      {"describe", "m.st"},
      {"evaluate", "evil.csv", "-m", "m.st"},
      {"predict", "patients\x1b[5m.csv", "-m", "m.st"},
      quick({"compare", "evil.csv", "--target", "y", "--methods", "linear", "--folds", "2"}),
      {"\x1b[31mfit"}};
  for (const auto& arguments : commands) {
    const Outcome outcome = run(arguments);
    EXPECT_FALSE(contains(outcome.out + outcome.err, "\x1b")) << arguments[0];
    EXPECT_FALSE(contains(outcome.out + outcome.err, "\xE2\x80\xAE")) << arguments[0];
  }
}

TEST_F(Manners, AdviceNamesTheVerbThatHasTheOption) {
  make_model();
  write("word.csv", "age,bmi,sex,ward\n30,thin,f,1\n");
  const Outcome outcome = run({"predict", "word.csv", "-m", "model.st"});
  if (outcome.exit_code == 0) GTEST_SKIP() << "a word among numbers is no error here";
  EXPECT_TRUE(contains(outcome.err, "--categorical bmi (an option of knockout fit)"))
      << outcome.err;
}

TEST_F(Manners, ATableOfGapsThatLacksInputsIsPointedOut) {
  write("patients.csv", patients());
  write("some.csv", "age,sex\n30,\n,f\n");
  const Outcome outcome = run(quick({"fit", "patients.csv", "--target", "risk", "--ignore",
                                     "id,outcome", "-m", "m.st", "--expect-missing", "some.csv"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "some.csv lacks 2 of 4 inputs (bmi, ward)")) << outcome.err;
}

TEST_F(Manners, RmseStandsBesideMse) {
  write("patients.csv", patients());
  const Outcome fitted = run(quick({"fit", "patients.csv", "--target", "risk", "-m", "m.st"}));
  EXPECT_TRUE(contains(fitted.out, ", RMSE ")) << fitted.out;
  const Outcome judged = run({"evaluate", "patients.csv", "-m", "m.st", "--singles"});
  EXPECT_TRUE(contains(judged.out, "RMSE")) << judged.out;
  // Without an interval the two are each other's square and root.
  const nlohmann::json scores = nlohmann::json::parse(
      run({"evaluate", "patients.csv", "-m", "m.st", "--singles", "--json"}).out);
  EXPECT_TRUE(scores.contains("levels"));
}

}  // namespace
}  // namespace knockout::test
