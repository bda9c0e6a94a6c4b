// SPDX-License-Identifier: Apache-2.0
// Wrong commands and broken files: the exit code says whose fault it is, the message what to do.
#include "run_command.h"

namespace knockout::test {
namespace {

using Words = std::vector<std::string>;

struct Case {
  Words arguments;
  int exit_code;
  Words phrases;  ///< All of them stand in the message.
};

constexpr int kUsage = 2, kData = 3, kModel = 4, kFile = 5;

/// "fit patients.csv --target risk -m m.st" and more.
Words fit(const Words& more) {
  Words words = {"fit", "patients.csv", "--target", "risk", "-m", "m.st"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// "compare patients.csv --target risk" and more.
Words compare(const Words& more) {
  Words words = {"compare", "patients.csv", "--target", "risk"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class EachError : public CommandTest {
 protected:
  void expect(const Case& wrong) const {
    const Outcome outcome = run(wrong.arguments);
    std::string line = "knockout";
    for (const std::string& word : wrong.arguments) line += " " + word;
    EXPECT_EQ(outcome.exit_code, wrong.exit_code) << line << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << line;
    EXPECT_TRUE(outcome.err.starts_with("knockout")) << line << "\n" << outcome.err;
    for (const std::string& phrase : wrong.phrases) {
      EXPECT_TRUE(contains(outcome.err, phrase))
          << line << "\nexpected: " << phrase << "\nfound: " << outcome.err;
    }
  }
};

TEST_F(EachError, WrongCommandsAreUsageErrorsWithTheWayOut) {
  write("patients.csv", patients());
  const std::vector<Case> cases = {
      {{"fitt"}, kUsage, {"knockout: unknown verb \"fitt\". Did you mean \"fit\"?"}},
      {{"train"},
       kUsage,
       {"The verbs: demo, inspect, fit, describe, predict, evaluate, compare, ampute, reproduce."}},
      {{"--verison"}, kUsage, {"Did you mean \"--version\"?"}},
      {{"fit"}, kUsage, {"knockout fit: which table", "knockout fit train.csv --target"}},
      {{"fit", "patients.csv"}, kUsage, {"--target COLUMN"}},
      {{"fit", "patients.csv", "--target", "risk"}, kUsage, {"-m model.safetensors"}},
      {{"fit", "patients.csv", "--targt", "risk"}, kUsage, {"\"--targt\"", "\"--target\"?"}},
      {fit({"--steps"}), kUsage, {"--steps needs a value"}},
      {fit({"--steps", "many"}), kUsage, {"--steps", "whole number", "\"many\""}},
      {fit({"--steps", "-5"}), kUsage, {"--steps", "found \"-5\""}},
      {fit({"--steps", "1.5"}), kUsage, {"--steps", "found \"1.5\""}},
      {fit({"--steps", "0"}), kUsage, {"--steps", "from 1"}},
      {fit({"--weight-decay", "-1"}), kUsage, {"--weight-decay", "from 0"}},
      {fit({"--never-missing", "age"}), kData, {"--never-missing promises", "column \"age\""}},
      {fit({"--hidden", "16,none"}), kUsage, {"--hidden", "\"none\""}},
      {fit({"--dropout", "1"}), kUsage, {"--dropout", "below 1"}},
      {fit({"--learning-rate", "0"}), kUsage, {"--learning-rate", "above 0"}},
      {fit({"--seed", "-1"}), kUsage, {"--seed", "whole number"}},
      {fit({"--time-limit", "5 weeks"}), kUsage, {"--time-limit"}},
      {fit({"--time-limit", "5s", "--checkpoints", "d"}), kUsage, {"time limit", "checkpoints"}},
      {fit({"--checkpoint-every", "-1s", "--checkpoints", "d"}),
       kUsage,
       {"--checkpoint-every", "\"-1s\""}},
      {fit({"--checkpoint-every", "often"}), kUsage, {"--checkpoint-every"}},
      {fit({"--checkpoint-every", "5s"}), kUsage, {"--checkpoints"}},
      {fit({"--checkpoints", "patients.csv"}), kFile, {"patients.csv"}},
      {fit({"--optimizer", "adamm"}), kUsage, {"adam or sgd", "Did you mean \"adam\"?"}},
      {fit({"--schedule", "linear"}), kUsage, {"constant or step or cosine"}},
      {fit({"--task", "regresion"}), kUsage, {"Did you mean \"regression\"?"}},
      {fit({"--unseen-category", "maybe"}), kUsage, {"error or missing"}},
      {fit({"--ignore", "agee"}), kUsage, {"--ignore agee", "Did you mean \"age\"?"}},
      {fit({"--range", "age=old"}), kUsage, {"--range age=old", "age=0:120"}},
      {fit({"--range", "age=120:0"}), kUsage, {"lower bound must be below"}},
      {fit({"--group", "mri"}), kUsage, {"--group mri", "NAME=COLUMNS"}},
      {fit({"--knockout-rate", "2"}), kUsage, {"\"2\"", "\"auto\""}},
      {fit({"--unit-rate", "agee=0.5"}), kUsage, {"Did you mean \"age\"?"}},
      {fit({"--pattern", "age=1", "--knockout-rate", "0.5"}), kUsage, {"pattern"}},
      {fit({"--placeholder", "bmi=0"}), kUsage, {"bmi", "--force-placeholders"}},
      {fit({"--placeholder", "bmi"}), kUsage, {"COLUMN=VALUE"}},
      {fit({"--class-weights", "balanced"}), kUsage, {"no classes to weigh"}},
      {fit({"--npy", "mri.npy"}), kUsage, {"NAME=FILE"}},
      {fit({"--delimiter", "ab"}), kUsage, {"--delimiter", "one character", "\"ab\""}},
      {fit({"--header", "maybe"}), kUsage, {"yes or no"}},
      {fit({"-m", "other.st"}), kUsage, {"--model may be given only once"}},
      {fit({"second.csv"}), kUsage, {"unexpected argument \"second.csv\""}},
      {{"fit", "patients.csv", "--target", "riskk", "-m", "m.st"}, kUsage, {"\"risk\"?"}},
      {{"fit", "patients.csv", "--target", "risk", "-m", "patients.csv"},
       kUsage,
       {"would overwrite a file that is read"}},
      {{"fit", "patients.csv", "--target", "risk", "-m", "./patients.csv"}, kUsage, {"overwrite"}},
      {{"fit", "patients.csv", "--target", "risk", "-m", "-"}, kUsage, {"a model is a file"}},
      {{"predict"}, kUsage, {"knockout predict: which table"}},
      {{"predict", "patients.csv"}, kUsage, {"-m model.safetensors"}},
      {{"ampute"}, kUsage, {"knockout ampute: which table"}},
      {{"ampute", "patients.csv", "--mechanism", "mcarr"}, kUsage, {"mcar"}},
      {{"ampute", "patients.csv", "--rate", "1.5"}, kUsage, {"--rate", "found \"1.5\""}},
      {{"ampute", "patients.csv", "-o", "patients.csv"}, kUsage, {"overwrite"}},
      {{"ampute", "patients.csv", "--json"}, kUsage, {"-o FILE"}},
      {{"inspect"}, kUsage, {"knockout inspect: which table"}},
      {{"inspect", "patients.csv", "--report", "page.pdf"}, kUsage, {"ends in .html"}},
      {{"compare"}, kUsage, {"knockout compare: on which table"}},
      {{"compare", "patients.csv"}, kUsage, {"--target COLUMN"}},
      {compare({"--methods", "missforrest"}), kUsage, {"\"missforest\"?", "The methods: knockout"}},
      {compare({"--ampute", "mcar"}), kUsage, {"\"mcar\"", "mcar:0.3"}},
      {compare({"--ampute", "mcar:1.5"}), kUsage, {"from 0 to below 1"}},
      {compare({"--ampute", "mcra:0.5"}), kUsage, {"mcar"}},
      {compare({"--ampute-training", "half"}), kUsage, {"\"half\""}},
      {compare({"--folds", "1"}), kUsage, {"--folds", "from 2"}},
      {compare({"--folds", "5000"}), kUsage, {"5000"}},
      {compare({"--repeats", "0"}), kUsage, {"--repeats", "from 1"}},
      {compare({"--report", "patients.csv"}), kUsage, {"ends in .html"}},
      {compare({"--steps", "none"}), kUsage, {"--steps"}},
      {{"compare", "patients.csv", "--target", "riskk"}, kUsage, {"\"risk\"?"}},
      {{"reproduce"}, kUsage, {"which study?", "classification-mixed"}},
      {{"reproduce", "regresion"}, kUsage, {"Did you mean \"regression\"?"}},
      {{"reproduce", "regression", "--repetitions", "0"}, kUsage, {"--repetitions"}},
      {{"reproduce", "regression", "--methods", "mise"}, kUsage, {"\"mice\"?"}},
      {{"reproduce", "tumr"}, kUsage, {"Did you mean \"tumor\"?"}},
      {{"reproduce", "trees"}, kUsage, {"reproduce trees: which data?", "--synthesize DIR"}},
      {{"reproduce", "--quick", "trees", "--data", "."}, kUsage, {"behind the name of the study"}},
      {{"reproduce", "trees", "--dta", "."}, kUsage, {"Did you mean \"--data\"?"}},
      {{"reproduce", "trees", "--data", ".", "--synthesize", "new"},
       kUsage,
       {"one after the other"}},
      {{"reproduce", "trees", "--synthesize", "."}, kUsage, {"never written over another"}},
      {{"reproduce", "trees", "--synthesize", "patients.csv"}, kFile, {"patients.csv"}},
      {{"reproduce", "trees", "--data", ".", "--methods", "knockuot"}, kUsage, {"unknown method"}},
      {{"reproduce", "trees", "--data", ".", "--repetitions", "0"}, kUsage, {"--repetitions"}},
      {{"reproduce", "trees", "--data", ".", "--report", "x"}, kUsage, {"ends in .html"}},
      {{"reproduce", "alzheimers", "--data", "nowhere"}, kFile, {"ADNIMERGE.csv: is not there"}},
      {{"reproduce", "privileged", "--data", ".", "--depth", "3"}, kUsage, {"--depth 3", "10"}},
      {{"reproduce", "privileged", "--data", ".", "--depth", "deep"}, kUsage, {"--depth", "deep"}},
      {{"reproduce", "privileged", "--data", ".", "--dataset", "x"}, kUsage, {"cifar100n"}},
      {{"reproduce", "privileged", "--data", ".", "--augment", "x"}, kUsage, {"yes or no"}},
      {{"demo", "--report", "page"}, kUsage, {"ends in .html"}},
      {{"inspect", "patients.csv", "--categorical", "warrd"}, kUsage, {"\"ward\"?"}},
  };
  const std::string before = read("patients.csv");
  for (const Case& wrong : cases) expect(wrong);
  EXPECT_EQ(read("patients.csv"), before);
  EXPECT_EQ(files(), (Words{"patients.csv"})) << "a refused command leaves nothing behind";
}

TEST_F(EachError, BrokenTablesAreDataErrorsWithFileLineAndColumn) {
  write("ragged.csv", "a,b\n1,2\n3\n");
  write("quote.csv", "a,b\n1,\"open\n");
  write("empty.csv", "");
  write("header.csv", "a,y\n");
  write("numbers.csv", "1,2\n3,4\n");
  write("binary.csv", std::string("\x7f") + "ELF\x02\x01\x01" + std::string(64, '\0'));
  write("one_class.csv", "a,y\n1,no\n2,no\n");
  write("constant.csv", "a,y\n1,2.5\n2,2.5\n");
  write("no_labels.csv", "a,y\n1,\n2,\n");
  write("no_inputs.csv", "a,y\n1,2.5\n1,3.5\n");
  write("range.csv", "age,y\n30,1.5\n130,2.5\n40,3.5\n");
  write("words.csv", "age,y\n30,1.5\nold,2.5\n40,3.5\n");
  write("short.npy", "junk");
  const auto fit_to_y = [](const std::string& file, const Words& more = {}) {
    Words words = {"fit", file, "--target", "y", "-m", "m.st"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<Case> cases = {
      {{"inspect", "ragged.csv"}, kData, {"ragged.csv:3", "1 field where the header names 2"}},
      {{"inspect", "quote.csv"}, kData, {"quote.csv:2", "column \"b\"", "never closed"}},
      {{"inspect", "empty.csv"}, kData, {"empty.csv", "empty"}},
      {{"inspect", "numbers.csv"}, kData, {"numbers.csv:1", "--header no"}},
      {{"inspect", "binary.csv"}, kData, {"binary.csv"}},
      {fit_to_y("header.csv"), kData, {"header.csv", "no rows"}},
      {fit_to_y("one_class.csv"), kData, {"single class", "\"no\""}},
      {fit_to_y("constant.csv"), kData, {"column \"y\"", "nothing to learn"}},
      {fit_to_y("no_labels.csv"), kData, {"no label"}},
      {fit_to_y("no_inputs.csv"), kData, {"no column is left"}},
      {fit_to_y("range.csv", {"--range", "age=0:120"}), kData, {"range.csv:3", "130", "0:120"}},
      {fit_to_y("words.csv", {"--continuous", "age"}),
       kData,
       {"words.csv:3", "\"old\"", "--na old"}},
      {fit_to_y("words.csv", {"--never-missing", "age", "--na", "old"}), kData, {"words.csv:3"}},
      {fit_to_y("range.csv", {"--npy", "m=short.npy"}), kData, {"short.npy"}},
  };
  for (const Case& wrong : cases) expect(wrong);
  EXPECT_FALSE(exists("m.st"));
}

TEST_F(EachError, FilesThatAreNotThereAreFileErrorsWithTheirName) {
  write("patients.csv", patients());
  std::filesystem::create_directory(path("folder"));
  const std::vector<Case> cases = {
      {{"inspect", "absent.csv"}, kFile, {"absent.csv", "No such file"}},
      {{"inspect", "patient.csv"}, kFile, {"patient.csv", "patients.csv"}},
      {{"inspect", "folder"}, kFile, {"folder"}},
      {{"predict", "patients.csv", "-m", "absent.st"}, kFile, {"absent.st"}},
      {fit({"--expect-missing", "absent.csv"}), kFile, {"absent.csv"}},
      {fit({"--npy", "mri=absent.npy"}), kFile, {"absent.npy"}},
      {{"fit", "patients.csv", "--target", "risk", "-m", "folder"}, kFile, {"folder"}},
      {{"fit", "patients.csv", "--target", "risk", "-m", "no/m.st"},
       kFile,
       {"Create \"no\" first"}},
      {{"fit", "patients.csv", "--target", "risk", "-m", "patients.csv/m.st"},
       kFile,
       {"patients.csv/m.st"}},
  };
  for (const Case& wrong : cases) expect(wrong);
}

TEST_F(EachError, DamagedModelsAreRefusedWithAReason) {
  make_model();
  const std::string model = read("model.st");
  write("truncated.st", model.substr(0, model.size() / 2));
  write("head.st", model.substr(0, 5));
  write("empty.st", "");
  write("longer.st", model + "x");
  write("junk.st", std::string(2000, '\xff'));
  const std::size_t version = model.find("format_version");
  ASSERT_NE(version, std::string::npos);
  const std::size_t digit = model.find_first_of("0123456789", version);
  std::string newer = model;
  newer[digit] = '9';
  write("newer.st", newer);
  const auto predict = [](const std::string& file) {
    return Words{"predict", "patients.csv", "-m", file};
  };
  const std::vector<Case> cases = {
      {predict("truncated.st"), kModel, {"truncated.st"}},
      {predict("head.st"), kModel, {"head.st"}},
      {predict("empty.st"), kModel, {"empty.st", "empty"}},
      {predict("longer.st"), kModel, {"longer.st"}},
      {predict("junk.st"), kModel, {"junk.st"}},
      {predict("newer.st"), kModel, {"newer.st", "9"}},
      {predict("patients.csv"), kModel, {"patients.csv", "knockout fit"}},
  };
  for (const Case& wrong : cases) expect(wrong);
}

TEST_F(EachError, PredictNamesTheCellItCannotUse) {
  make_model();
  write("unseen.csv", "age,bmi,sex,ward\n30,20,f,1\n30,20,F,1\n");
  write("word.csv", "age,bmi,sex,ward\n30,thin,f,1\n");
  write("ok.csv", "age,bmi,sex,ward\n30,20,f,1\n");
  const std::vector<Case> cases = {
      {{"predict", "unseen.csv", "-m", "model.st", "--unseen-category", "error"},
       kData,
       {"unseen.csv:3", "\"sex\"", "\"F\"", "Did you mean \"f\"?", "--unseen-category missing"}},
      {{"predict", "word.csv", "-m", "model.st", "--unseen-category", "error"},
       kData,
       {"word.csv:2", "\"bmi\"", "thin"}},
      {{"predict", "ok.csv", "-m", "model.st", "--key", "idd"}, kUsage, {"--key idd"}},
      {{"predict", "ok.csv", "-m", "model.st", "--missing-at-random", "agee"},
       kUsage,
       {"\"age\"?"}},
      {{"predict", "ok.csv", "-m", "model.st", "--missing-at-random", "age",
        "--missing-for-a-reason", "all"},
       kUsage,
       {"cannot be both"}},
      {{"predict", "ok.csv", "-m", "model.st", "-o", "ok.csv"}, kUsage, {"overwrite"}},
      {{"predict", "ok.csv", "-m", "model.st", "-o", "model.st"}, kUsage, {"overwrite"}},
  };
  for (const Case& wrong : cases) expect(wrong);
}

}  // namespace
}  // namespace knockout::test
