// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

/// What the LibTorch side of nn/ may ask of a process group: collective calls on tensors that go on
/// while this process does other things. All processes must start the same calls in the same order.
struct ProcessGroup::Connection {
  virtual ~Connection() = default;

  /// Waits for a call that was started; throws PeerError when a peer is lost or hangs.
  using Wait = std::function<void()>;
  /// Begins to replace the numbers of `tensor` by their sums over all processes. `purpose` tells a
  /// user what was going on ("adding up gradients").
  virtual Wait start_sum(torch::Tensor tensor, std::string purpose) = 0;
  /// The same with the numbers of process `from`.
  virtual Wait start_broadcast(torch::Tensor tensor, std::string purpose, int from = 0) = 0;
};

}  // namespace knockout::nn
