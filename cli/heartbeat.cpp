// SPDX-License-Identifier: Apache-2.0
#include "cli/heartbeat.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/output.h"
#include "knockout/base/stage.h"

namespace knockout::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestSilence(2), kBetweenLines(10);

struct HowFar {
  std::mutex mutex;
  std::string text;
};
HowFar& how_far() {
  static HowFar current;
  return current;
}

std::atomic<bool> another_speaks{false};

Doing now_doing() {
  Doing doing{current_stage()};
  const std::scoped_lock lock(how_far().mutex);
  doing.how_far = how_far().text;
  return doing;
}

}  // namespace

std::string Heartbeat::beat(Time now, Time last_said, const Doing& doing) {
  last_heard_ = std::max(last_heard_, last_said);
  if (now - last_heard_ < kLongestSilence) return "";
  if (doing.stage == told_stage_ && now - last_line_ < kBetweenLines) return "";
  last_heard_ = last_line_ = now;
  told_stage_ = doing.stage;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  return fmt::format("{}{}{} ({} so far)", doing.stage.empty() ? "working" : doing.stage,
                     doing.how_far.empty() ? "" : ": ", doing.how_far, duration_text(seconds));
}

struct Watcher::Thread {
  explicit Thread(std::string name) : who(std::move(name)), thread([this] { run(); }) {}
  ~Thread() {
    {
      const std::scoped_lock lock(mutex);
      ended = true;
    }
    changed.notify_one();
    thread.join();
  }

  void run() {
    constexpr std::chrono::milliseconds kBetweenLooks(100);
    Heartbeat heartbeat(Clock::now());
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kBetweenLooks, [this] { return ended; })) {
      if (another_speaks) return;
      const std::string line = heartbeat.beat(Clock::now(), last_said(), now_doing());
      if (!line.empty()) show_status(who + ": " + line);
    }
  }

  std::string who;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::thread thread;  ///< Last: it uses the others.
};

Watcher::Watcher(std::string who, bool quiet) {
  if (!quiet) thread_ = std::make_unique<Thread>(std::move(who));
}

Watcher::~Watcher() = default;

void set_how_far(std::string text) {
  const std::scoped_lock lock(how_far().mutex);
  how_far().text = std::move(text);
}

void stop_watching() { another_speaks = true; }

}  // namespace knockout::cli
