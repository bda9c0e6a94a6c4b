// SPDX-License-Identifier: Apache-2.0
// Nothing is lost: a command that fails or is killed leaves the previous output whole.
#include <csignal>

#include "knockout/fit/load_model.h"
#include "run_command.h"

namespace knockout::test {
namespace {

using Safety = CommandTest;

/// A fit that would take hours, writing to model.st.
const std::vector<std::string> kEndlessFit = {"fit",      "patients.csv", "--target",  "risk", "-m",
                                              "model.st", "--steps",      "100000000", "-q"};

TEST_F(Safety, AKilledFitLeavesThePreviousModelAndNothingElse) {
  make_model();
  const std::string before = read("model.st");
  for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
    const pid_t child = start(kEndlessFit);
    usleep(400'000);
    ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the fit should still be running";
    kill(child, signal);
    const Outcome outcome = finish(child);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_TRUE(read("model.st") == before);
    EXPECT_EQ(files(), (std::vector<std::string>{"model.st", "patients.csv"}));
  }
}

TEST_F(Safety, AFitKilledAgainAndAgainGoesOnFromItsCheckpoints) {
  write("patients.csv", patients());
  std::vector<std::string> arguments = {
      "fit", "patients.csv", "--target", "risk",    "-m",   "a.st",         "--networks", "2",
      "-q",  "--hidden",     "64",       "--steps", "8000", "--validation", "0"};
  ASSERT_EQ(run(arguments).exit_code, 0);
  arguments[5] = "b.st";
  arguments.insert(arguments.end(), {"--checkpoints", "under_way", "--checkpoint-every", "0s"});
  Outcome outcome;
  int kills = -1;
  do {
    const pid_t child = start(arguments);
    usleep(200'000 + 50'000 * ++kills);  // in the end there is enough time
    kill(child, SIGKILL);
    outcome = finish(child);
  } while (outcome.signal == SIGKILL && kills < 100);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GE(kills, 2) << "the fit should take longer";
  EXPECT_TRUE(read("a.st") == read("b.st"));
  EXPECT_EQ(files(), (std::vector<std::string>{"a.st", "b.st", "patients.csv"}));
}

TEST_F(Safety, AnUnwritableModelIsReportedBeforeTheTrainingStarts) {
  write("patients.csv", patients());
  std::vector<std::string> arguments = kEndlessFit;
  arguments[5] = "absent/model.st";
  const Outcome outcome = run(arguments);  // it would take hours otherwise
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_TRUE(contains(outcome.err, "cannot write \"absent/model.st\"")) << outcome.err;
}

TEST_F(Safety, AFullDiskWhileSavingLeavesThePreviousModel) {
  make_model();
  const std::string before = read("model.st");
  const Outcome outcome =
      run(quick({"fit", "patients.csv", "--target", "risk", "-m", "model.st", "-q"}),
          {.largest_file = 2048});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_TRUE(contains(outcome.err, "cannot write \"model.st\"")) << outcome.err;
  EXPECT_TRUE(read("model.st") == before);
  EXPECT_EQ(files(), (std::vector<std::string>{"model.st", "patients.csv"}));
}

TEST_F(Safety, AFullDiskWhilePredictingLeavesThePreviousPredictions) {
  make_model();
  write("out.csv", "precious\n");
  const Outcome outcome =
      run({"predict", "patients.csv", "-m", "model.st", "-o", "out.csv"}, {.largest_file = 1024});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(read("out.csv"), "precious\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"model.st", "out.csv", "patients.csv"}));
}

TEST_F(Safety, AFailedPredictionLeavesThePreviousOne) {
  make_model();
  write("out.csv", "precious\n");
  write("bad.csv", "age,sex\n30,f\n40,unheard-of\n");
  EXPECT_EQ(
      run({"predict", "bad.csv", "-m", "model.st", "-o", "out.csv", "--unseen-category", "error"})
          .exit_code,
      3);
  EXPECT_EQ(read("out.csv"), "precious\n");
}

TEST_F(Safety, StandardOutputThatIsFullIsAnError) {
  make_model();
  const std::vector<std::vector<std::string>> commands = {
      {"--version"},
      {"--help"},
      {"fit", "--help"},
      {"inspect", "patients.csv"},
      {"inspect", "patients.csv", "--json"},
      {"predict", "patients.csv", "-m", "model.st"},
      {"predict", "patients.csv", "-m", "model.st", "--json"},
      {"ampute", "patients.csv"},
      quick({"fit", "patients.csv", "--target", "risk", "-m", "m.st"})};
  for (const auto& arguments : commands) {
    const Outcome outcome = run(arguments, {.stdout_path = "/dev/full"});
    EXPECT_EQ(outcome.exit_code, 5) << arguments[0];
    EXPECT_TRUE(contains(outcome.err, "cannot write to standard output: No space")) << outcome.err;
  }
}

TEST_F(Safety, AClosedPipeEndsPredictQuietly) {
  write("patients.csv", patients(20000));
  ASSERT_EQ(run(quick({"fit", "patients.csv", "--target", "outcome", "--ignore", "id,risk", "-m",
                       "model.st", "-q"}))
                .exit_code,
            0);
  const Outcome outcome = shell("$K predict patients.csv -m model.st | head -1");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "prediction,probability_ill,probability_well\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Safety, AClosedStandardOutputNeverMixesWithTheModel) {
  write("patients.csv", patients());
  const Outcome outcome =
      shell("$K fit patients.csv --target risk --steps 20 --hidden 8 -m model.st -q >&-");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_NO_THROW(load_model(path("model.st")));
}

TEST_F(Safety, ALinkToAModelStaysALink) {
  make_model();
  std::filesystem::create_symlink("model.st", path("current.st"));
  const std::string before = read("model.st");
  ASSERT_EQ(
      run(quick({"fit", "patients.csv", "--target", "risk", "-m", "current.st", "-q"})).exit_code,
      0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("current.st")));
  EXPECT_FALSE(read("model.st") == before);
}

}  // namespace
}  // namespace knockout::test
