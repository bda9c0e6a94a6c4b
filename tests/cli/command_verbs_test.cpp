// SPDX-License-Identifier: Apache-2.0
// Every verb of the command does what its help says.
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "knockout/base/version.h"
#include "knockout/data/csv_reader.h"
#include "run_command.h"

namespace knockout::test {
namespace {

using Verbs = CommandTest;
using nlohmann::json;

constexpr const char* kVerbs[] = {"demo",     "inspect", "fit",    "predict",
                                  "evaluate", "compare", "ampute", "reproduce"};

void expect_probabilities(const Table& answers, std::size_t rows) {
  ASSERT_EQ(answers.rows(), rows);
  const auto ill = answers.at("probability_ill").numbers();
  const auto well = answers.at("probability_well").numbers();
  for (std::size_t row = 0; row < rows; ++row) {
    ASSERT_TRUE(std::isfinite(ill[row]) && ill[row] >= 0 && ill[row] <= 1);
    ASSERT_NEAR(ill[row] + well[row], 1.0, 1e-9);
  }
}

TEST_F(Verbs, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "knockout " + std::string(kVersion) + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Verbs, TheCommandAloneAndItsHelpNameEveryVerb) {
  for (const Outcome& outcome : {run({}), run({"--help"}), run({"-h"})}) {
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* verb : kVerbs) {
      EXPECT_TRUE(contains(outcome.out, std::string("\n  ") + verb + " ")) << outcome.out;
    }
  }
}

TEST_F(Verbs, HelpTeachesByExampleAndFitsThePage) {
  for (const char* verb : kVerbs) {
    const Outcome outcome = run({verb, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.out, "Examples:\n  knockout " + std::string(verb))) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "--json")) << verb;
    EXPECT_TRUE(contains(outcome.out, "--quiet")) << verb;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 104U) << line;
  }
}

TEST_F(Verbs, HelpOfEveryStudyFitsThePage) {
  for (const char* study : {"alzheimers", "privileged", "tumor", "trees", "prostate", "food101"}) {
    const Outcome outcome = run({"reproduce", study, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "--synthesize DIR")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Hyper-parameters")) << outcome.out;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 104U) << line;
  }
}

// --- inspect ---

TEST_F(Verbs, InspectShowsKindsRangesGapsPatternsAndPlaceholders) {
  write("data.csv",
        "age,city,day,score\n30,Oslo,2020-01-05,1.5\n,Rome,2020-01-01,2.5\n50,,2021-01-01,3.5\n"
        ",Oslo,2020-06-01,5.5\n");
  const Outcome outcome = run({"inspect", "data.csv", "--target", "score", "--range", "age=0:120",
                               "--inline-placeholders"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "data.csv: 4 rows, 4 columns; 25.0 % of the cells"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "30 to 50, mean 40")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "-1, 2 (0 to 1)")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "2 values: Oslo 67 %, Rome 33 %")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "2020-01-01 to 2021-01-01")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "target, a number")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "missing together: all of 3 patterns")) << outcome.out;
}

TEST_F(Verbs, InspectInJsonCountsWhatIsThere) {
  write("data.csv", "id,a,b\n1,1.5,x\n2,,y\n3,,\n");
  const Outcome outcome = run({"inspect", "data.csv", "--json"});
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["rows"], 3);
  EXPECT_EQ(result["columns"].size(), 3U);
  EXPECT_EQ(result["columns"][1]["missing"], 2);
  EXPECT_EQ(result["columns"][2]["kind"], "categorical");
  EXPECT_EQ(result["patterns"].size(), 3U);
}

TEST_F(Verbs, OrderedCategoriesGoFromInspectToPredict) {
  std::ostringstream rows;
  rows << "pain,dose,y\n";
  const char* const levels[] = {"none", "some", "much"};
  for (int row = 0; row < 60; ++row) {
    rows << (row % 10 < 3 && row >= 30 ? "" : levels[row % 3]) << ',' << row * 7 % 13 << ','
         << row % 3 + 0.01 * row << '\n';
  }
  write("data.csv", rows.str());
  const std::vector<std::string> order = {"--ordered", "pain=none,some,much"};
  const auto with_order = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), order.begin(), order.end());
    return arguments;
  };
  const Outcome shown = run(with_order({"inspect", "data.csv", "--target", "y"}));
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "ordered")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "3 values: none 33 %, some 33 %, much 33 %")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "own inputs (thresholds)")) << shown.out;
  const json columns =
      json::parse(run(with_order({"inspect", "data.csv", "--json"})).out)["columns"];
  EXPECT_EQ(columns[0]["kind"], "ordered");
  EXPECT_EQ(columns[0]["levels"][2]["value"], "much");

  const Outcome fitted = run(quick(with_order({"fit", "data.csv", "--target", "y", "-m", "m.st"})));
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_TRUE(contains(fitted.out, "2 (1 continuous, 1 ordered)")) << fitted.out;
  write("new.csv", "pain,dose\nmuch,3\n,4\n");
  const Outcome predicted = run({"predict", "new.csv", "-m", "m.st"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_EQ(lines_of(predicted.out), 3U) << predicted.out;

  const Outcome unknown =
      run({"fit", "data.csv", "--target", "y", "--ordered", "pain=none,some", "-m", "n.st"});
  EXPECT_EQ(unknown.exit_code, 3) << unknown.err;
  EXPECT_TRUE(contains(unknown.err, "\"much\" is not one of the levels")) << unknown.err;
  EXPECT_TRUE(contains(unknown.err, "--ordered")) << unknown.err;
}

// --- fit ---

TEST_F(Verbs, FitSaysWhatItDidAndWhatItSetAside) {
  write("patients.csv", patients());
  const Outcome outcome =
      run(quick({"fit", "patients.csv", "--target", "outcome", "--ignore", "risk", "-m", "m.st"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part :
       {"rows        120\n", "outcome (classes ill, well)", "set aside   risk: ignored on request",
        "set aside   id: looks like an identifier", "2 networks of 16 units",
        "validation  log loss", "model       m.st"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
  EXPECT_TRUE(contains(outcome.err, "knockout fit: warning: \"id\"")) << outcome.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"m.st", "patients.csv"})) << "nothing else is left";
}

TEST_F(Verbs, QuietFitWritesNothingOnStandardError) {
  write("patients.csv", patients());
  const Outcome outcome =
      run(quick({"fit", "patients.csv", "--target", "risk", "-m", "m.st", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "validation  R2")) << outcome.out;
}

TEST_F(Verbs, FitInJsonIsOneObject) {
  write("patients.csv", patients());
  const Outcome outcome = run(quick({"fit", "patients.csv", "--target", "risk,outcome", "--ignore",
                                     "id", "-m", "m.st", "--json", "-q"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["rows"], 120);
  EXPECT_EQ(result["networks"].size(), 2U);
  EXPECT_EQ(result["networks"][0]["steps"], 40);
  EXPECT_EQ(result["schema"]["targets"].size(), 2U);
  EXPECT_EQ(result["set_aside"][0]["column"], "id");
}

TEST_F(Verbs, FitTakesEveryOptionOfItsHelp) {
  write("patients.csv", patients());
  write("reference.csv", "age,bmi,sex\n,20,m\n30,,f\n40,22,\n");
  const std::vector<std::vector<std::string>> sets = {
      {"--categorical", "ward", "--continuous", "age,bmi", "--ignore", "id", "--ignore", "risk"},
      {"--range", "age=0:120,bmi=10:60", "--lower-bound", "risk=0", "--upper-bound", "risk=100"},
      {"--group", "body=age,bmi", "--unit-rate", "body=0.5", "--never-missing", "ward"},
      {"--missing-at-random", "all", "--unseen-category", "missing", "--weights", "bmi"},
      {"--class-weights", "balanced"},
      {"--class-weights", "ill=3,well=1", "--task", "classification"},
      {"--knockout-rate", "paper", "--correlated", "age,bmi=0.8"},
      {"--knockout-rate", "0.2", "--unit-rate", "age=0.1,bmi=0.3"},
      {"--pattern", "age+bmi=3,none=1"},
      {"--expect-missing", "reference.csv"},
      {"--inline-placeholders"},
      {"--placeholder", "age=20", "--reason-placeholder", "age=-20"},
      {"--placeholder", "*=mean", "--force-placeholders"},
      {"--max-one-hot", "2", "--embedding-dimension", "3"},
      {"--learning-rate", "0.01", "--optimizer", "sgd", "--momentum", "0.8", "--schedule", "step"},
      {"--weight-decay", "0", "--dropout", "0.2", "--validation", "0", "--schedule", "constant"},
      {"--patience", "auto", "--weight-decay", "auto", "--class-weights", "equal"},
      {"--patience", "3", "--time-limit", "5m", "--seed", "7", "--threads", "1"},
      {"--na", "NA,x", "--na-for-a-reason", "<LOD", "--delimiter", ",", "--decimal-mark", "."},
      {"--header", "yes"},
  };
  for (const auto& set : sets) {
    std::vector<std::string> arguments = {"fit", "patients.csv", "--target", "outcome",
                                          "-m",  "m.st",         "-q"};
    arguments.insert(arguments.end(), set.begin(), set.end());
    const Outcome outcome = run(quick(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << set[0] << ": " << outcome.err;
  }
}

TEST_F(Verbs, ATimeLimitEndsALongFit) {
  write("patients.csv", patients());
  const Outcome outcome = run({"fit", "patients.csv", "--target", "risk", "-m", "m.st", "--steps",
                               "100000000", "--hidden", "8", "--time-limit", "0.2s", "-q"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "the time limit ended the training")) << outcome.out;
}

TEST_F(Verbs, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
  write("patients.csv", patients());
  const auto model_with = [&](const char* threads, const char* seed) {
    const Outcome outcome = run({"fit", "patients.csv", "--target", "outcome", "-m", "m.st",
                                 "--steps", "60", "--threads", threads, "--seed", seed, "-q"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read("m.st");
  };
  const std::string first = model_with("1", "5");
  EXPECT_GT(first.size(), 1000U);
  for (const char* threads : {"1", "2", "3", "8"}) {
    EXPECT_TRUE(model_with(threads, "5") == first) << threads << " threads";
  }
  EXPECT_FALSE(model_with("2", "6") == first) << "another seed";
}

// --- predict ---

TEST_F(Verbs, PredictWritesOneLinePerRowInOrder) {
  make_model();
  const Outcome outcome = run({"predict", "patients.csv", "-m", "model.st", "--key", "id"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Table answers = read_csv_text(outcome.out, "answers");
  EXPECT_EQ(answers.names(),
            (std::vector<std::string>{"id", "prediction", "probability_ill", "probability_well"}));
  expect_probabilities(answers, 120);
  EXPECT_EQ(answers.at("id").words()[119], "p119");
  const Column& answer = answers.at("prediction");
  for (std::size_t row = 0; row < 120; ++row) {
    const bool ill = answers.at("probability_ill").number(row) >= 0.5;
    EXPECT_EQ(answer.word(row), ill ? "ill" : "well");
  }
}

TEST_F(Verbs, PredictGivesTheSameAnswersToAFileAPipeGzipAndJson) {
  make_model();
  const std::string expected = run({"predict", "patients.csv", "-m", "model.st"}).out;
  EXPECT_EQ(run({"predict", "patients.csv", "-m", "model.st", "-o", "out.csv"}).out, "");
  EXPECT_EQ(read("out.csv"), expected);
  EXPECT_EQ(run({"predict", "-", "-m", "model.st"}, {.stdin_text = read("patients.csv")}).out,
            expected);
  const std::string text = read("patients.csv");
  const gzFile zipped = gzopen(path("patients.csv.gz").c_str(), "wb");
  gzwrite(zipped, text.data(), static_cast<unsigned>(text.size()));
  gzclose(zipped);
  EXPECT_EQ(run({"predict", "patients.csv.gz", "-m", "model.st"}).out, expected);

  const json rows = json::parse(run({"predict", "patients.csv", "-m", "model.st", "--json"}).out);
  const Table answers = read_csv_text(expected, "answers");
  ASSERT_EQ(rows.size(), 120U);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(rows[row]["probability_ill"], answers.at("probability_ill").number(row));
  }
}

TEST_F(Verbs, PredictCopiesKeysAsTheyStand) {
  make_model();
  write("new.csv", "code,age,land\n007,30,NA\n1.50,40,\n");
  const Outcome outcome = run({"predict", "new.csv", "-m", "model.st", "-q", "--key", "code,land"});
  EXPECT_TRUE(contains(outcome.out, "\n007,NA,")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n1.50,,")) << outcome.out;
}

TEST_F(Verbs, PredictAnswersWithAnyColumnAndWithAllColumnsRemoved) {
  make_model();
  const Table table = read_csv_text(read("patients.csv"), "patients");
  const std::vector<std::string> inputs = {"age", "bmi", "sex", "ward"};
  const auto without = [&](const std::vector<std::string>& removed) {
    std::istringstream lines(read("patients.csv"));
    std::string text;
    const std::vector<std::string> names = table.names();
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string kept;
      for (const std::string& name : names) {
        std::string cell;
        std::getline(cells, cell, ',');
        if (std::find(removed.begin(), removed.end(), name) == removed.end()) kept += cell + ",";
      }
      kept.pop_back();
      text += kept + "\n";
    }
    return text;
  };
  for (const std::string& column : inputs) {
    write("new.csv", without({column}));
    const Outcome outcome = run({"predict", "new.csv", "-m", "model.st"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "lacks 1 of the 4 columns")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, column)) << outcome.err;
    expect_probabilities(read_csv_text(outcome.out, "answers"), 120);
  }
  write("new.csv", without(inputs));
  const Outcome none = run({"predict", "new.csv", "-m", "model.st"});
  ASSERT_EQ(none.exit_code, 0) << none.err;
  EXPECT_TRUE(contains(none.err, "NONE of the 4 columns")) << none.err;
  const Table prior = read_csv_text(none.out, "answers");
  expect_probabilities(prior, 120);
  const auto ill = prior.at("probability_ill").numbers();
  for (const double probability : ill) EXPECT_NEAR(probability, ill[0], 1e-6);
}

TEST_F(Verbs, PredictSuggestsTheNameThatDiffersInCase) {
  make_model();
  write("new.csv", "Age,bmi,sex,ward\n30,20,f,1\n");
  const Outcome outcome = run({"predict", "new.csv", "-m", "model.st"});
  EXPECT_TRUE(contains(outcome.err, "Did you mean \"Age\"?")) << outcome.err;
  EXPECT_EQ(run({"predict", "new.csv", "-m", "model.st", "-q"}).err, "");
}

TEST_F(Verbs, PredictTakesWhatTrainingNeverSawAsMissingAndTellsOfIt) {
  make_model();
  write("new.csv", "age,bmi,sex,ward\n30,20,other,1\n30,20,f,1\n,,,\n");
  const Outcome outcome = run({"predict", "new.csv", "-m", "model.st", "--flags"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "sex \"other\", never seen in training (1 row)"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "1 of 3 rows has no input at all")) << outcome.err;
  const Table answers = read_csv_text(outcome.out, "answers");
  expect_probabilities(answers, 3);
  const Column& flags = answers.at("outside_training");
  EXPECT_EQ(flags.word(0), "sex");
  EXPECT_FALSE(flags.observed(1));
  EXPECT_EQ(flags.word(2), "no input");
  write("gap.csv", "age,bmi,sex,ward\n30,20,,1\n");
  // New says nothing about why, so it is like a gap by chance.
  const Outcome gap = run({"predict", "gap.csv", "-m", "model.st", "--missing-at-random", "all"});
  EXPECT_EQ(read_csv_text(gap.out, "gap").at("probability_ill").number(0),
            answers.at("probability_ill").number(0));
  EXPECT_EQ(run({"predict", "new.csv", "-m", "model.st", "--unseen-category", "error"}).exit_code,
            3);
}

TEST_F(Verbs, HowCellsAreReadTravelsInTheModel) {
  std::string csv = "dose,when,price,y\n";
  for (int i = 0; i < 120; ++i) {
    csv += fmt::format("{},{:02}.{:02}.2020,\"{},{:03} EUR\",{}\n",
                       i % 10 == 3 ? "-999" : std::to_string(i % 7), 1 + i % 28, 1 + i % 12,
                       1 + i % 3, i % 1000, i % 7 + (i % 3));
  }
  write("train.csv", csv);
  ASSERT_EQ(run({"fit", "train.csv", "--target", "y", "--task", "regression", "-m", "m.st", "--na",
                 "-999", "--networks", "1", "--steps", "50"})
                .exit_code,
            0);
  const auto answer = [&](const std::string& row) {
    write("new.csv", "dose,when,price\n" + row + "\n");
    return run({"predict", "new.csv", "-m", "m.st", "-q"}).out;
  };
  EXPECT_EQ(answer("-999,05.03.2020,\"1,500 EUR\""), answer(",2020-03-05,1500"));
  EXPECT_EQ(answer("-999.0,5.3.2020,1500 EUR"), answer("NA,05.03.2020,\"1,500\""));
  EXPECT_NE(answer("3,05.03.2020,\"1,500 EUR\""), answer("-999,05.03.2020,\"1,500 EUR\""));
}

TEST_F(Verbs, PredictDistinguishesGapsAtRandomFromGapsForAReason) {
  make_model();  // `age` had gaps in training, taken as informative
  write("new.csv", "age,bmi,sex,ward\n,20,f,1\n");
  const std::string by_default = run({"predict", "new.csv", "-m", "model.st"}).out;
  EXPECT_NE(run({"predict", "new.csv", "-m", "model.st", "--missing-at-random", "all"}).out,
            by_default);
  EXPECT_EQ(run({"predict", "new.csv", "-m", "model.st", "--missing-for-a-reason", "age"}).out,
            by_default);
}

TEST_F(Verbs, AMatrixJoinsAsAGroupThatMayBeAbsentLater) {
  write("patients.csv", patients(40));
  std::string npy = "\x93NUMPY\x01";
  npy += '\0';
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 3), }";
  header += std::string(117 - header.size(), ' ') + "\n";
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header;
  for (int i = 0; i < 120; ++i) {
    const float value = static_cast<float>(i % 7) - 3.0F;
    char bytes[4];
    std::memcpy(bytes, &value, 4);
    npy.append(bytes, 4);
  }
  write("mri.npy", npy);
  const Outcome fitted =
      run(quick({"fit", "patients.csv", "--target", "risk", "--ignore", "id,outcome", "--npy",
                 "mri=mri.npy", "-m", "m.st", "--json", "-q"}));
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  std::size_t in_group = 0;
  const json summary = json::parse(fitted.out);
  for (const json& feature : summary["schema"]["features"]) {
    in_group += feature["group"] == "mri";
  }
  EXPECT_EQ(in_group, 3U);
  const Outcome with = run({"predict", "patients.csv", "-m", "m.st", "--npy", "mri=mri.npy"});
  const Outcome without = run({"predict", "patients.csv", "-m", "m.st"});
  EXPECT_EQ(with.err, "");
  EXPECT_TRUE(contains(without.err, "lacks 3 of the 7 columns")) << without.err;
  EXPECT_EQ(lines_of(with.out), 41U);
  EXPECT_EQ(lines_of(without.out), 41U);
  EXPECT_NE(with.out, without.out);
  write("short.csv", patients(39));
  EXPECT_EQ(run({"predict", "short.csv", "-m", "m.st", "--npy", "mri=mri.npy"}).exit_code, 3);
}

TEST_F(Verbs, AColumnNameWithACommaCanBeNamed) {
  write("data.csv", "\"income, yearly\",x,y\n1.5,2,3.5\n2.5,3,4.5\n3.5,5,6.5\n4.5,1,2.5\n");
  const Outcome outcome = run(quick(
      {"fit", "data.csv", "--target", "y", "--ignore", "income, yearly", "-m", "m.st", "-q"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "set aside   income, yearly: ignored")) << outcome.out;
}

TEST_F(Verbs, FitReadsStandardInput) {
  const Outcome outcome =
      run(quick({"fit", "-", "--target", "risk", "-m", "m.st", "-q"}), {.stdin_text = patients()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(exists("m.st"));
}

// --- ampute ---

TEST_F(Verbs, AmputeRemovesTheShareThatWasAskedForAndKeepsTheRest) {
  std::string csv = "x,y\n";
  for (int i = 0; i < 1000; ++i) csv += std::to_string(i) + "," + std::to_string(i) + "\n";
  write("data.csv", csv);
  const Outcome outcome = run({"ampute", "data.csv", "--mechanism", "mnar", "--rate", "0.1",
                               "--keep", "y", "-o", "gaps.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "removed 100 of 2,000 cells (5.0 %)")) << outcome.err;
  const Table gaps = read_csv(path("gaps.csv"));
  for (std::size_t row = 0; row < 1000; ++row) {
    EXPECT_EQ(gaps.at("x").observed(row), row < 900) << row;
    EXPECT_TRUE(gaps.at("y").observed(row));
  }
}

TEST_F(Verbs, AmputeIsAFunctionOfTheSeed) {
  write("patients.csv", patients());
  const auto gaps = [&](const char* mechanism, const char* seed) {
    return run({"ampute", "patients.csv", "--mechanism", mechanism, "--seed", seed, "-q"}).out;
  };
  for (const char* mechanism : {"mcar", "mar", "mnar"}) {
    EXPECT_EQ(lines_of(gaps(mechanism, "1")), 121U);
    EXPECT_EQ(gaps(mechanism, "1"), gaps(mechanism, "1"));
  }
  EXPECT_NE(gaps("mcar", "1"), gaps("mcar", "2"));
}

TEST_F(Verbs, AmputeInJsonAddsUp) {
  write("patients.csv", patients());
  const Outcome outcome = run({"ampute", "patients.csv", "-o", "gaps.csv", "--json"});
  const json result = json::parse(outcome.out);
  std::size_t removed = 0;
  for (const json& column : result["columns"]) removed += column["removed"].get<std::size_t>();
  EXPECT_EQ(result["removed"], removed);
  EXPECT_GT(removed, 100U);
}

// A header of more than a mebibyte, and whatever is done once for each column.
TEST_F(Verbs, InspectCopesWith50000Columns) {
  constexpr int kColumns = 50'000;
  std::string csv;
  for (int c = 0; c < kColumns; ++c) {
    csv += (c > 0 ? "," : "") + std::string("a_name_of_some_length_") + std::to_string(c);
  }
  for (int row = 0; row < 4; ++row) {
    for (int c = 0; c < kColumns; ++c) {
      csv += c == 0 ? '\n' : ',';
      if ((c + row) % 3 != 0) csv += std::to_string((c * 7 + row * row) % 100) + ".5";
    }
  }
  write("wide.csv", csv + "\n");
  const Outcome text = run({"inspect", "wide.csv"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "50,000 columns")) << text.out.substr(0, 200);
  EXPECT_TRUE(contains(text.out, "a_name_of_some_length_49999"));
  const Outcome outcome = run({"inspect", "wide.csv", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["columns"].size(), 50'000U);
}

}  // namespace
}  // namespace knockout::test
