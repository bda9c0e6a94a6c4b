// SPDX-License-Identifier: Apache-2.0
// Work that takes long says what it does, on a terminal or not.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace knockout::cli {

/// What is being done, and how far it is where that is known.
struct Doing {
  std::string stage;
  std::string how_far = {};
};

/// Decides when a line is due: after two seconds in which nobody said anything, then when the stage
/// is another one, and every ten seconds. Has neither a clock nor a thread, so that a test can lead
/// it.
class Heartbeat {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit Heartbeat(Time start) : start_(start), last_heard_(start), last_line_(start) {}

  /// The line that is due, or "". `last_said` is when something was printed last.
  std::string beat(Time now, Time last_said, const Doing& doing);

 private:
  Time start_, last_heard_, last_line_;
  std::optional<std::string> told_stage_;
};

/// Prints the lines of a heartbeat while it lives, from a thread of its own, unless `quiet`. What
/// is done is the library's current_stage(). No verb needs to know of it.
class Watcher {
 public:
  Watcher(std::string who, bool quiet);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

/// Says how far the work is: "34 % done, 2 min left"; "" = nobody knows. From any thread.
void set_how_far(std::string text);
/// No more lines from this process: another one speaks for it.
void stop_watching();

}  // namespace knockout::cli
