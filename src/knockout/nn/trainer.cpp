// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/base/sha256.h"
#include "knockout/nn/batch_loader.h"
#include "knockout/nn/checkpoint.h"
#include "knockout/nn/gradient_sync.h"
#include "knockout/nn/knockout.h"
#include "knockout/nn/process_connection.h"

namespace knockout::nn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSecondsBetweenReports = 0.2;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void require(bool holds, const std::string& message) {
  if (!holds) throw ConfigError(message);
}

void check(const ParameterRule& rule) {
  require(rule.learning_rate_factor >= 0 && std::isfinite(rule.learning_rate_factor) &&
              rule.weight_decay.value_or(0) >= 0,
          fmt::format("The rule for \"{}\": learning_rate_factor and weight_decay must not be "
                      "negative.",
                      rule.prefix));
  require(rule.momentum.value_or(0) >= 0 && rule.momentum.value_or(0) < 1,
          fmt::format("The rule for \"{}\": momentum is {}, expected 0 or more and below 1.",
                      rule.prefix, rule.momentum.value_or(0)));
}

void check(const TrainerOptions& options, int processes) {
  require(options.batch_rows >= processes,
          fmt::format("batch_rows is {}: expected at least one row for each of {} processes.",
                      options.batch_rows, processes));
  require(options.steps > 0, fmt::format("steps is {}: expected 1 or more.", options.steps));
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate),
          fmt::format("learning_rate is {}: expected a number above 0.", options.learning_rate));
  require(options.weight_decay >= 0 && options.clip_norm >= 0,
          "weight_decay and clip_norm must not be negative.");
  require(options.optimizer != OptimizerKind::kSgdNesterov ||
              (options.momentum > 0 && options.momentum < 1),
          fmt::format("momentum is {}: Nesterov's needs one between 0 and 1.", options.momentum));
  require(options.validate_every >= 0 && options.checkpoint_every > 0,
          "validate_every must be 0 or more steps and checkpoint_every 1 or more.");
  require(options.loader_threads >= 0, "loader_threads must be 0 or more.");
}

/// What makes two trainings the same run, readable. The number of processes is no part of it: a run
/// may be resumed by more or fewer of them.
json description_of(const TrainerOptions& options, std::size_t training_rows) {
  constexpr const char* kOptimizers[] = {"adam", "adamw", "sgd_nesterov"};
  constexpr const char* kSchedules[] = {"constant", "step", "cosine"};
  return {{"training_rows", training_rows},
          {"batch_rows", options.batch_rows},
          {"steps", options.steps},
          {"optimizer", kOptimizers[static_cast<int>(options.optimizer)]},
          {"learning_rate", options.learning_rate},
          {"weight_decay", options.weight_decay},
          {"momentum", options.momentum},
          {"schedule", kSchedules[static_cast<int>(options.schedule)]},
          {"step_decays_at", options.step_decays_at},
          {"step_decay", options.step_decay},
          {"clip_norm", options.clip_norm},
          {"seed", options.seed},
          {"validate_every", options.validate_every}};
}

void require_same_run(const Checkpoint& checkpoint, const json& run) {
  const json saved = checkpoint.document.value("run", json::object());
  for (const auto& [name, value] : run.items()) {
    const json before = saved.value(name, json());
    if (before == value) continue;
    throw ConfigError(
        fmt::format("{} is of another run: its {} is {}, now it is {}.\n"
                    "  Give the same options as then, another checkpoint_folder, or delete it.",
                    checkpoint.source, name, before.dump(), value.dump()));
  }
}

std::vector<torch::Tensor> trainable_parameters(const torch::nn::Module& network) {
  std::vector<torch::Tensor> result;
  for (const torch::Tensor& parameter : network.parameters()) {
    // A layer that is used in two places is listed twice.
    const bool is_known =
        std::any_of(result.begin(), result.end(),
                    [&](const torch::Tensor& other) { return other.is_same(parameter); });
    if (parameter.requires_grad() && !is_known) result.push_back(parameter);
  }
  if (result.empty()) throw ConfigError("The network has no parameter that could be trained.");
  return result;
}

json description_of(const std::vector<ParameterRule>& rules) {
  json result = json::array();
  for (const ParameterRule& rule : rules) {
    result.push_back({{"prefix", rule.prefix},
                      {"learning_rate_factor", rule.learning_rate_factor},
                      {"follows_schedule", rule.follows_schedule}});
    if (rule.weight_decay) result.back()["weight_decay"] = *rule.weight_decay;
    if (rule.momentum) result.back()["momentum"] = *rule.momentum;
  }
  return result;
}

/// The parameters under each rule, and before them those under none.
std::vector<std::vector<torch::Tensor>> grouped(const std::vector<torch::Tensor>& parameters,
                                                const torch::nn::Module& network,
                                                const std::vector<ParameterRule>& rules) {
  std::vector<std::vector<torch::Tensor>> groups(1 + rules.size());
  const auto named = network.named_parameters();
  for (const torch::Tensor& parameter : parameters) {
    const auto item = std::find_if(named.begin(), named.end(), [&](const auto& candidate) {
      return candidate.value().is_same(parameter);
    });
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const ParameterRule& candidate) {
      return item->key().starts_with(candidate.prefix);
    });
    groups[rule == rules.end() ? 0 : 1 + (rule - rules.begin())].push_back(parameter);
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (groups[1 + i].empty()) {
      throw ConfigError(
          fmt::format("No parameter of the network falls under the rule for \"{}\": none that is "
                      "trained begins so, or a rule before it took them.",
                      rules[i].prefix));
    }
  }
  return groups;
}

/// Tells networks apart: what they print, and the shapes of what they train.
std::string fingerprint_of(const torch::nn::Module& network) {
  std::ostringstream text;
  text << network;
  for (const auto& item : network.named_parameters()) {
    if (item.value().requires_grad()) text << item.key() << item.value().sizes() << '\n';
  }
  Sha256 hash;
  hash.add(text.str());
  return hash.finish().substr(0, 16);
}

/// How the parameters under a rule are optimised.
std::unique_ptr<torch::optim::OptimizerOptions> optimizer_options(const TrainerOptions& options,
                                                                  const ParameterRule& rule) {
  const double weight_decay = rule.weight_decay.value_or(options.weight_decay);
  const double momentum = rule.momentum.value_or(options.momentum);
  switch (options.optimizer) {
    case OptimizerKind::kAdam:
      return std::make_unique<torch::optim::AdamOptions>(
          torch::optim::AdamOptions(options.learning_rate).weight_decay(weight_decay));
    case OptimizerKind::kAdamW:
      return std::make_unique<torch::optim::AdamWOptions>(
          torch::optim::AdamWOptions(options.learning_rate).weight_decay(weight_decay));
    case OptimizerKind::kSgdNesterov:
      break;
  }
  return std::make_unique<torch::optim::SGDOptions>(torch::optim::SGDOptions(options.learning_rate)
                                                        .momentum(momentum)
                                                        .weight_decay(weight_decay)
                                                        .nesterov(momentum > 0));
}

/// One group of parameters without a rule, then one for each rule.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(
    const TrainerOptions& options, const std::vector<ParameterRule>& rules,
    const std::vector<std::vector<torch::Tensor>>& parameters) {
  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    groups.emplace_back(parameters[i],
                        optimizer_options(options, i == 0 ? ParameterRule{} : rules[i - 1]));
  }
  switch (options.optimizer) {
    case OptimizerKind::kAdam:
      return std::make_unique<torch::optim::Adam>(std::move(groups));
    case OptimizerKind::kAdamW:
      return std::make_unique<torch::optim::AdamW>(std::move(groups));
    case OptimizerKind::kSgdNesterov:
      break;
  }
  return std::make_unique<torch::optim::SGD>(std::move(groups),
                                             torch::optim::SGDOptions(options.learning_rate));
}

/// One call of train().
class Training {
 public:
  Training(const TrainingTask& task, const Dataset& data, const TrainerOptions& options,
           ProcessGroup* processes, const std::function<void(const TrainerProgress&)>& progress)
      : task_(task),
        data_(data),
        options_(options),
        processes_(processes),
        progress_(progress),
        rank_(processes ? processes->rank() : 0),
        slice_(slice_of_batch(options.batch_rows, rank_, processes ? processes->size() : 1)),
        run_(description_of(options, data.size())),
        network_(*task.network) {
    check_knockouts(network_);
    network_.to(options.device);
    parameters_ = trainable_parameters(network_);
    run_["network"] = fingerprint_of(network_);
    run_["rules"] = description_of(task.rules);
    optimizer_ = make_optimizer(options, task.rules, grouped(parameters_, network_, task.rules));
    if (processes) sync_ = std::make_unique<GradientSync>(parameters_, *processes);
  }

  TrainerReport run() {
    if (processes_) require_same(*processes_, "the training options or data", run_.dump());
    resume();
    network_.train();
    const std::int64_t first_step = report_.resumed_at = step_;
    BatchLoader loader(data_, {.batch_rows = options_.batch_rows,
                               .slice = slice_,
                               .first_step = first_step,
                               .steps = options_.steps,
                               .seed = options_.seed,
                               .threads = options_.loader_threads});
    while (step_ < options_.steps) {
      train_step(loader.next().to(options_.device));
      const bool is_last = step_ == options_.steps;
      if (task_.validate && (is_last || is_due(options_.validate_every))) validate();
      if (is_last || is_due(options_.checkpoint_every)) write_last();
      show_progress(first_step, is_last);
    }
    finish();
    return report_;
  }

 private:
  bool is_due(std::int64_t every) const { return every > 0 && step_ % every == 0; }
  bool has_files() const { return rank_ == 0 && !options_.checkpoint_folder.empty(); }
  std::string path_of(const char* name) const {
    return (fs::path(options_.checkpoint_folder) / name).string();
  }
  std::string last_path() const { return path_of("last.safetensors"); }
  std::string best_path() const { return path_of("best.safetensors"); }

  /// Starts all processes from the last checkpoint, or from the weights of rank 0.
  void resume() {
    std::string bytes;
    if (has_files()) {
      std::error_code failure;
      fs::create_directories(options_.checkpoint_folder, failure);
      if (failure) {
        throw FileError(fmt::format("cannot create the checkpoint folder \"{}\": {}.",
                                    options_.checkpoint_folder, failure.message()));
      }
      remove_unfinished(last_path());
      remove_unfinished(best_path());
      if (fs::exists(last_path())) {
        bytes = read_checkpoint_bytes(last_path());
        if (task_.validate && fs::exists(best_path())) best_ = read_checkpoint_bytes(best_path());
      } else {
        // A run that is killed before its first checkpoint must not begin again elsewhere.
        write_last();
        fs::remove(best_path(), failure);
      }
    }
    const std::string source = bytes.empty() ? "The network of the first process" : last_path();
    if (bytes.empty() && processes_ && rank_ == 0) bytes = state();
    if (processes_) {
      broadcast(*processes_, bytes);
      broadcast(*processes_, best_);
    }
    if (!bytes.empty()) {
      const Checkpoint checkpoint = checkpoint_from_bytes(bytes, source);
      require_same_run(checkpoint, run_);
      restore_network(checkpoint, network_);
      restore_optimizer(checkpoint, network_, *optimizer_);
      step_ = checkpoint.document.at("step").get<std::int64_t>();
    }
    if (!best_.empty()) read_best();
  }

  void train_step(const Batch& batch) {
    set_knockout_step(network_, step_, static_cast<std::uint32_t>(slice_.begin));
    seed_torch();
    set_learning_rates();
    // Not zeros: a parameter without a part in the loss must not be moved by its momentum.
    for (torch::Tensor& parameter : parameters_) parameter.mutable_grad() = torch::Tensor();
    torch::Tensor loss = task_.loss(batch);
    if (sync_) {
      report_.training_loss = sync_->backward(loss * share_of(batch));
    } else {
      report_.training_loss = loss.item<double>();
      loss.backward();
    }
    if (!std::isfinite(report_.training_loss)) throw_not_finite();
    if (options_.clip_norm > 0) {
      torch::nn::utils::clip_grad_norm_(parameters_, options_.clip_norm);
    }
    optimizer_->step();
    ++step_;
    loss_sum_ += report_.training_loss;
    ++losses_;
  }

  void set_learning_rates() {
    const double of_step = learning_rate_of_step(options_, step_);
    auto& groups = optimizer_->param_groups();
    groups[0].options().set_lr(of_step);
    for (std::size_t i = 0; i < task_.rules.size(); ++i) {
      const ParameterRule& rule = task_.rules[i];
      groups[1 + i].options().set_lr(rule.learning_rate_factor *
                                     (rule.follows_schedule ? of_step : options_.learning_rate));
    }
  }

  /// How much the loss of this process counts in that of the whole batch.
  double share_of(const Batch& batch) const {
    if (!task_.weight) return static_cast<double>(slice_.size()) / options_.batch_rows;
    const double mine = task_.weight(batch);
    double all = mine;
    processes_->sum(std::span(&all, 1));
    return all > 0 ? mine / all : 0.0;
  }

  /// LibTorch's own random numbers become a function of (seed, step, rank) too. That is why a
  /// checkpoint needs no state of its generator.
  void seed_torch() const {
    const Random random(options_.seed, Stream::kDropout);
    const auto step = static_cast<std::uint64_t>(step_);
    const auto rank = static_cast<std::uint32_t>(rank_);
    torch::manual_seed(std::uint64_t{random.bits(step, rank, 0)} << 32 |
                       random.bits(step, rank, 1));
  }

  [[noreturn]] void throw_not_finite() const {
    throw DataError(fmt::format(
        "The loss of step {} is {}.\n"
        "  Look for NaN or huge numbers in inputs and labels (missing inputs must pass through "
        "Knockout),\n"
        "  or lower learning_rate (now {}) and set clip_norm.",
        step_, report_.training_loss, options_.learning_rate));
  }

  /// Gives all processes the buffers of rank 0: the running statistics of batch norm differ, the
  /// parameters do not.
  void share_buffers() {
    if (!processes_) return;
    for (const torch::Tensor& buffer : network_.buffers()) {
      processes_->connection().start_broadcast(buffer, "sending the buffers of rank 0")();
    }
  }

  /// A checkpoint with numbers that are not finite would take the place of the last good one.
  void require_finite_network() const {
    for (const auto& item : network_.named_parameters()) {
      if (item.value().isfinite().all().item<bool>()) continue;
      throw DataError(fmt::format(
          "After step {} the weights \"{}\" are not finite, although the loss was.\n"
          "  Lower learning_rate (now {}) or set clip_norm. The last checkpoint is from before.",
          step_, item.key(), options_.learning_rate));
    }
  }

  void validate() {
    require_finite_network();
    share_buffers();
    network_.eval();
    {
      torch::NoGradGuard no_grad;
      validation_score_ = task_.validate();
    }
    network_.train();
    if (processes_) processes_->broadcast(std::as_writable_bytes(std::span(&validation_score_, 1)));
    if (!std::isfinite(validation_score_)) {
      throw DataError(
          fmt::format("The validation score after step {} is {}.\n"
                      "  Are all classes among the validation rows?",
                      step_, validation_score_));
    }
    // Also false after a resume for the score that the file of the best weights has already.
    if (!(validation_score_ > report_.best_score) && !std::isnan(report_.best_score)) return;
    report_.best_score = validation_score_;
    report_.best_step = step_;
    if (rank_ != 0) return;
    Checkpoint checkpoint;
    store_network(network_, checkpoint);
    checkpoint.document = {{"run", run_}, {"step", step_}, {"score", validation_score_}};
    best_ = checkpoint_to_bytes(checkpoint);
    if (has_files()) write_checkpoint_bytes(best_, best_path());
  }

  /// Everything the training needs to go on from here.
  std::string state() {
    Checkpoint checkpoint;
    store_network(network_, checkpoint);
    store_optimizer(*optimizer_, network_, checkpoint);
    checkpoint.document = {{"run", run_}, {"step", step_}};
    return checkpoint_to_bytes(checkpoint);
  }

  void write_last() {
    if (!has_files()) return;
    require_finite_network();
    write_checkpoint_bytes(state(), last_path());
  }

  Checkpoint read_best() {
    Checkpoint checkpoint = checkpoint_from_bytes(best_, best_path());
    require_same_run(checkpoint, run_);
    report_.best_score = checkpoint.document.at("score").get<double>();
    report_.best_step = checkpoint.document.at("step").get<std::int64_t>();
    return checkpoint;
  }

  void show_progress(std::int64_t first_step, bool is_last) {
    if (!progress_ || rank_ != 0) return;
    if (!is_last && seconds_since(last_report_) < kSecondsBetweenReports) return;
    const double seconds = seconds_since(start_);
    const double per_step = seconds / static_cast<double>(step_ - first_step);
    progress_({.step = step_,
               .steps = options_.steps,
               .training_loss = loss_sum_ / static_cast<double>(losses_),
               .validation_score = validation_score_,
               .seconds = seconds,
               .seconds_left = per_step * static_cast<double>(options_.steps - step_)});
    last_report_ = Clock::now();
    loss_sum_ = 0;
    losses_ = 0;
  }

  /// Gives all processes the best weights, or the last ones if there is no validation.
  void finish() {
    if (task_.validate) {
      if (std::isnan(report_.best_score)) validate();  // resumed at the end, without its best file
      if (processes_) broadcast(*processes_, best_);
      restore_network(read_best(), network_);
    } else {
      share_buffers();
    }
    network_.eval();
    report_.steps = step_;
    report_.seconds = seconds_since(start_);
    report_.communication_seconds = sync_ ? sync_->waiting_seconds() : 0.0;
  }

  const TrainingTask& task_;
  const Dataset& data_;
  const TrainerOptions& options_;
  ProcessGroup* processes_;
  const std::function<void(const TrainerProgress&)>& progress_;
  int rank_;
  BatchSlice slice_;
  json run_;
  torch::nn::Module& network_;
  std::vector<torch::Tensor> parameters_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::unique_ptr<GradientSync> sync_;  ///< Null with one process.

  std::int64_t step_ = 0;  ///< Steps done.
  std::string best_;       ///< Checkpoint of the best weights; of rank 0.
  double validation_score_ = kNaN;
  TrainerReport report_ = {.training_loss = kNaN, .best_score = kNaN};
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_report_ = start_;
  double loss_sum_ = 0;  ///< Since the last report.
  std::int64_t losses_ = 0;
};

}  // namespace

double learning_rate_of_step(const TrainerOptions& options, std::int64_t step) {
  const double share = static_cast<double>(step) / static_cast<double>(options.steps);
  double rate = options.learning_rate;
  switch (options.schedule) {
    case ScheduleKind::kConstant:
      break;
    case ScheduleKind::kStep:
      for (const double at : options.step_decays_at) {
        if (share >= at) rate *= options.step_decay;
      }
      break;
    case ScheduleKind::kCosine:
      rate *= 0.5 * (1.0 + std::cos(std::numbers::pi * share));
      break;
  }
  return rate;
}

TrainerReport train(const TrainingTask& task, const Dataset& training,
                    const TrainerOptions& options, ProcessGroup* processes,
                    const std::function<void(const TrainerProgress&)>& progress) {
  if (task.network == nullptr || !task.loss) {
    throw ConfigError("A training task needs a network and a loss.");
  }
  check(options, processes ? processes->size() : 1);
  for (const ParameterRule& rule : task.rules) check(rule);
  return Training(task, training, options, processes, progress).run();
}

}  // namespace knockout::nn
