// SPDX-License-Identifier: Apache-2.0
// Trainings of 2 and 4 processes on this machine, and what happens when one of them is lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "knockout/base/random.h"
#include "knockout/nn/processes/gradient_sync.h"
#include "training_worker.h"
#include "worker_processes.h"

namespace knockout::testing_processes {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

class DataParallel : public ProcessesTest {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// The processes of one training; each writes its weights to <name>.<rank>.
  std::vector<Worker> start(const std::string& name, int processes, Variables more = {}) const {
    const std::string port = std::to_string(free_port());
    std::vector<Worker> workers;
    for (int rank = 0; rank < processes; ++rank) {
      Variables variables = {{"KNOCKOUT_TEST_WORKER", "training"},
                             {"RANK", std::to_string(rank)},
                             {"WORLD_SIZE", std::to_string(processes)},
                             {"MASTER_ADDR", "127.0.0.1"},
                             {"MASTER_PORT", port},
                             {"KNOCKOUT_TIMEOUT", "20"},
                             {"OUTPUT", output(name, rank)}};
      for (const auto& [key, value] : more) variables[key] = value;
      workers.emplace_back(variables, output(name, rank) + ".log");
    }
    return workers;
  }

  std::string output(const std::string& name, int rank) const {
    return path(name + "." + std::to_string(rank));
  }

  void run(const std::string& name, int processes, const Variables& more = {}) const {
    std::vector<Worker> workers = start(name, processes, more);
    for (Worker& worker : workers) ASSERT_EQ(worker.wait(), 0) << worker.log();
    for (int rank = 1; rank < processes; ++rank) {
      EXPECT_EQ(read_file(output(name, rank)), read_file(output(name, 0)))
          << name << ": rank " << rank << " ends with other weights than rank 0";
    }
  }

  void expect_close(const std::string& name, const std::string& expected_name) const {
    const auto read = [&](const std::string& each) {
      return nn::checkpoint_from_bytes(read_file(output(each, 0)), each).tensors;
    };
    const auto tensors = read(name), expected = read(expected_name);
    ASSERT_EQ(tensors.size(), expected.size());
    for (const auto& [key, tensor] : tensors) {
      EXPECT_TRUE(torch::allclose(tensor, expected.at(key), 1e-5, 1e-6)) << name << ": " << key;
    }
  }

  std::int64_t resumed_at(const std::string& name) const {
    return std::stoi(read_file(output(name, 0) + ".resumed_at"));
  }

  /// Loses rank 1 of 3 in the middle of a training of 60 steps by a signal: the others end with a
  /// PeerError in time. The checkpoints are in the folder "run".
  void lose_a_peer(int signal) const {
    std::vector<Worker> workers = start("lost", 3,
                                        {{"STEPS", "60"},
                                         {"MILLISECONDS", "5"},
                                         {"CHECKPOINTS", path("run")},
                                         {"KNOCKOUT_TIMEOUT", "4"}});
    const std::string last = path("run/last.safetensors");
    ASSERT_TRUE(eventually([&] {
      return fs::exists(last) &&
             nn::checkpoint_from_bytes(read_file(last), last).document["step"] > 0;
    }));
    workers[1].send(signal);
    const auto lost_at = Clock::now();
    for (const int rank : {0, 2}) {
      EXPECT_EQ(workers[rank].wait(), 6) << workers[rank].log();
      EXPECT_LT(Seconds(Clock::now() - lost_at).count(), 4 + 3);  // 3 for a loaded machine
      const std::string log = workers[rank].log();
      EXPECT_NE(log.find("Process " + std::to_string(rank) + " of 3"), std::string::npos) << log;
      EXPECT_NE(log.find("adding up"), std::string::npos) << log;
      EXPECT_NE(log.find("last checkpoint"), std::string::npos) << log;
    }
    EXPECT_FALSE(fs::exists(output("lost", 0)));
  }
};

TEST_F(DataParallel, EndsWithTheWeightsOfOneProcessUpToRounding) {
  run("one", 1);
  run("two", 2);
  run("four", 4);
  expect_close("two", "one");
  expect_close("four", "one");
}

TEST_F(DataParallel, EndsInAllProcessesWhenOneIsCancelled) {
  std::vector<Worker> workers = start("cancelled", 3, {{"STEPS", "100000"}, {"CANCELLED_BY", "1"}});
  for (Worker& worker : workers) EXPECT_EQ(worker.wait(), 9) << worker.log();
}

TEST_F(DataParallel, WeighsSlicesByTheirLabelsWhenTold) {
  run("gaps_one", 1, {{"NETWORK", "gaps"}});
  run("gaps_three", 3, {{"NETWORK", "gaps"}});
  expect_close("gaps_three", "gaps_one");
}

TEST_F(DataParallel, GivesAllProcessesTheSameBatchNormStatistics) {
  // At the end of the training, and for each validation (the worker checks that).
  run("norm", 2, {{"NETWORK", "norm"}});
  run("stateful", 2, {{"NETWORK", "stateful"}});
}

TEST_F(DataParallel, GoesOnWhenParametersAreUnusedInSomeProcessesAndSteps) {
  run("unused", 2, {{"NETWORK", "unused"}});
  const auto tensors = nn::checkpoint_from_bytes(read_file(output("unused", 0)), "unused").tensors;
  torch::manual_seed(0);
  const Network untrained("unused");
  const auto before = untrained.named_parameters();
  EXPECT_TRUE(torch::equal(tensors.at("network/never.weight"), before["never.weight"]));
  EXPECT_FALSE(torch::equal(tensors.at("network/sometimes.weight"), before["sometimes.weight"]));
}

TEST_F(DataParallel, IsStartedByTheVariablesOfMpirun) {
  const std::string port = std::to_string(free_port());
  std::vector<Worker> workers;
  for (const std::string rank : {"0", "1"}) {
    workers.emplace_back(Variables{{"KNOCKOUT_TEST_WORKER", "training"},
                                   {"OMPI_COMM_WORLD_RANK", rank},
                                   {"OMPI_COMM_WORLD_SIZE", "2"},
                                   {"MASTER_PORT", port},
                                   {"STEPS", "3"},
                                   {"SEED", rank},
                                   {"OUTPUT", path("mpi." + rank)}},
                         path("mpi." + rank + ".log"));
  }
  for (Worker& worker : workers) ASSERT_EQ(worker.wait(), 0) << worker.log();
  // Two trainings of one process each would end differently: they begin with other weights.
  EXPECT_EQ(read_file(path("mpi.0")), read_file(path("mpi.1")));
}

TEST_F(DataParallel, EndsWithAClearMessageAndResumesWhenAPeerIsKilledOrHangs) {
  run("undisturbed", 3, {{"STEPS", "60"}});
  for (const int signal : {SIGKILL, SIGSTOP}) {
    SCOPED_TRACE(signal == SIGKILL ? "killed" : "stopped");
    fs::remove_all(folder_ / "run");
    lose_a_peer(signal);
    run("resumed", 3, {{"STEPS", "60"}, {"CHECKPOINTS", path("run")}});
    EXPECT_GT(resumed_at("resumed"), 0);
    EXPECT_EQ(read_file(output("resumed", 0)), read_file(output("undisturbed", 0)));
  }
}

TEST_F(DataParallel, IsResumedByFewerProcesses) {
  run("undisturbed", 3, {{"STEPS", "60"}});
  lose_a_peer(SIGKILL);
  for (const int processes : {1, 2}) {
    const std::string name = "resumed_by_" + std::to_string(processes);
    fs::copy(folder_ / "run", folder_ / name);
    run(name, processes, {{"STEPS", "60"}, {"CHECKPOINTS", path(name)}});
    EXPECT_GT(resumed_at(name), 0);
    expect_close(name, "undisturbed");
  }
}

TEST_F(DataParallel, EndsWithAClearMessageWhenAPeerDoesNotCome) {
  for (const std::string rank : {"0", "1"}) {
    const auto start = Clock::now();
    Worker worker({{"KNOCKOUT_TEST_WORKER", "training"},
                   {"RANK", rank},
                   {"WORLD_SIZE", "2"},
                   {"MASTER_PORT", std::to_string(free_port())},
                   {"KNOCKOUT_TIMEOUT", "1"}},
                  path("alone.log"));
    EXPECT_EQ(worker.wait(), 6) << worker.log();
    EXPECT_LT(Seconds(Clock::now() - start).count(), 1 + 5);  // 5 to start on a loaded machine
    EXPECT_NE(worker.log().find("Process " + rank + " of 2"), std::string::npos) << worker.log();
  }
}

TEST_F(DataParallel, RefusesProcessesThatTrainDifferentThings) {
  const std::string port = std::to_string(free_port());
  std::vector<Worker> workers;
  for (const std::string rank : {"0", "1"}) {
    workers.emplace_back(Variables{{"KNOCKOUT_TEST_WORKER", "training"},
                                   {"RANK", rank},
                                   {"WORLD_SIZE", "2"},
                                   {"MASTER_PORT", port},
                                   {"KNOCKOUT_TIMEOUT", "20"},
                                   {"STEPS", rank == "0" ? "3" : "4"},
                                   {"OUTPUT", path("different." + rank)}},
                         path("different." + rank + ".log"));
  }
  for (Worker& worker : workers) {
    EXPECT_EQ(worker.wait(), 6);
    EXPECT_NE(worker.log().find("do not agree on the training options"), std::string::npos)
        << worker.log();
  }
}

/// The sums of numbers whose rounding depends on the order of addition, as bytes in OUTPUT.
int run_sums() {
  nn::ProcessGroup processes(*rendezvous_from_environment());
  const Random random(3, Stream::kSimulation);
  std::vector<float> floats(1003);
  std::vector<double> doubles(17);
  const auto rank = static_cast<std::uint32_t>(processes.rank());
  for (std::uint32_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(random.normal(0, rank, 2 * i));
  }
  for (std::uint32_t i = 0; i < doubles.size(); ++i) doubles[i] = random.normal(1, rank, 2 * i);
  processes.sum(std::span<float>(floats));
  processes.sum(std::span<double>(doubles));
  std::ofstream file(variable_or("OUTPUT", "sums"), std::ios::binary);
  file.write(reinterpret_cast<const char*>(floats.data()),
             static_cast<std::streamsize>(floats.size() * sizeof(float)));
  file.write(reinterpret_cast<const char*>(doubles.data()),
             static_cast<std::streamsize>(doubles.size() * sizeof(double)));
  return file ? 0 : 1;
}

TEST_F(DataParallel, AddsUpTheSameBitsInAllProcesses) {
  run("sums", 4, {{"KNOCKOUT_TEST_WORKER", "sums"}});
  const std::string bytes = read_file(output("sums", 0));
  ASSERT_EQ(bytes.size(), 1003 * sizeof(float) + 17 * sizeof(double));
  const Random random(3, Stream::kSimulation);
  for (std::uint32_t i = 0; i < 1003; ++i) {
    double expected = 0;
    for (std::uint32_t rank = 0; rank < 4; ++rank) expected += random.normal(0, rank, 2 * i);
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof value);
    EXPECT_NEAR(value, expected, 1e-5);
  }
}

/// The loss of one process of the test below; `unused` takes part in it for rank 0 only.
torch::Tensor loss_of_rank(torch::nn::Sequential& network, torch::nn::Linear& unused, int rank) {
  const torch::Tensor x = torch::arange(15.0F).view({5, 3}) / 10 + rank;
  torch::Tensor result = network->forward(x).square().mean();
  return rank == 0 ? result + unused->forward(x).mean() : result;
}

torch::nn::Sequential several_layers() {
  return torch::nn::Sequential(torch::nn::Linear(3, 7), torch::nn::Tanh(), torch::nn::Linear(7, 5),
                               torch::nn::Tanh(), torch::nn::Linear(5, 2));
}

/// The gradients after a backward pass with buckets that hold a parameter or two.
int run_gradients() {
  nn::ProcessGroup processes(*rendezvous_from_environment());
  torch::set_num_threads(1);
  torch::manual_seed(0);
  auto network = several_layers();
  torch::nn::Linear unused(3, 1);
  std::vector<torch::Tensor> parameters = network->parameters();
  for (const torch::Tensor& parameter : unused->parameters()) parameters.push_back(parameter);
  nn::GradientSync sync(parameters, processes, 64);
  nn::Checkpoint gradients;
  for (int pass = 0; pass < 2; ++pass) {  // a second pass finds nothing of the first
    for (torch::Tensor& parameter : parameters) parameter.mutable_grad() = torch::Tensor();
    gradients.document["loss"] = sync.backward(loss_of_rank(network, unused, processes.rank()));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    gradients.tensors[std::to_string(i)] = parameters[i].grad();
  }
  nn::write_checkpoint_bytes(nn::checkpoint_to_bytes(gradients), variable_or("OUTPUT", ""));
  return sync.waiting_seconds() > 0 ? 0 : 1;
}

TEST_F(DataParallel, AddsUpGradientsInManySmallBuckets) {
  run("gradients", 2, {{"KNOCKOUT_TEST_WORKER", "gradients"}});
  const auto found = nn::checkpoint_from_bytes(read_file(output("gradients", 0)), "gradients");
  torch::manual_seed(0);
  auto network = several_layers();
  torch::nn::Linear unused(3, 1);
  double loss = 0;
  for (const int rank : {0, 1}) {  // gradients add up
    const torch::Tensor each = loss_of_rank(network, unused, rank);
    loss += each.item<double>();
    each.backward();
  }
  std::vector<torch::Tensor> parameters = network->parameters();
  for (const torch::Tensor& parameter : unused->parameters()) parameters.push_back(parameter);
  ASSERT_EQ(found.tensors.size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_TRUE(
        torch::allclose(found.tensors.at(std::to_string(i)), parameters[i].grad(), 1e-5, 1e-7))
        << i;
  }
  EXPECT_NEAR(found.document.at("loss").get<double>(), loss, 1e-6);
}

}  // namespace
}  // namespace knockout::testing_processes

int main(int argc, char** argv) {
  using namespace knockout::testing_processes;
  const std::string role = variable_or("KNOCKOUT_TEST_WORKER", "");
  if (role == "training") return run_training();
  if (role == "sums") return run_sums();
  if (role == "gradients") return run_gradients();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
