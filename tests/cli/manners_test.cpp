// SPDX-License-Identifier: Apache-2.0
// What the command says, where, when, and how it looks on a terminal.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

class Manners : public CommandTest {
 protected:
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

TEST_F(Manners, LongWorkSaysWhatItDoesUnlessAskedToBeQuiet) {
  write("patients.csv", patients());
  // Both at once: a pipe that keeps them waiting for more than two seconds.
  const Outcome outcome = shell(
      "(sleep 2.6; cat patients.csv) | tee >($K inspect - -q --json >quiet.json 2>quiet.err) | "
      "$K inspect - --json >loud.json 2>loud.err; for i in 1 2 3 4 5 6 7 8 9 10; do "
      "[ -s quiet.json ] && break; sleep 0.1; done; cat quiet.err >&2");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(read("loud.err"), "knockout inspect: reading standard input (2."))
      << read("loud.err");
  EXPECT_TRUE(contains(read("loud.json"), "\"rows\": 120"));
}

TEST_F(Manners, WhatGoesBeyondALimitIsRefusedWithTheFlagThatRaisesIt) {
  make_model();
  const auto refused = [&](std::vector<std::string> arguments, int exit_code,
                           const std::string& phrase) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << arguments[0] << outcome.err;
    EXPECT_TRUE(contains(outcome.err, phrase)) << outcome.err;
  };
  refused({"inspect", "patients.csv", "--max-columns", "6"}, 3, "--max-columns 7");
  refused({"inspect", "patients.csv", "--max-cells", "100"}, 3, "--max-cells 8");
  refused({"predict", "patients.csv", "-m", "model.st", "--max-columns", "6"}, 3, "--max-columns");
  refused({"fit", "patients.csv", "--target", "risk", "-m", "m.st", "--hidden", "65536,65536",
           "--networks", "1", "--max-memory", "8"},
          2, "--max-memory 1");
  refused({"evaluate", "patients.csv", "-m", "model.st", "--max-missing", "4", "--max-patterns",
           "1000000000", "--max-memory", "0.00002"},
          2, "--max-patterns 1000");
  const Outcome many = run({"fit", "patients.csv", "--target", "outcome", "-m", "m.st",
                            "--networks", "30", "--steps", "2", "--hidden", "4"});
  EXPECT_EQ(many.exit_code, 0) << many.err;
  EXPECT_TRUE(contains(many.err, "30 networks of ")) << many.err;
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
