// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace knockout {

/// Makes what this thread does, and the parallel_for() loops that it starts, end with Cancelled
/// once `token` asks for it. Whatever works for long looks now and then: it need not be handed a
/// token through every call. What was in force before is in force again afterwards.
///   const StopScope scope(options.stop);
class StopScope {
 public:
  /// A token that nobody can use leaves the scope around this one in force.
  explicit StopScope(const std::stop_token& token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::stop_token before_;
};

/// The token in force on this thread; one that nobody can use outside of any scope.
std::stop_token current_stop_token();

/// Throws Cancelled when the token in force asks for it. Takes a few nanoseconds.
void throw_if_stopped();

}  // namespace knockout
