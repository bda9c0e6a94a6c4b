// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/trainer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/stage.h"
#include "knockout/base/stop.h"
#include "knockout/base/wording.h"
#include "knockout/networks/checkpoint.h"
#include "knockout/networks/network_trainer.h"

namespace knockout {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds up what the networks report and tells the caller how far all of them are.
class ProgressCounter {
 public:
  ProgressCounter(std::size_t networks, std::uint64_t steps, const ProgressFunction& progress)
      : steps_(steps), done_(networks, 0.0), progress_(progress), start_(Clock::now()) {}

  /// A network that an earlier training has taken so far.
  void begin_at(int network, double share_done) {
    done_[network] = share_done;
    before_ += share_done / static_cast<double>(done_.size());
  }

  void report(int network, std::uint64_t step, double share_done, double training_loss,
              double validation_loss) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_[network] = std::min(1.0, share_done);
    last_ = {.network = network,
             .networks = static_cast<int>(done_.size()),
             .step = step,
             .steps = steps_};
    last_.training_loss = training_loss;
    last_.validation_loss = validation_loss;
    tell();
  }

  /// A network that stopped early counts as done.
  void finish(int network) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    if (std::exchange(done_[network], 1.0) < 1.0) tell();
  }

 private:
  void tell() {
    last_.share_done =
        std::accumulate(done_.begin(), done_.end(), 0.0) / static_cast<double>(done_.size());
    last_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double done_now = last_.share_done - before_;
    last_.seconds_left = done_now > 0 ? last_.seconds / done_now * (1.0 - last_.share_done) : 0.0;
    progress_(last_);
  }

  std::uint64_t steps_;
  std::vector<double> done_;  ///< Share of each network.
  double before_ = 0;         ///< Share of all that was done before this training.
  const ProgressFunction& progress_;
  Clock::time_point start_;
  TrainProgress last_;
  std::mutex mutex_;
};

/// When a network that starts now must stop: the time left, shared among the networks that one team
/// still has to train.
Clock::time_point deadline_of(Clock::time_point end, int networks_left, int teams) {
  if (end == Clock::time_point::max()) return end;
  const int rounds_left = (networks_left + teams - 1) / teams;
  const auto now = Clock::now();
  return now + (end - now) / rounds_left;
}

/// Runs `work` while telling the other processes, several times a second, that this one is still at
/// it: one that has more to do than they must not count as lost. Once one is asked to stop, all of
/// them throw Cancelled. `work` must end soon after `peer_lost` is set.
void work_beside_peers(AllReduce& processes, const std::stop_token& stop,
                       std::atomic<bool>& peer_lost, const std::function<void()>& work) {
  constexpr std::chrono::milliseconds kBetweenSigns(200);
  std::future<void> working = std::async(std::launch::async, work);
  try {
    for (bool busy = true; busy;) {
      const bool ready =
          working.valid() && working.wait_for(kBetweenSigns) == std::future_status::ready;
      const bool asked = stop.stop_requested();
      // Work that ended because of it is no failure of this process: the others are to hear why.
      if (ready && !asked) working.get();
      double told[] = {working.valid() ? 1.0 : 0.0, asked ? 1.0 : 0.0};
      processes.sum(std::span(told));
      if (told[1] > 0) throw Cancelled();
      busy = told[0] > 0;
    }
  } catch (...) {
    peer_lost = true;
    if (working.valid()) working.wait();
    throw;
  }
}

/// Gives every process the networks that the others have trained.
void exchange(AllReduce& processes, TrainedNetworks& trained) {
  for (std::size_t n = 0; n < trained.networks.size(); ++n) {
    const int owner = static_cast<int>(n) % processes.size();
    processes.broadcast(std::as_writable_bytes(std::span(trained.networks[n].parameters())), owner);
    processes.broadcast(std::as_writable_bytes(std::span(&trained.reports[n], 1)), owner);
  }
}

/// Where each network's training stands; empty = at its start. Every process has a folder of its
/// own, or all have the same one: what counts is the furthest that any of them knows.
std::vector<std::optional<NetworkTrainingState>> read_states(const CheckpointFolder& checkpoints,
                                                             const TrainingIdentity& identity,
                                                             int networks, AllReduce* processes) {
  std::vector<std::optional<NetworkTrainingState>> states(networks);
  for (int n = 0; n < networks; ++n) states[n] = checkpoints.read(n);
  if (processes == nullptr) return states;
  for (std::optional<NetworkTrainingState>& state : states) {
    std::vector<double> known(processes->size());
    if (state) {
      known[processes->rank()] = 1 + static_cast<double>(state->report.steps) + state->is_finished;
    }
    processes->sum(known);
    const auto furthest = std::max_element(known.begin(), known.end());
    if (*furthest == 0) continue;
    const int owner = static_cast<int>(furthest - known.begin());
    std::string bytes = owner == processes->rank() ? state_to_bytes(*state, identity) : "";
    broadcast(*processes, bytes, owner);
    state = state_from_bytes(bytes, identity, fmt::format("The checkpoint of process {}", owner));
  }
  return states;
}

}  // namespace

TrainedNetworks train(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                      const TrainOptions& options, const ProgressFunction& progress) {
  return train(examples, encoder, plan, resolve(options, examples.inputs.rows), progress);
}

TrainedNetworks train(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                      const ResolvedTraining& resolved, const ProgressFunction& progress) {
  const StopScope scope(resolved.stop);
  const Stage stage("training " + plural(static_cast<std::uint64_t>(resolved.networks), "network"));
  throw_if_stopped();
  AllReduce* const processes = resolved.processes;
  const bool share_networks = processes != nullptr && resolved.networks >= processes->size();
  AllReduce* const share_rows = share_networks ? nullptr : processes;
  if (share_rows != nullptr && resolved.batch_rows < share_rows->size()) {
    throw ConfigError(fmt::format("{} processes cannot share a batch of {} rows.",
                                  share_rows->size(), resolved.batch_rows));
  }
  std::vector<int> mine;
  for (int n = 0; n < resolved.networks; ++n) {
    if (!share_networks || n % processes->size() == processes->rank()) mine.push_back(n);
  }

  const int threads = resolve_threads(resolved.threads);
  // Processes that share rows must all be at the same network.
  const int teams = share_rows != nullptr ? 1 : std::min(threads, static_cast<int>(mine.size()));
  const int team_size = std::max(1, threads / teams);
  constexpr double kForever = 1e9;  // seconds; a clock could not add many more
  const auto end =
      resolved.time_limit_seconds.value_or(kForever) < kForever
          ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(*resolved.time_limit_seconds))
          : Clock::time_point::max();

  TrainingIdentity identity;
  if (processes != nullptr || resolved.checkpoint_folder) {
    identity = identity_of(examples, encoder, plan, resolved);
  }
  if (processes != nullptr) {
    for (const auto& [what, hash] : identity) require_same(*processes, what, hash);
  }
  std::optional<CheckpointFolder> checkpoints;
  std::vector<std::optional<NetworkTrainingState>> states(resolved.networks);
  if (resolved.checkpoint_folder) {
    checkpoints.emplace(resolved, identity);
    states = read_states(*checkpoints, identity, resolved.networks, processes);
  }

  ProgressCounter counter(mine.size(), resolved.steps, progress);
  std::vector<std::optional<Network>> networks(resolved.networks);
  TrainedNetworks trained;
  trained.reports.resize(resolved.networks);
  for (const auto& state : states) trained.resumed_steps += state ? state->report.steps : 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::optional<NetworkTrainingState>& state = states[mine[i]];
    if (!state) continue;
    counter.begin_at(static_cast<int>(i), state->is_finished
                                              ? 1.0
                                              : static_cast<double>(state->report.steps) /
                                                    static_cast<double>(resolved.steps));
  }
  std::atomic<bool> peer_lost{false};
  const auto train_network = [&](std::size_t position) {
    const int member = mine[position], index = static_cast<int>(position);
    Team team(team_size);
    NetworkTrainer trainer(examples, encoder, plan, resolved, member, share_rows);
    if (states[member]) trainer.resume(std::move(*states[member]));
    const auto deadline = deadline_of(end, static_cast<int>(mine.size()) - index, teams);
    trained.reports[member] = trainer.run(
        team, deadline,
        [&](std::uint64_t step, double share_done, double training_loss, double validation_loss) {
          counter.report(index, step, share_done, training_loss, validation_loss);
        },
        {.peer_lost = &peer_lost, .checkpoints = checkpoints ? &*checkpoints : nullptr});
    counter.finish(index);
    networks[member] = trainer.take_network();
  };
  const auto train_mine = [&] { parallel_for(mine.size(), teams, train_network); };
  if (share_networks) {
    work_beside_peers(*processes, resolved.stop, peer_lost, train_mine);
  } else {
    train_mine();
  }

  const std::vector<LayerPointer> layers = networks[mine.front()]->layers().layers();
  for (std::optional<Network>& network : networks) {
    trained.networks.push_back(network ? std::move(*network) : Network(layers));
  }
  if (share_networks) exchange(*processes, trained);
  return trained;
}

}  // namespace knockout
