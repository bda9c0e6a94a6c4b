// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/trainer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "knockout/base/error.h"
#include "knockout/nn/test_training.h"
#include "knockout/nn/training/checkpoint.h"

namespace knockout::nn {
namespace {

namespace fs = std::filesystem;

class TrainWithFiles : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::temp_directory_path() / ("knockout_trainer_" + std::to_string(::getpid()));
};

TEST_F(TrainWithFiles, ResumesRulesToTheSameBitsAndRefusesOthers) {
  const TensorDataset data = linear_data();
  const std::vector<ParameterRule> rules = {
      {.prefix = "first.bias", .follows_schedule = false, .weight_decay = 0.0, .momentum = 0.0},
      {.prefix = "first", .learning_rate_factor = 3, .momentum = 0.5}};
  TrainerOptions options{.batch_rows = 8, .steps = 12, .optimizer = Optimizer::kSgd};
  const auto trained = [&](int stop_at) {
    TwoHeads heads;
    heads.task.rules = rules;
    int steps = 0;
    heads.task.loss = [&, loss = heads.task.loss](const Batch& batch) {
      if (++steps > stop_at) throw std::runtime_error("power cut");
      return loss(batch);
    };
    train(heads.task, data, options);
    Checkpoint checkpoint;
    store_network(*heads.network, checkpoint);
    return checkpoint_to_bytes(checkpoint);
  };
  const std::string undisturbed = trained(100);
  options.checkpoint_folder = folder_.string();
  options.checkpoint_every = 5;
  EXPECT_THROW(trained(7), std::runtime_error);
  TwoHeads others;
  others.task.rules = {rules[0]};
  EXPECT_THROW(train(others.task, data, options), ConfigError);
  EXPECT_EQ(trained(100), undisturbed);
}

TEST_F(TrainWithFiles, ReturnsTheBestWeightsByValidation) {
  auto network = linear_network();
  TrainingTask task = task_of(network);
  int calls = 0;
  std::string best;
  task.validate = [&] {
    EXPECT_FALSE(network->is_training());
    EXPECT_FALSE(torch::GradMode::is_enabled());
    if (++calls == 2) best = bytes_of(network);
    return calls == 2 ? 5.0 : 1.0;
  };
  const TrainerReport report =
      train(task, linear_data(),
            {.steps = 50, .validate_every = 10, .checkpoint_folder = folder_.string()});
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(report.best_step, 20);
  EXPECT_EQ(report.best_score, 5.0);
  EXPECT_EQ(bytes_of(network), best);
  auto loaded = linear_network();
  load_network((folder_ / "best.safetensors").string(), *loaded);
  EXPECT_EQ(bytes_of(loaded), best);
  load_network((folder_ / "last.safetensors").string(), *loaded);
  EXPECT_NE(bytes_of(loaded), best);

  // Started again, there is nothing left to do, and the result is the same.
  auto again = linear_network();
  task = task_of(again);
  task.validate = []() -> double { throw std::logic_error("nothing is left to validate"); };
  const TrainerReport second =
      train(task, linear_data(),
            {.steps = 50, .validate_every = 10, .checkpoint_folder = folder_.string()});
  EXPECT_EQ(second.resumed_at, 50);
  EXPECT_EQ(second.best_score, 5.0);
  EXPECT_EQ(bytes_of(again), best);
}

TEST_F(TrainWithFiles, ResumesToTheSameBitsAfterAnErrorAtAnyStep) {
  const TensorDataset data = linear_data();
  for (const Optimizer kind : {Optimizer::kAdam, Optimizer::kSgd}) {
    TrainerOptions options{.batch_rows = 8, .steps = 20, .optimizer = kind};
    auto undisturbed = stateful_network();
    train(task_of(undisturbed), data, options);

    options.checkpoint_folder = folder_.string();
    options.checkpoint_every = 3;
    std::int64_t resumed_at = 0;
    for (const int stop_at : {2, 8, 9, 100}) {
      auto network = stateful_network();
      TrainingTask task = task_of(network);
      int steps = 0;
      task.loss = [&, loss = task.loss](const Batch& batch) {
        if (++steps > stop_at) throw std::runtime_error("power cut");
        return loss(batch);
      };
      if (stop_at < 100) {
        EXPECT_THROW(train(task, data, options), std::runtime_error);
      } else {
        resumed_at = train(task, data, options).resumed_at;
        EXPECT_EQ(bytes_of(network), bytes_of(undisturbed));
      }
    }
    EXPECT_EQ(resumed_at, 15);  // stopped at 2, 8 and 6 + 9, resumed at 0, 6 and 15
    fs::remove_all(folder_);
  }
}

TEST_F(TrainWithFiles, RefusesTheCheckpointOfAnotherRunByWhatDiffers) {
  auto network = linear_network();
  TrainerOptions options{.steps = 3, .checkpoint_folder = folder_.string()};
  train(task_of(network), linear_data(), options);
  options.learning_rate = 0.25;
  try {
    train(task_of(network), linear_data(), options);
    FAIL() << "expected an error";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("last.safetensors"), std::string::npos) << message;
    EXPECT_NE(message.find("learning_rate is 0.001, now it is 0.25"), std::string::npos) << message;
  }
  options.learning_rate = 1e-3;
  EXPECT_THROW(train(task_of(stateful_network()), linear_data(), options), ConfigError);
}

TEST_F(TrainWithFiles, RefusesADamagedCheckpointByItsPath) {
  auto network = linear_network();
  const TrainerOptions options{.steps = 3, .checkpoint_folder = folder_.string()};
  train(task_of(network), linear_data(), options);
  const fs::path path = folder_ / "last.safetensors";
  fs::resize_file(path, fs::file_size(path) - 5);
  try {
    train(task_of(network), linear_data(), options);
    FAIL() << "expected an error";
  } catch (const ModelFileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
  }
}

TEST_F(TrainWithFiles, RefusesAForgedCheckpointByItsPath) {
  auto network = linear_network();
  TrainingTask task = task_of(network);
  task.validate = [] { return 1.0; };
  const TrainerOptions options{.steps = 3, .checkpoint_folder = folder_.string()};
  train(task, linear_data(), options);
  const std::string path = (folder_ / "last.safetensors").string();
  const Checkpoint sound = checkpoint_from_bytes(read_checkpoint_bytes(path), path);
  ASSERT_TRUE(sound.document.contains("best_score"));
  const auto refusal = [&](const nlohmann::json& document) -> std::string {
    Checkpoint forged = sound;
    forged.document = document;
    write_checkpoint_bytes(checkpoint_to_bytes(forged), path);
    try {
      train(task, linear_data(), options);
    } catch (const ModelFileError& error) {
      return error.what();
    } catch (const ConfigError&) {
      return path + ": it is of another run";
    }
    return path + ": it was taken";
  };
  // Every type and size in the place of every entry; whatever comes, it is one of our errors.
  using nlohmann::json;
  for (const auto& item : sound.document.items()) {
    for (const json& other : {json(), json(true), json(-1), json(4), json(0.5), json(1e300),
                              json("x"), json::array(), json::object()}) {
      json document = sound.document;
      document[item.key()] = other;
      EXPECT_NE(refusal(document).find(path), std::string::npos) << item.key() << other;
    }
    json document = sound.document;
    document.erase(item.key());
    EXPECT_NE(refusal(document).find(path), std::string::npos) << item.key();
  }
  json document = sound.document;
  document["step"] = 1e300;  // no integer holds it
  EXPECT_NE(refusal(document).find("\"step\" must be a whole number"), std::string::npos);
}

/// The score after each 5 steps, from a network that counts them.
TrainingTask task_with_scores(torch::nn::Sequential network, const std::vector<double>& scores) {
  TrainingTask task = task_of(network);
  task.validate = [network, &scores]() mutable {
    return scores.at(network->named_buffers()["0.step"].item<std::int64_t>() / 5 - 1);
  };
  return task;
}

TEST_F(TrainWithFiles, StopsEarlyAtTheSameStepAfterAnErrorAtAnyStep) {
  const TensorDataset data = linear_data();
  const std::vector<double> scores = {1, 3, 2, 2, 2, 4};
  TrainerOptions options{
      .batch_rows = 8, .steps = 30, .warmup_steps = 9, .validate_every = 5, .patience = 3};
  auto undisturbed = stateful_network();
  ASSERT_EQ(train(task_with_scores(undisturbed, scores), data, options).steps, 25);

  options.checkpoint_folder = folder_.string();
  options.checkpoint_every = 7;  // so that the best weights are often newer than the last
  for (int stop_at = 1; stop_at < 30; ++stop_at) {
    auto cut_off = stateful_network();
    TrainingTask task = task_with_scores(cut_off, scores);
    int steps = 0;
    task.loss = [&, loss = task.loss](const Batch& batch) {
      if (++steps > stop_at) throw std::runtime_error("power cut");
      return loss(batch);
    };
    if (stop_at < 25) {
      EXPECT_THROW(train(task, data, options), std::runtime_error) << stop_at;
    } else {
      train(task, data, options);
    }
    auto network = stateful_network();
    const TrainerReport report = train(task_with_scores(network, scores), data, options);
    EXPECT_EQ(report.resumed_at, stop_at < 25 ? stop_at / 7 * 7 : 25);
    EXPECT_EQ(report.steps, 25) << stop_at;
    EXPECT_EQ(report.best_step, 10) << stop_at;
    EXPECT_EQ(report.best_score, 3) << stop_at;
    EXPECT_EQ(bytes_of(network), bytes_of(undisturbed)) << stop_at;
    fs::remove_all(folder_);
  }
}

TEST_F(TrainWithFiles, RefusesToGoOnWithoutTheBestWeights) {
  const TensorDataset data = linear_data();
  const std::vector<double> scores = {1, 2, 3, 2};
  const TrainerOptions options{
      .batch_rows = 8, .steps = 20, .validate_every = 5, .checkpoint_folder = folder_.string()};
  const fs::path best = folder_ / "best.safetensors", older = folder_ / "older";
  auto network = stateful_network();
  TrainingTask task = task_with_scores(network, scores);
  task.validate = [&, validate = task.validate] {
    if (validate() == 3) fs::copy_file(best, older);  // of step 10
    return validate();
  };
  train(task, data, options);

  const auto expect_refused = [&](const std::string& reason) {
    try {
      train(task, data, options);
      FAIL() << "expected an error";
    } catch (const ModelFileError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(best.string())) << message;
      EXPECT_NE(message.find(reason), std::string::npos) << message;
      EXPECT_NE(message.find("step 15"), std::string::npos) << message;
    }
  };
  fs::rename(best, folder_ / "kept");
  expect_refused("no such file");
  fs::rename(older, best);
  expect_refused("step 10");
  fs::rename(folder_ / "kept", best);
  EXPECT_EQ(train(task, data, options).best_step, 15);
}

TEST_F(TrainWithFiles, BeginsWithoutTheBestWeightsOfARunThatIsGone) {
  const TrainerOptions options{.steps = 3, .checkpoint_folder = folder_.string()};
  const fs::path best = folder_ / "best.safetensors";
  fs::create_directories(best / "something");
  auto network = linear_network();
  EXPECT_THROW(train(task_of(network), linear_data(), options), FileError);
  EXPECT_FALSE(fs::exists(folder_ / "last.safetensors")) << "it seems to belong to the best";
  fs::remove_all(best);
  write_checkpoint_bytes("of another run", best.string());
  train(task_of(network), linear_data(), options);
  EXPECT_FALSE(fs::exists(best));
  EXPECT_TRUE(fs::exists(folder_ / "last.safetensors"));
}

TEST_F(TrainWithFiles, TakesTheMeansOfAResumedRunFromItsCheckpoint) {
  const TensorDataset data = linear_data();
  std::vector<std::size_t> rows(40);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const Batch all = data.get(rows, Random(0, Stream::kShuffle), 0);
  const auto make_network = [&](bool observed) {
    torch::manual_seed(2);
    Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                            .shape = {3},
                                                            .placeholder = Placeholder::mean(),
                                                            .force_placeholder = true,
                                                            .separate_features = true}}});
    if (observed) knockout->observe(all.inputs);
    return torch::nn::Sequential(knockout, torch::nn::Linear(3, 1));
  };
  TrainerOptions options{.batch_rows = 8, .steps = 9};
  auto undisturbed = make_network(true);
  train(task_of(undisturbed), data, options);

  options.checkpoint_folder = folder_.string();
  options.checkpoint_every = 2;
  EXPECT_THROW(train(task_of(make_network(false)), data, options), ConfigError);
  EXPECT_FALSE(fs::exists(folder_ / "last.safetensors")) << "a run without means would be resumed";
  auto cut_off = make_network(true);
  TrainingTask task = task_of(cut_off);
  int steps = 0;
  task.loss = [&, loss = task.loss](const Batch& batch) {
    if (++steps > 5) throw std::runtime_error("power cut");
    return loss(batch);
  };
  EXPECT_THROW(train(task, data, options), std::runtime_error);
  auto resumed = make_network(false);
  EXPECT_EQ(train(task_of(resumed), data, options).resumed_at, 4);
  EXPECT_EQ(bytes_of(resumed), bytes_of(undisturbed));
}

}  // namespace
}  // namespace knockout::nn
