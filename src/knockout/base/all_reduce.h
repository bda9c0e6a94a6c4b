// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace knockout {

/// Several processes that work on one training and add up what each has computed. All of them must
/// make the same calls in the same order. A peer that is lost or hangs makes the call throw a
/// PeerError within the timeout. The LibTorch engine implements it over the network (c10d); the
/// native engine sees only this.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Replaces `values` by the sum over all processes: the same bits everywhere.
  virtual void sum(std::span<float> values) = 0;
  virtual void sum(std::span<double> values) = 0;
  /// Gives every process the bytes of process `from`. REQUIRES: as many everywhere.
  virtual void broadcast(std::span<std::byte> bytes, int from = 0);
};

/// The same for bytes whose number only `from` knows.
void broadcast(AllReduce& processes, std::string& bytes, int from = 0);

/// Throws PeerError in every process unless all of them give the same text; `what` names it in the
/// message ("the training data").
void require_same(AllReduce& processes, std::string_view what, std::string_view text);

}  // namespace knockout
