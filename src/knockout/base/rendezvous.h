// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace knockout {

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

}  // namespace knockout
