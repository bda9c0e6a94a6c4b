// SPDX-License-Identifier: Apache-2.0
#include "knockout/tabular/trainer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/tabular/member.h"

namespace knockout {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds up what the networks report and tells the caller how far all of them are.
class ProgressCounter {
 public:
  ProgressCounter(std::size_t networks, std::uint64_t steps, const ProgressFunction& progress)
      : steps_(steps), done_(networks, 0.0), progress_(progress), start_(Clock::now()) {}

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
    last_.seconds_left =
        last_.share_done > 0 ? last_.seconds * (1.0 / last_.share_done - 1.0) : 0.0;
    progress_(last_);
  }

  std::uint64_t steps_;
  std::vector<double> done_;
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

void require(bool holds, std::string_view what) {
  if (!holds) throw ConfigError(fmt::format("Training options: {}.", what));
}

/// Everything a caller can get wrong. 0 and negative numbers stand for "chosen" where the header
/// says so.
void check(const TrainOptions& options) {
  require(options.hidden.size() <= 100, "at most 100 hidden layers");
  for (const int width : options.hidden) {
    require(width >= 1 && width <= 65536, "a hidden layer has 1 to 65,536 units");
  }
  require(options.networks >= 0 && options.networks <= 1000, "networks must be 1 to 1,000");
  require(options.batch_rows >= 0, "the batch must have at least one row");
  require(options.steps >= 0, "there must be at least one step");
  require(options.learning_rate >= 0 && std::isfinite(options.learning_rate),
          "the learning rate must be positive");
  require(options.momentum >= 0 && options.momentum < 1, "the momentum must be in [0, 1)");
  require(options.weight_decay < 1e6, "the weight decay is too large");
  require(options.dropout < 1, "the share of dropped units must be below 1");
  require(options.validation_share <= 0.5, "the validation share must be at most one half");
  require(options.embedding_dimension >= 0 && options.embedding_dimension <= 4096,
          "embeddings have 1 to 4,096 dimensions");
  require(options.time_limit_seconds >= 0, "the time limit must not be negative");
}

}  // namespace

TrainOptions resolve(const TrainOptions& options, std::size_t rows) {
  check(options);
  TrainOptions resolved = options;
  const auto count = static_cast<double>(rows);
  if (resolved.hidden.empty()) resolved.hidden = {128, 128};
  if (resolved.networks == 0) resolved.networks = 5;
  if (resolved.batch_rows == 0) resolved.batch_rows = 256;
  // A batch larger than the data only repeats rows under other masks; beyond some size that is
  // waste.
  constexpr std::size_t kUsefulBatch = 4096;
  resolved.batch_rows =
      static_cast<int>(std::min<std::size_t>(resolved.batch_rows, std::max(rows, kUsefulBatch)));
  // Small tables are learned by heart if trained for long; large ones stop by validation.
  constexpr double kStepsPerRow = 1.7, kFewestSteps = 1000, kMostSteps = 20000;
  if (resolved.steps == 0) {
    resolved.steps = static_cast<int>(std::clamp(kStepsPerRow * count, kFewestSteps, kMostSteps));
  }
  if (resolved.learning_rate == 0) {
    resolved.learning_rate = resolved.optimizer == Optimizer::kSgd ? 0.05 : 3e-3;
  }
  if (resolved.weight_decay < 0) resolved.weight_decay = 0.01;
  if (resolved.dropout < 0) resolved.dropout = 0;
  if (resolved.validation_share < 0) resolved.validation_share = 0.2;
  if (resolved.patience == 0) resolved.patience = 15;
  if (resolved.embedding_dimension == 0) resolved.embedding_dimension = 10;
  return resolved;
}

namespace {

/// Runs `work` while telling the other processes, several times a second, that this one is still at
/// it: one that has more to do than they must not count as lost. `work` must end soon after
/// `peer_lost` is set.
void work_beside_peers(AllReduce& processes, std::atomic<bool>& peer_lost,
                       const std::function<void()>& work) {
  constexpr std::chrono::milliseconds kBetweenSigns(200);
  std::future<void> working = std::async(std::launch::async, work);
  try {
    for (double busy = 1; busy > 0;) {
      if (working.valid() && working.wait_for(kBetweenSigns) == std::future_status::ready) {
        working.get();
      }
      busy = working.valid() ? 1 : 0;
      processes.sum(std::span(&busy, 1));
    }
  } catch (...) {
    peer_lost = true;
    if (working.valid()) working.wait();
    throw;
  }
}

/// Gives every process the networks that the others have trained: what a process lacks is zero, so
/// the sum is whoever has it.
void exchange(AllReduce& processes, TrainedNetworks& trained) {
  for (std::size_t n = 0; n < trained.networks.size(); ++n) {
    const bool mine = static_cast<int>(n) % processes.size() == processes.rank();
    processes.sum(trained.networks[n].parameters());
    MemberReport& report = trained.reports[n];
    // A sum with NaN would stay NaN; it stands for "no validation" and so does -1.
    const double validation = std::isnan(report.validation_loss) ? -1.0 : report.validation_loss;
    std::array<double, 5> numbers = {static_cast<double>(report.steps),
                                     static_cast<double>(report.best_step), report.training_loss,
                                     validation, report.out_of_time ? 1.0 : 0.0};
    if (!mine) numbers = {};
    processes.sum(numbers);
    report = {
        .steps = static_cast<std::uint64_t>(numbers[0]),
        .best_step = static_cast<std::uint64_t>(numbers[1]),
        .training_loss = numbers[2],
        .validation_loss = numbers[3] < 0 ? std::numeric_limits<double>::quiet_NaN() : numbers[3],
        .out_of_time = numbers[4] > 0};
  }
}

}  // namespace

TrainedNetworks train(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                      const TrainOptions& options, const ProgressFunction& progress) {
  const TrainOptions resolved = resolve(options, examples.inputs.rows);
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
      resolved.time_limit_seconds > 0 && resolved.time_limit_seconds < kForever
          ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(resolved.time_limit_seconds))
          : Clock::time_point::max();

  ProgressCounter counter(mine.size(), resolved.steps, progress);
  std::vector<std::optional<Network>> networks(resolved.networks);
  TrainedNetworks trained;
  trained.reports.resize(resolved.networks);
  std::atomic<bool> peer_lost{false};
  const auto train_network = [&](std::size_t position) {
    const int member = mine[position], index = static_cast<int>(position);
    Team team(team_size);
    MemberTrainer trainer(examples, encoder, plan, resolved, member, share_rows);
    const auto deadline = deadline_of(end, static_cast<int>(mine.size()) - index, teams);
    trained.reports[member] = trainer.run(
        team, deadline,
        [&](std::uint64_t step, double share_done, double training_loss, double validation_loss) {
          counter.report(index, step, share_done, training_loss, validation_loss);
        },
        &peer_lost);
    counter.finish(index);
    networks[member] = trainer.take_network();
  };
  const auto train_mine = [&] { parallel_for(mine.size(), teams, train_network); };
  if (share_networks) {
    work_beside_peers(*processes, peer_lost, train_mine);
  } else {
    train_mine();
  }

  const NetworkShape shape = networks[mine.front()]->shape();
  for (std::optional<Network>& network : networks) {
    trained.networks.push_back(network ? std::move(*network) : Network(shape));
  }
  if (share_networks) exchange(*processes, trained);
  return trained;
}

}  // namespace knockout
