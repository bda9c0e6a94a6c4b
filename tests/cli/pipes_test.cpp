// SPDX-License-Identifier: Apache-2.0
// Every input is read once, whatever it is: a file, standard input, a named pipe, what a shell
// makes of <(...). A command that waits for a second reading of a pipe is ended after a minute.
#include <regex>

#include "run_command.h"

namespace knockout::test {
namespace {

class Pipes : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!IsSkipped()) write("rows.csv", patients(5000));  // more than a pipe holds at a time
  }

  /// What the command says about rows.csv, given in one of the ways, without the name and the time.
  std::string answer(const std::string& given, const std::string& before,
                     const std::string& after) const {
    const std::string feed = given == "pipe" ? "mkfifo pipe; cat rows.csv >pipe & " : "";
    const Outcome outcome =
        shell(feed + "timeout 60 $K " + before + " " + given + " " + after +
              (given == "-" ? " <rows.csv" : "") + "; code=$?; rm -f pipe; " + "(exit $code)");
    EXPECT_EQ(outcome.exit_code, 0) << given << ": " << outcome.err;
    std::string said = outcome.out;
    if (said.find("/dev/fd/") != std::string::npos) said.replace(said.find("/dev/fd/"), 10, "NAME");
    for (const char* name : {"standard input", "rows.csv", "pipe"}) {
      said = replaced(said, name, "NAME");
    }
    return std::regex_replace(said, std::regex(R"(\([0-9.]+ s\))"), "(TIME)");
  }

  void expect_same_answers(const std::string& before, const std::string& after) const {
    const std::string expected = answer("rows.csv", before, after);
    EXPECT_NE(expected, "");
    for (const char* given : {"-", "pipe", "<(cat rows.csv)"}) {
      EXPECT_EQ(answer(given, before, after), expected) << given;
    }
  }
};

TEST_F(Pipes, AreReadOnceByInspect) { expect_same_answers("inspect", "--target risk"); }

TEST_F(Pipes, AreReadOnceByFit) {
  for (const std::string given : {"rows.csv", "-", "pipe", "<(cat rows.csv)"}) {
    answer(given, "fit", "--target risk --hidden 8 --steps 20 -q -m model.st");
    write(given.substr(0, 1) + ".out", shell("$K predict rows.csv -m model.st").out);
  }
  EXPECT_NE(read("r.out"), "");
  for (const char* given : {"-.out", "p.out", "<.out"}) EXPECT_EQ(read(given), read("r.out"));
}

TEST_F(Pipes, AreReadOnceByWhatAppliesAModel) {
  ASSERT_EQ(shell("$K fit rows.csv --target risk --hidden 8 --steps 20 -q -m model.st").exit_code,
            0);
  expect_same_answers("predict", "-m model.st --key id");
  expect_same_answers("evaluate", "-m model.st --max-missing 1");
  answer("<(cat rows.csv)", "evaluate", "-m model.st --max-missing 0 --json --report r.html");
}

TEST_F(Pipes, LoseNoRowWithoutAHeader) {
  const std::string whole = patients(5000);
  write("rows.csv", whole.substr(whole.find('\n') + 1));
  for (const std::string given : {"rows.csv", "-", "pipe", "<(cat rows.csv)"}) {
    EXPECT_TRUE(contains(answer(given, "inspect", "--header no --json"), "\"rows\": 5000"))
        << given;
  }
}

TEST_F(Pipes, AnIgnoredColumnMayHoldAnything) {
  write("odd.csv", "a,b,y\n1,\"x\ny\",2\n2,,3\n3,5 kg,4\n4,NA,5\n");
  const Outcome outcome = run({"inspect", "odd.csv", "--target", "y", "--ignore", "b", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "ignored on request")) << outcome.out;
}

}  // namespace
}  // namespace knockout::test
