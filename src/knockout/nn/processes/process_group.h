// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "knockout/base/all_reduce.h"
#include "knockout/base/rendezvous.h"

// LibTorch-free on purpose: the command includes it.
namespace knockout::nn {

/// The processes of one training, connected by c10d (Gloo). Collective calls, from one thread.
class ProcessGroup : public AllReduce {
 public:
  /// Waits for all processes. Throws PeerError when one does not come in time.
  explicit ProcessGroup(const Rendezvous& rendezvous);
  struct Connection;  ///< LibTorch's side.
  /// Over another connection, which is made already.
  ProcessGroup(const Rendezvous& rendezvous, std::unique_ptr<Connection> connection);
  ~ProcessGroup() override;

  int rank() const override { return rendezvous_.rank; }
  int size() const override { return rendezvous_.size; }
  void sum(std::span<float> values) override;
  void sum(std::span<double> values) override;
  void broadcast(std::span<std::byte> bytes, int from = 0) override;

  Connection& connection() { return *connection_; }

 private:
  Rendezvous rendezvous_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace knockout::nn
