// SPDX-License-Identifier: Apache-2.0
// Wrong commands and broken files as people produce them, for every verb: each ends, with the right
// exit code and a message that helps, and leaves all files as they were.
#include <map>

#include "run_command.h"

namespace knockout::test {
namespace {

constexpr int kDone = 0, kUsage = 2, kData = 3, kModel = 4, kFile = 5;

struct Line {
  std::string arguments;  ///< Behind `knockout`, as a shell sees them.
  int exit_code;
  std::string phrase;  ///< In the message; of a command that works, "" = no message at all.
};

class Hostile : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (IsSkipped()) return;
    make_model();
    write_broken_tables();
    write_broken_models();
  }

  void write_broken_tables() const {
    write("empty.csv", "");
    write("blank.csv", "\n\n   \n");
    write("header.csv", "age,risk\n");
    write("ragged.csv", "age,risk\n1,2\n3,4,5\n");
    write("short.csv", "age,risk\n1,2\n3\n");
    write("open_quote.csv", "age,risk\n\"1,2\n3,4\n");
    write("after_quote.csv", "age,risk\n\"1\"x,2\n3,4\n");
    write("nul.csv", std::string("age,risk\n1,2\n\0\0\0,4\n", 20));
    write("zip.csv", std::string("PK\x03\x04") + std::string(60, '\0'));
    write("broken.csv.gz", std::string("\x1f\x8b\x08\x00") + "not gzip at all");
    write("one_column.csv", "risk\n1\n2\n3\n");
    write("constant.csv", "a,risk\n1,5\n2,5\n3,5\n");
    write("unlabelled.csv", "a,risk\n1,\n2,NA\n3,\n");
    write("words.csv", "a,risk\nx,1\ny,2\nz,hello\nw,4\n");
    write("weights.csv", "a,w,risk\n1,-1,2.5\n2,1,3.5\n3,1,4.5\n");
    write("heavy.csv", "a,w,risk\n1,0,2.5\n2,0,3.5\n3,0,4.5\n");
    write("unseen.csv", "age,bmi,sex,ward\n30,20,x,1\n");
    write("word.csv", "age,bmi,sex,ward\n30,thin,f,1\n");
    write("foreign.csv", "alpha,beta\n1,2\n3,4\n");
    write("patterns.txt", "age\nagee\n");
    write("matrix.npy", "\x93NUMPY junk");
    std::filesystem::create_directory(path("folder"));
    std::filesystem::create_symlink("loop", path("loop"));
  }

  void write_broken_models() const {
    const std::string model = read("model.st");
    write("half.st", model.substr(0, model.size() / 2));
    write("nothing.st", "");
    write("long.st", model + "more");
    write("noise.st", std::string(500, '\xee'));
    std::string flipped = model;
    flipped[flipped.size() - 3] = static_cast<char>(flipped[flipped.size() - 3] ^ 0x40);
    write("flipped.st", flipped);
    std::string renamed = model;
    const std::string key = "\\\"plan\\\"";  // within a string of the header
    renamed.replace(renamed.find(key), key.size(), "\\\"plam\\\"");
    write("renamed.st", renamed);
  }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const std::string& name : files()) {
      const bool plain =
          std::filesystem::is_regular_file(std::filesystem::symlink_status(path(name)));
      if (!name.starts_with(".std")) all[name] = plain ? read(name) : "";
    }
    return all;
  }

  void expect_all(const std::vector<Line>& lines) const {
    const auto before = contents();
    for (const Line& line : lines) {
      const Outcome outcome = shell("timeout 60 \"$K\" " + line.arguments);
      const std::string said = "knockout " + line.arguments + "\n" + outcome.err;
      EXPECT_EQ(outcome.exit_code, line.exit_code) << said;
      EXPECT_TRUE(contains(outcome.err, line.phrase)) << line.phrase << "\nis not in\n" << said;
      EXPECT_FALSE(contains(outcome.err, "should not have happened")) << said;
      if (line.exit_code != kDone) {
        EXPECT_TRUE(outcome.err.starts_with("knockout")) << said;
      }
    }
    EXPECT_TRUE(contents() == before) << "a refused command changes no file and leaves none";
  }
};

TEST_F(Hostile, CommandsThatNobodyMeant) {
  expect_all({
      {"describ", kUsage, "Did you mean \"describe\"?"},
      {"help", kUsage, "unknown verb \"help\""},
      {"-x", kUsage, "unknown option \"-x\""},
      {"--", kUsage, "unknown option \"--\""},
      {"''", kUsage, "unknown verb \"\""},
      {"'\033[31mfit'", kUsage, "unknown verb"},
      {"fit --help me", kDone, ""},
      {"demo --seed x", kUsage, "whole number"},
      {"demo --threads -1", kUsage, "--threads"},
      {"demo now", kUsage, "unexpected argument \"now\""},
      {"reproduce nothing", kUsage, "nothing"},
      {"reproduce regression --report out.txt", kUsage, ".html"},
      {"reproduce regression --seed -3", kUsage, "--seed"},
      {"reproduce --data", kUsage, "reproduce"},
  });
}

TEST_F(Hostile, InspectOfWhatIsNoTable) {
  expect_all({
      {"inspect", kUsage, "which table"},
      {"inspect empty.csv", kData, "the file is empty"},
      {"inspect blank.csv", kData, "the file is empty"},
      {"inspect ragged.csv", kData, "ragged.csv:3"},
      {"inspect short.csv", kData, "short.csv:3"},
      {"inspect open_quote.csv", kData, "never closed"},
      {"inspect after_quote.csv", kData, "after_quote.csv:2"},
      {"inspect nul.csv", kData, "nul.csv"},
      {"inspect zip.csv", kData, "zip.csv"},
      {"inspect broken.csv.gz", kData, "broken.csv.gz"},
      {"inspect folder", kFile, "folder"},
      {"inspect loop", kFile, "loop"},
      {"inspect nowhere/data.csv", kFile, "nowhere/data.csv"},
      {"inspect patients.csv second.csv", kUsage, "second.csv"},
      {"inspect - < /dev/null", kData, "standard input"},
      {"inspect patients.csv --delimiter ab", kUsage, "one character"},
      {"inspect patients.csv --delimiter 1", kUsage, "cannot separate"},
      {"inspect patients.csv --decimal-mark x", kUsage, "decimal mark"},
      {"inspect patients.csv --header maybe", kUsage, "yes or no"},
      {"inspect patients.csv --target nobody", kUsage, "nobody"},
      {"inspect patients.csv --categorical age --continuous age", kUsage, "age"},
      {"inspect patients.csv --range age=5:1", kUsage, "lower bound"},
      {"inspect patients.csv --range age=0:10", kData, "0:10"},
      {"inspect patients.csv --npy x=matrix.npy", kData, "matrix.npy"},
      {"inspect patients.csv --npy matrix.npy", kUsage, "NAME=FILE"},
      {"inspect patients.csv --report nowhere/x.html", kFile, "nowhere"},
      {"inspect patients.csv --report x", kUsage, ".html"},
      {"inspect patients.csv --steps 5", kUsage, "unknown option \"--steps\""},
  });
}

TEST_F(Hostile, FitsThatCannotWork) {
  expect_all({
      {"fit patients.csv -m m.st", kUsage, "--target COLUMN"},
      {"fit patients.csv --target risk", kUsage, "-m model.safetensors"},
      {"fit patients.csv --target risk -m folder", kFile, "folder"},
      {"fit patients.csv --target risk -m nowhere/m.st", kFile, "Create \"nowhere\" first"},
      {"fit patients.csv --target risk -m patients.csv", kUsage, "overwrite"},
      {"fit header.csv --target risk -m m.st", kData, "no rows"},
      {"fit one_column.csv --target risk -m m.st", kData, "no column is left"},
      {"fit constant.csv --target risk -m m.st", kData, "nothing to learn"},
      {"fit unlabelled.csv --target risk -m m.st", kData, "no label"},
      {"fit words.csv --target risk --task regression -m m.st", kData, "words.csv:4"},
      {"fit weights.csv --target risk --weights w -m m.st", kData, "negative"},
      {"fit heavy.csv --target risk --weights w -m m.st", kData, "every weight is 0"},
      {"fit patients.csv --target risk --weights sex -m m.st", kData, "(--weights)"},
      {"fit patients.csv --target risk --wieghts ward -m m.st", kUsage, "\"--weights\"?"},
      {"fit patients.csv --target risk --weights wadr -m m.st", kUsage, "--weights wadr"},
      {"fit patients.csv --target risk,risk2 -m m.st", kUsage, "risk2"},
      {"fit patients.csv --target '*' -m m.st", kData, ""},
      {"fit patients.csv --target risk --ignore '*' -m m.st", kData, "no column is left"},
      {"fit patients.csv --target risk --steps 1e99 -m m.st", kUsage, "--steps"},
      {"fit patients.csv --target risk --hidden '' -m m.st", kUsage, "--hidden"},
      {"fit patients.csv --target risk --seed 1.5 -m m.st", kUsage, "--seed"},
      {"fit patients.csv --target risk --time-limit never -m m.st", kUsage, "--time-limit"},
      {"fit patients.csv --target risk --checkpoints patients.csv -m m.st", kFile, "patients.csv"},
      {"fit patients.csv --target risk --range age=5: -m m.st --group g= ", kUsage, "'g='"},
      {"fit patients.csv --target risk --lower-bound age=200 -m m.st", kData, "of 200 or more."},
      {"fit patients.csv --target risk --lower-bound sex=5 -m m.st", kUsage, "--range 'sex=5:'"},
      {"fit patients.csv --target risk --expect-missing foreign.csv -m m.st", kData,
       "none of the model's input columns"},
      {"fit patients.csv --target risk --expect-missing header.csv -m m.st", kData, "no rows"},
      {"fit patients.csv --target risk --expect-missing nowhere.csv -m m.st", kFile, "nowhere.csv"},
      {"fit patients.csv --target risk --class-weights yes=1 -m m.st", kUsage, "no classes"},
      {"fit patients.csv --target outcome --class-weights yes=1 -m m.st", kUsage, "\"yes\""},
      {"fit - --target risk -m m.st < empty.csv", kData, "standard input"},
  });
}

TEST_F(Hostile, DescriptionsOfWhatIsNoModel) {
  expect_all({
      {"describe", kUsage, "which model"},
      {"describe nowhere.st", kFile, "nowhere.st"},
      {"describe folder", kFile, "folder"},
      {"describe patients.csv", kModel, "patients.csv"},
      {"describe half.st", kModel, "half.st"},
      {"describe nothing.st", kModel, "empty"},
      {"describe long.st", kModel, "long.st"},
      {"describe noise.st", kModel, "noise.st"},
      {"describe renamed.st", kModel, "checksum"},
      {"describe model.st model.st", kUsage, "model.st"},
      {"describe model.st --report model.st", kUsage, ".html"},
      {"describe model.st --json --target y", kUsage, "--target"},
  });
}

TEST_F(Hostile, PredictionsThatCannotBeMade) {
  expect_all({
      {"predict patients.csv", kUsage, "-m model.safetensors"},
      {"predict -m model.st", kUsage, "which table"},
      {"predict patients.csv -m half.st", kModel, "half.st"},
      {"predict patients.csv -m patients.csv", kModel, "knockout fit"},
      {"predict patients.csv -m folder", kFile, "folder"},
      {"predict empty.csv -m model.st", kData, "empty.csv"},
      {"predict ragged.csv -m model.st", kData, "ragged.csv:3"},
      {"predict unseen.csv -m model.st --unseen-category error", kData, "unseen.csv:2"},
      {"predict unseen.csv -m model.st --unseen-category perhaps", kUsage, "error or missing"},
      {"predict patients.csv -m model.st --key nobody", kUsage, "--key nobody"},
      {"predict patients.csv -m model.st --missing-at-random nobody", kUsage, "nobody"},
      {"predict patients.csv -m model.st -o model.st", kUsage, "overwrite"},
      {"predict patients.csv -m model.st -o nowhere/out.csv", kFile, "nowhere"},
      {"predict patients.csv -m model.st > /dev/full", kFile, "standard output"},
      {"predict patients.csv -m model.st --json >&-", kFile, "standard output"},
      {"predict patients.csv -m model.st --npy x=matrix.npy", kData, "matrix.npy"},
      {"predict patients.csv -m model.st --categorical age", kUsage, "--categorical"},
  });
}

TEST_F(Hostile, EvaluationsThatCannotBeMade) {
  expect_all({
      {"evaluate patients.csv", kUsage, "-m model.safetensors"},
      {"evaluate unseen.csv -m model.st --unseen-category missing", kData, "outcome"},
      {"evaluate header.csv -m model.st", kData, "header.csv"},
      {"evaluate patients.csv -m half.st", kModel, "half.st"},
      {"evaluate patients.csv -m model.st --singles --patterns-seen", kUsage, "Choose one"},
      {"evaluate patients.csv -m model.st --pattern-file patterns.txt", kUsage, "agee"},
      {"evaluate patients.csv -m model.st --pattern-file nowhere.txt", kFile, "nowhere.txt"},
      {"evaluate patients.csv -m model.st --max-missing few", kUsage, "whole number"},
      {"evaluate patients.csv -m model.st --report model.st", kUsage, ".html"},
      {"evaluate patients.csv -m model.st > /dev/full", kFile, "standard output"},
  });
}

TEST_F(Hostile, ComparisonsThatCannotBeMade) {
  const std::string quick = " --steps 5 --networks 1 --hidden 4 ";
  expect_all({
      {"compare patients.csv", kUsage, "--target COLUMN"},
      {"compare patients.csv --target risk --methods xgbost", kUsage, "\"XGBoost\"?"},
      {"compare patients.csv --target risk --methods magic", kUsage, "boosting (XGBoost)"},
      {"compare patients.csv --target risk --methods ''", kUsage, "method"},
      {"compare patients.csv --target risk --ampute mcar:2", kUsage, "below 1"},
      {"compare patients.csv --target risk --folds 500", kUsage, "500"},
      {"compare header.csv --target risk", kData, "header.csv"},
      {"compare constant.csv --target risk", kData, "nothing to learn"},
      {"compare patients.csv --target risk --report nowhere/x.html", kFile, "nowhere"},
      {"compare patients.csv --target risk --neighbors 0", kUsage, "--neighbors"},
      {"compare patients.csv --target risk --placeholder age=5", kUsage, "--placeholder"},
      {"compare patients.csv --target risk --methods linear > /dev/full" + quick, kFile,
       "standard output"},
  });
}

TEST_F(Hostile, AmputationsThatCannotBeMade) {
  expect_all({
      {"ampute", kUsage, "which table"},
      {"ampute patients.csv --rate 1", kUsage, "--rate"},
      {"ampute patients.csv --mechanism chance", kUsage, "mcar"},
      {"ampute patients.csv --smooth", kUsage, "--mechanism mnar"},
      {"ampute patients.csv --columns nobody", kUsage, "nobody"},
      {"ampute patients.csv --keep nobody", kUsage, "nobody"},
      {"ampute patients.csv --mechanism mar --drivers nobody", kUsage, "nobody"},
      {"ampute patients.csv --mechanism mar --drivers '*'", kUsage, "No column is left"},
      {"ampute patients.csv -o patients.csv", kUsage, "overwrite"},
      {"ampute patients.csv -o nowhere/x.csv", kFile, "nowhere"},
      {"ampute patients.csv --json", kUsage, "-o FILE"},
      {"ampute patients.csv > /dev/full", kFile, "standard output"},
      {"ampute patients.csv >&-", kFile, "standard output"},
      {"ampute ragged.csv", kData, "ragged.csv:3"},
      {"ampute empty.csv", kData, "empty.csv"},
      {"ampute open_quote.csv", kData, "never closed"},
      {"ampute broken.csv.gz", kData, "broken.csv.gz"},
  });
}

TEST_F(Hostile, AnUnwritableStandardErrorEndsNothing) {
  const std::string quick = " --steps 20 --networks 1 --hidden 8 ";
  for (const std::string closed : {"2>&-", "2>/dev/full"}) {
    const auto code = [&](const std::string& line) {
      return shell("timeout 60 \"$K\" " + line + " " + closed).exit_code;
    };
    EXPECT_EQ(code("inspect patients.csv"), kDone) << closed;
    EXPECT_EQ(code("fit patients.csv --target risk -m new.st" + quick), kDone) << closed;
    EXPECT_TRUE(exists("new.st"));
    EXPECT_EQ(code("predict foreign.csv -m new.st -o answers.csv"), kDone) << closed;
    EXPECT_TRUE(exists("answers.csv"));
    EXPECT_EQ(code("evaluate patients.csv -m new.st"), kDone) << closed;
    EXPECT_EQ(code("ampute patients.csv -o gaps.csv"), kDone) << closed;
    EXPECT_EQ(code("compare patients.csv --target risk --methods linear" + quick), kDone);
    EXPECT_EQ(code("inspect nowhere.csv"), kFile) << closed;
    EXPECT_EQ(code("fit patients.csv --target nobody -m other.st"), kUsage) << closed;
    EXPECT_EQ(code("predict patients.csv -m half.st"), kModel) << closed;
    EXPECT_EQ(code("fit patients.csv --bad <&- >&-"), kUsage) << closed;
  }
}

}  // namespace
}  // namespace knockout::test
