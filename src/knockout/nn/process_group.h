// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "knockout/base/all_reduce.h"

// LibTorch-free on purpose: the command includes it.
namespace knockout::nn {

/// How the processes of a training find each other.
struct Rendezvous {
  int rank = 0, size = 1;
  std::string address = "127.0.0.1";
  int port = 29500;
  /// A peer that does not come, or does not answer for so long, counts as lost.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
};

/// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT (torchrun, Slurm and Kubernetes launchers),
/// or from what mpirun sets (OMPI_COMM_WORLD_RANK/SIZE, PMI_RANK/SIZE); KNOCKOUT_TIMEOUT in
/// seconds. None of them, or a size of one: nothing. Throws ConfigError for values that make no
/// sense.
std::optional<Rendezvous> rendezvous_from_environment();

/// The processes of one training, connected by c10d (Gloo). Collective calls, from one thread.
class ProcessGroup : public AllReduce {
 public:
  /// Waits for all processes. Throws PeerError when one does not come in time.
  explicit ProcessGroup(const Rendezvous& rendezvous);
  ~ProcessGroup() override;

  int rank() const override { return rendezvous_.rank; }
  int size() const override { return rendezvous_.size; }
  void sum(std::span<float> values) override;
  void sum(std::span<double> values) override;
  /// Everyone gets the bytes of rank 0.
  void broadcast(std::span<std::byte> bytes);
  void barrier();

  struct Connection;  ///< LibTorch's side.
  Connection& connection() { return *connection_; }

 private:
  Rendezvous rendezvous_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace knockout::nn
