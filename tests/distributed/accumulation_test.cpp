// SPDX-License-Identifier: Apache-2.0
// Batches that several processes work through in parts, some of which have no label.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "training_worker.h"
#include "worker_processes.h"

namespace knockout::testing_processes {
namespace {

/// Trains as ACCUMULATE and the rendezvous say, and writes the network to OUTPUT. The loss is the
/// mean over the labelled rows, one in three, and NaN where there are none.
int run_accumulation() try {
  torch::set_num_threads(1);
  std::unique_ptr<nn::ProcessGroup> processes;
  if (const auto rendezvous = rendezvous_from_environment()) {
    processes = std::make_unique<nn::ProcessGroup>(*rendezvous);
  }
  torch::manual_seed(7);
  const torch::Tensor x = torch::randn({50, 6});
  const nn::TensorDataset data({x}, x.sum(1).masked_fill(torch::arange(50) % 3 != 0,
                                                         std::numeric_limits<double>::quiet_NaN()));
  const auto network = std::make_shared<Network>("unused");
  nn::TrainingTask task{network, [&](const nn::Batch& batch) {
                          const torch::Tensor error =
                              network->forward(batch.inputs[0], false) - batch.labels;
                          return error.index({~batch.labels.isnan()}).square().mean();
                        }};
  task.weight = [](const nn::Batch& batch) { return (~batch.labels.isnan()).sum().item<double>(); };
  nn::train(task, data,
            {.batch_rows = 12,
             .accumulate = std::stoi(variable_or("ACCUMULATE", "1")),
             .steps = 15,
             .optimizer = Optimizer::kAdam,
             .learning_rate = 0.01,
             .weight_decay = 0.1,
             .clip_norm = 1.0},
            processes.get());
  nn::Checkpoint checkpoint;
  nn::store_network(*network, checkpoint);
  nn::write_checkpoint_bytes(nn::checkpoint_to_bytes(checkpoint), variable_or("OUTPUT", ""));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

class Accumulation : public ProcessesTest {
 protected:
  /// What the processes end with; the same in all of them.
  std::map<std::string, torch::Tensor> trained(int processes, int parts) const {
    const std::string port = std::to_string(free_port());
    const auto output = [&](int rank) { return folder_ / ("weights." + std::to_string(rank)); };
    std::vector<Worker> workers;
    for (int rank = 0; rank < processes; ++rank) {
      workers.emplace_back(Variables{{"KNOCKOUT_TEST_WORKER", "training"},
                                     {"RANK", std::to_string(rank)},
                                     {"WORLD_SIZE", std::to_string(processes)},
                                     {"MASTER_ADDR", "127.0.0.1"},
                                     {"MASTER_PORT", port},
                                     {"KNOCKOUT_TIMEOUT", "20"},
                                     {"ACCUMULATE", std::to_string(parts)},
                                     {"OUTPUT", output(rank).string()}},
                           folder_ / ("log." + std::to_string(rank)));
    }
    for (Worker& worker : workers) EXPECT_EQ(worker.wait(), 0) << worker.log();
    const std::string weights = read_file(output(0));
    for (int rank = 1; rank < processes; ++rank) EXPECT_EQ(read_file(output(rank)), weights);
    return nn::checkpoint_from_bytes(weights, "weights").tensors;
  }
};

TEST_F(Accumulation, EndsWithTheWeightsOfOneProcessAndWholeBatchesUpToRounding) {
  const auto expected = trained(1, 1);
  // With 2 rows or fewer at once, many losses are NaN and must count nothing.
  for (const auto& [processes, parts] : {std::pair(1, 6), {2, 1}, {4, 1}, {2, 4}, {3, 2}}) {
    const auto found = trained(processes, parts);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : found) {
      EXPECT_TRUE(torch::allclose(tensor, expected.at(name), 1e-5, 1e-6))
          << name << " with " << processes << " processes and " << parts << " parts";
    }
  }
}

}  // namespace
}  // namespace knockout::testing_processes

int main(int argc, char** argv) {
  if (std::getenv("KNOCKOUT_TEST_WORKER") != nullptr) {
    return knockout::testing_processes::run_accumulation();
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
