// SPDX-License-Identifier: Apache-2.0
// A training that is cut off and started again must end like one that was not, to the last bit.
#include "knockout/networks/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <thread>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/test_thread_group.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

Table wave_table(int rows = 300) {
  const Random random(4, Stream::kSimulation);
  std::ostringstream csv;
  csv << "x,z,y\n";
  for (int r = 0; r < rows; ++r) {
    const double x = random.normal(0, r, 0), z = random.normal(0, r, 1);
    csv << x << ',' << (r % 7 == 0 ? std::string() : std::to_string(z)) << ','
        << 2 * x - z + 0.3 * random.normal(0, r, 2) << '\n';
  }
  return read_csv_text(csv.str(), "waves");
}

/// Thrown in the middle of a training, as a kill would end it.
struct CutOff {};

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() : folder_(fs::path(testing::TempDir()) / ("knockout_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    options_.schema.targets = {"y"};
    options_.train = {.hidden = {{16}},
                      .networks = 3,
                      .batch_rows = 64,
                      .steps = 300,
                      .dropout = 0.1,
                      .patience = 8,
                      .checkpoint_seconds = 0,
                      .threads = 2};
  }
  ~Checkpoints() override { fs::remove_all(folder_); }

  std::string path_of(int network) const {
    return (folder_ / ("network-" + std::to_string(network) + ".safetensors")).string();
  }

  std::string model_of(const FitResult& fitted) {
    const fs::path path = folder_.string() + ".model";
    fitted.model.save(path.string());
    const std::string bytes = read_bytes(path.string(), "the model");
    fs::remove(path);
    return bytes;
  }

  std::string uninterrupted() { return model_of(fit(wave_table(), options_)); }

  FitOptions with_checkpoints() const {
    FitOptions options = options_;
    options.train.checkpoint_folder = folder_.string();
    return options;
  }

  /// Trains until the `reports`-th report; whether it was cut off before the end.
  bool cut_off_after(int reports, const FitOptions& options) {
    int left = reports;
    try {
      fit(wave_table(), options, [&](const TrainProgress&) {
        if (--left <= 0) throw CutOff();
      });
    } catch (const CutOff&) {
      return true;
    }
    return false;
  }

  fs::path folder_;
  FitOptions options_;
};

TEST_F(Checkpoints, ATrainingCutOffAgainAndAgainEndsWithTheSameModel) {
  for (const auto& [optimizer, validation] :
       {std::pair(Optimizer::kAdam, 0.2), {Optimizer::kSgd, 0.2}, {Optimizer::kAdam, 0.0}}) {
    options_.train.optimizer = optimizer;
    options_.train.validation_share = validation;
    const std::string expected = uninterrupted();
    FitOptions options = with_checkpoints();
    int times = 0;
    for (options.train.threads = 1; cut_off_after(11, options); ++times) {
      options.train.threads = options.train.threads % 3 + 1;
    }
    EXPECT_GE(times, 3);
    const FitResult fitted = fit(wave_table(), options);  // all networks are finished
    EXPECT_GT(fitted.report.resumed_steps, 0U);
    EXPECT_EQ(model_of(fitted), expected);
    remove_checkpoints(fitted.report.train);
  }
}

TEST_F(Checkpoints, AreWrittenAsOftenAsAskedFor) {
  FitOptions options = with_checkpoints();
  options.train.checkpoint_seconds = 3600;
  ASSERT_TRUE(cut_off_after(5, options));
  EXPECT_FALSE(fs::exists(path_of(1)));
  options.train.checkpoint_seconds = 0;
  ASSERT_TRUE(cut_off_after(5, options));
  EXPECT_TRUE(fs::exists(path_of(1)));
}

TEST_F(Checkpoints, ProgressGoesOnWhereItWas) {
  FitOptions options = with_checkpoints();
  options.train.threads = 1;
  options.train.networks = 1;
  options.train.validation_share = 0;
  ASSERT_TRUE(cut_off_after(26, options));
  std::optional<TrainProgress> first;
  fit(wave_table(), options, [&](const TrainProgress& now) {
    if (!first) first = now;
  });
  ASSERT_TRUE(first);
  EXPECT_NEAR(first->share_done, 0.52, 0.021);
  EXPECT_LT(first->seconds_left, 100 * first->seconds);
}

/// The message of a training that is refused.
template <typename Error>
std::string refusal(const Table& table, const FitOptions& options) {
  try {
    fit(table, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Checkpoints, OfAnotherTrainingAreRefusedAndLeftAlone) {
  ASSERT_TRUE(cut_off_after(5, with_checkpoints()));
  const std::string before = read_bytes(path_of(1), "it");
  FitOptions other = with_checkpoints();
  other.train.seed = 7;
  EXPECT_NE(refusal<ConfigError>(wave_table(), other).find("the training options"),
            std::string::npos);
  EXPECT_NE(refusal<ConfigError>(wave_table(299), with_checkpoints()).find(path_of(1)),
            std::string::npos);
  EXPECT_EQ(read_bytes(path_of(1), "it"), before);
  other = with_checkpoints();
  other.train.threads = 1;  // changes no result
  EXPECT_NO_THROW(fit(wave_table(), other));
}

TEST_F(Checkpoints, ThatAreDamagedAreRefused) {
  ASSERT_TRUE(cut_off_after(5, with_checkpoints()));
  const std::string whole = read_bytes(path_of(1), "it");
  for (const std::string& bytes : {whole.substr(0, whole.size() / 2), std::string("nothing")}) {
    std::ofstream(path_of(1), std::ios::binary) << bytes;
    EXPECT_NE(refusal<ModelFileError>(wave_table(), with_checkpoints()).find(path_of(1)),
              std::string::npos);
  }
  fit(wave_table(), options_).model.save(path_of(1));
  EXPECT_NE(refusal<ModelFileError>(wave_table(), with_checkpoints()).find("this is a model"),
            std::string::npos);
}

TEST_F(Checkpoints, CannotGoWithATimeLimit) {
  FitOptions options = with_checkpoints();
  options.train.time_limit_seconds = 5;
  EXPECT_THROW(fit(wave_table(), options), ConfigError);
}

TEST_F(Checkpoints, AFolderThatCannotBeCreatedIsSaid) {
  std::ofstream(folder_.string()) << "a file";
  EXPECT_NE(refusal<FileError>(wave_table(), with_checkpoints()).find(folder_.string()),
            std::string::npos);
}

TEST_F(Checkpoints, AreRemovedWithTheirFolderButNothingElse) {
  const FitResult fitted = fit(wave_table(), with_checkpoints());
  std::ofstream(folder_ / "notes.txt") << "mine";
  std::ofstream(folder_ / ".network-1.safetensors.tmp-1-0001") << "half";
  remove_checkpoints(fitted.report.train);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  fs::remove(folder_ / "notes.txt");
  remove_checkpoints(fitted.report.train);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Checkpoints, SeveralProcessesGoOnFromWhatAnyOfThemHas) {
  const std::string expected = uninterrupted();
  FitOptions options = with_checkpoints();
  options.train.threads = 3;  // so that all networks are under way
  ASSERT_TRUE(cut_off_after(40, options));
  ASSERT_TRUE(fs::exists(path_of(1)) && fs::exists(path_of(2)));
  // Two machines: each has a folder of its own.
  const fs::path other = folder_ / "other";
  fs::create_directory(other);
  fs::rename(path_of(1), other / "network-1.safetensors");

  ThreadGroup group(2);
  std::vector<std::optional<FitResult>> results(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadGroup::Member member(group, rank);
      FitOptions mine = options;
      mine.train.processes = &member;
      mine.train.threads = 1;
      if (rank == 1) mine.train.checkpoint_folder = other.string();
      results[rank] = fit(wave_table(), mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) {
    EXPECT_EQ(model_of(*result), expected);
    EXPECT_GT(result->report.resumed_steps, 200U);
  }
}

TEST_F(Checkpoints, AStateSurvivesItsBytes) {
  const TrainingIdentity identity = {{"the columns", "a"}, {"the labels", "b"}};
  NetworkTrainingState state{.report = {.steps = 12, .best_step = 9, .training_loss = 0.1},
                             .evaluations = 4,
                             .evaluations_since_best = 1,
                             .averaged = {1.5f, -0.0f},
                             .weights = {2.f, 3e-40f},
                             .first_moment = {0.f, 1.f},
                             .second_moment = {1e-30f, 4.f}};
  state.report.validation_loss = std::numeric_limits<double>::quiet_NaN();
  const std::string bytes = state_to_bytes(state, identity);
  const NetworkTrainingState back = state_from_bytes(bytes, identity, "it");
  EXPECT_EQ(state_to_bytes(back, identity), bytes);
  EXPECT_EQ(back.report.steps, 12U);
  EXPECT_EQ(back.weights, state.weights);
  EXPECT_TRUE(std::signbit(back.averaged[1]));
  EXPECT_TRUE(std::isinf(back.best_loss));
  EXPECT_TRUE(std::isnan(back.report.validation_loss));
  EXPECT_THROW(state_from_bytes(bytes, {{"the columns", "a"}, {"the labels", "c"}}, "it"),
               ConfigError);
}

}  // namespace
}  // namespace knockout
