// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "knockout/base/clock.h"
#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/model/training_folder.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/processes/gradient_sync.h"
#include "knockout/nn/processes/process_connection.h"
#include "knockout/nn/training/batch_loader.h"
#include "knockout/nn/training/checkpoint.h"
#include "knockout/nn/training/lent_generator.h"
#include "knockout/nn/training/trainer_setup.h"
#include "knockout/schema/json_fields.h"

namespace knockout::nn {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSecondsBetweenReports = 0.2;

// The files of a checkpoint folder.
const std::string kLast = "last.safetensors", kBest = "best.safetensors";

/// Puts every part of a network back into the mode that it had, unless told that all went well.
class KeptModes {
 public:
  explicit KeptModes(torch::nn::Module& network) {
    // Parents come before their children, so that these have the last word when they are put back.
    for (const auto& part : network.modules()) modes_.emplace_back(part, part->is_training());
  }
  ~KeptModes() {
    for (const auto& [part, was_training] : modes_) part->train(was_training);
  }
  KeptModes(const KeptModes&) = delete;
  KeptModes& operator=(const KeptModes&) = delete;

  void forget() { modes_.clear(); }

 private:
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> modes_;
};

/// Some rows of a batch, which are worked through at once.
struct BatchPart {
  Batch rows;
  std::uint32_t first_row = 0;  ///< In the batch of all processes.
  double share = 1.0;           ///< How much its loss counts in that of the whole batch.
};

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
        files_(options.checkpoint_folder, {kLast, kBest}),
        run_(description_of_run(task, options, data.size())),
        network_(*task.network),
        modes_(network_),
        generator_(options.device) {
    network_.to(options.device);
    for (const std::string& name : names_not_finite(network_)) {
      if (network_.named_buffers().contains(name)) may_be_infinite_.insert(name);
    }
    parameters_ = trainable_parameters(network_);
    optimizer_ = make_optimizer(task, options, parameters_);
    if (!processes) return;
    if (options.accumulate > 1) {
      for (const torch::Tensor& parameter : parameters_) {
        stand_ins_.push_back(torch::zeros_like(parameter).set_requires_grad(true));
      }
    }
    sync_ =
        std::make_unique<GradientSync>(stand_ins_.empty() ? parameters_ : stand_ins_, *processes);
  }

  TrainerReport run() {
    if (processes_) require_same(*processes_, "the training options or data", run_.dump());
    learn_who_may_cancel();
    throw_if_cancelled();
    resume();
    throw_if_cancelled();
    network_.train();
    const std::int64_t first_step = report_.resumed_at = step_;
    BatchLoader loader(data_, {.batch_rows = options_.batch_rows,
                               .slice = slice_,
                               .first_step = first_step,
                               .steps = options_.steps,
                               .seed = options_.seed,
                               .threads = options_.loader_threads});
    while (!is_done()) {
      train_step(loader.next().to(options_.device));
      if (!is_done()) throw_if_cancelled();
      if (task_.validate && (step_ == options_.steps || is_due(options_.validate_every))) {
        validate();
      }
      if (is_done() || is_due(options_.checkpoint_every)) write_last();
      show_progress(first_step);
    }
    finish();
    modes_.forget();
    return report_;
  }

 private:
  bool is_due(std::int64_t every) const { return every > 0 && step_ % every == 0; }
  bool is_done() const {
    return step_ >= options_.steps ||
           (options_.patience > 0 && validations_since_best_ >= options_.patience);
  }
  /// A process that nobody can stop must still hear of the others.
  void learn_who_may_cancel() {
    double tokens = options_.stop.stop_possible() ? 1 : 0;
    if (processes_) processes_->sum(std::span(&tokens, 1));
    may_be_cancelled_ = tokens > 0;
  }

  /// All processes call it at the same point and agree, so that none waits for one that is gone.
  void throw_if_cancelled() const {
    if (!may_be_cancelled_) return;
    double asked = options_.stop.stop_requested() ? 1 : 0;
    if (processes_) processes_->sum(std::span(&asked, 1));
    if (asked > 0) throw Cancelled();
  }

  bool has_files() const { return rank_ == 0 && !options_.checkpoint_folder.empty(); }

  /// Starts all processes from the last checkpoint, or from the weights of rank 0.
  void resume() {
    std::string bytes;
    if (has_files()) bytes = open_files();
    const bool is_resumed = !bytes.empty();
    if (!is_resumed && rank_ == 0) {
      check_knockouts(network_);  // before there is a file without the means it needs
      write_last();
      if (processes_) bytes = state();
    }
    if (processes_) broadcast(*processes_, bytes);
    if (!bytes.empty()) {
      const Checkpoint checkpoint = checkpoint_from_bytes(
          bytes, is_resumed ? files_.path_of(kLast) : "The network of the first process");
      require_same_run(checkpoint, run_);
      restore_network(checkpoint, network_);
      restore_optimizer(checkpoint, network_, *optimizer_);
      const JsonFields said = fields_of(checkpoint);
      step_ = said.whole("step", 0, options_.steps);
      resume_best(said);
      if (sync_ && said.has("gradient_order")) {
        const auto last = static_cast<std::int64_t>(parameters_.size()) - 1;
        const auto order = said.wholes("gradient_order", 0, last);
        if (!order.empty()) sync_->set_order(order);
      }
    }
    check_knockouts(network_);  // a resumed network has its means from the checkpoint
  }

  /// What a checkpoint says besides its tensors, which nobody has checked yet.
  static JsonFields fields_of(const Checkpoint& checkpoint) {
    return {checkpoint.document,
            checkpoint.source,
            {"format", "format_version", "run", "step"},
            {"score", "best_step", "best_score", "validations_since_best", "gradient_order"}};
  }

  /// The bytes of the last checkpoint. Empty for a new run: then there are no best weights either.
  std::string open_files() const {
    files_.open();
    if (auto last = files_.read(kLast)) return std::move(*last);
    // First the best weights of a run that is gone, then the first checkpoint of this one: killed
    // in between, there is no folder in which they seem to belong together.
    files_.remove(kBest);
    return {};
  }

  /// Takes up the best weights so far as the last checkpoint knew them. Their file may be newer, if
  /// the run was killed between the two: then they are found, and written, again.
  void resume_best(const JsonFields& last) {
    if (!task_.validate || !last.has("best_step")) return;
    report_.best_step = last.whole("best_step", 0, options_.steps);
    report_.best_score = last.number("best_score");
    validations_since_best_ = last.whole("validations_since_best", 0, options_.steps);
    if (!has_files()) return;
    const auto refuse = [&](const std::string& reason) {
      throw ModelFileError(
          fmt::format("{}: {}, but the best weights so far are of step {}.\n"
                      "  Put that file back, or delete the folder to train from the start.",
                      files_.path_of(kBest), reason, report_.best_step));
    };
    auto bytes = files_.read(kBest);
    if (!bytes) refuse("there is no such file");
    best_ = std::move(*bytes);
    const Checkpoint best = checkpoint_from_bytes(best_, files_.path_of(kBest));
    require_same_run(best, run_);
    const std::int64_t step = fields_of(best).whole("step", 0, options_.steps);
    if (step < report_.best_step) refuse(fmt::format("it has the weights of step {}", step));
  }

  void train_step(const Batch& batch) {
    seed_torch();
    set_learning_rates(*optimizer_, task_, options_, step_);
    // Not zeros: a parameter without a part in the loss must not be moved by its momentum.
    for (torch::Tensor& parameter : parameters_) parameter.mutable_grad() = torch::Tensor();
    report_.training_loss = backward(parts_of(batch));
    if (!std::isfinite(report_.training_loss)) throw_not_finite();
    if (options_.clip_norm > 0) {
      torch::nn::utils::clip_grad_norm_(parameters_, options_.clip_norm);
    }
    optimizer_->step();
    ++step_;
    loss_sum_ += report_.training_loss;
    ++losses_;
  }

  /// The parts of this process's slice.
  std::vector<BatchPart> parts_of(const Batch& batch) const {
    std::vector<BatchPart> parts;
    for (int i = 0; i < options_.accumulate; ++i) {
      const BatchSlice rows =
          slice_of_batch(slice_.size(), i, static_cast<int>(options_.accumulate));
      parts.push_back({options_.accumulate == 1 ? batch : batch.slice(rows.begin, rows.end),
                       static_cast<std::uint32_t>(slice_.begin + rows.begin),
                       static_cast<double>(rows.size()) / options_.batch_rows});
    }
    if (!task_.weight) return parts;
    double all = 0;
    for (BatchPart& part : parts) {
      part.share = task_.weight(part.rows);
      if (!(part.share >= 0) || std::isinf(part.share)) {
        throw ConfigError(fmt::format(
            "TrainingTask::weight gave {} at step {}: expected 0 or more.", part.share, step_));
      }
      all += part.share;
    }
    if (processes_) processes_->sum(std::span(&all, 1));
    for (BatchPart& part : parts) part.share = all > 0 ? part.share / all : 0.0;
    return parts;
  }

  /// Gives every parameter the gradient of the whole batch's loss, and returns that loss.
  double backward(const std::vector<BatchPart>& parts) {
    if (sync_ && parts.size() == 1) return sync_->backward(loss_of(parts.front()));
    double sum = 0;
    for (const BatchPart& part : parts) {
      if (!sync_) throw_if_cancelled();  // parts are large; other processes would be left waiting
      const torch::Tensor loss = loss_of(part);
      sum += loss.item<double>();
      loss.backward();  // adds to the gradients of the parts before
    }
    return sync_ ? add_up_over_processes(sum) : sum;
  }

  /// What a part adds to the loss of the batch.
  torch::Tensor loss_of(const BatchPart& part) {
    set_knockout_step(network_, step_, part.first_row);
    const torch::Tensor loss = task_.loss(part.rows);
    if (!loss.defined() || loss.numel() != 1) {
      throw ConfigError(fmt::format(
          "The loss has the shape {}: expected one number, the mean over the rows of the batch.",
          loss.defined() ? fmt::format("[{}]", fmt::join(loss.sizes(), ", ")) : "of no tensor"));
    }
    // A mean over nothing may be NaN, and times 0 it would still be. No parameter has a part in a
    // new number, so that those which nobody else uses stay without a gradient.
    if (part.share == 0) return torch::zeros({}, torch::requires_grad());
    return loss * part.share;
  }

  /// GradientSync follows one backward pass, and a batch in parts has several. So it looks at
  /// stand-ins for the parameters instead, in a pass that gives each the gradient its parameter
  /// has.
  double add_up_over_processes(double loss) {
    torch::Tensor total = torch::tensor(loss, torch::kFloat64).set_requires_grad(true);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      stand_ins_[i].mutable_grad() = torch::Tensor();
      const torch::Tensor& gradient = parameters_[i].grad();
      if (gradient.defined()) total = total + (stand_ins_[i] * gradient).sum();
    }
    const double sum = sync_->backward(total);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      parameters_[i].mutable_grad() = stand_ins_[i].grad();
    }
    return sum;
  }

  /// LibTorch's own random numbers become a function of (seed, step, rank) too. That is why a
  /// checkpoint needs no state of its generator.
  void seed_torch() {
    const Random random(options_.seed, Stream::kDropout);
    const auto step = static_cast<std::uint64_t>(step_);
    const auto rank = static_cast<std::uint32_t>(rank_);
    generator_.seed(std::uint64_t{random.bits(step, rank, 0)} << 32 | random.bits(step, rank, 1));
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

  /// Nobody can use such a network, and its checkpoint would take the place of the last good one.
  void require_finite_network() const {
    for (const std::string& name : names_not_finite(network_)) {
      if (may_be_infinite_.contains(name)) continue;
      throw DataError(
          fmt::format("After step {} \"{}\" of the network is not finite, although the loss was.\n"
                      "  Lower learning_rate (now {}) or set clip_norm.{}",
                      step_, name, options_.learning_rate,
                      has_files() ? " The last checkpoint is from before." : ""));
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
    ++validations_since_best_;
    if (!(validation_score_ > report_.best_score) && !std::isnan(report_.best_score)) return;
    validations_since_best_ = 0;
    report_.best_score = validation_score_;
    report_.best_step = step_;
    if (rank_ != 0) return;
    Checkpoint checkpoint;
    store_network(network_, checkpoint);
    checkpoint.document = {{"run", run_}, {"step", step_}, {"score", validation_score_}};
    best_ = checkpoint_to_bytes(checkpoint);
    if (has_files()) files_.write(kBest, best_);
  }

  /// Everything the training needs to go on from here.
  std::string state() {
    Checkpoint checkpoint;
    store_network(network_, checkpoint);
    store_optimizer(*optimizer_, network_, checkpoint);
    checkpoint.document = {{"run", run_}, {"step", step_}};
    if (!std::isnan(report_.best_score)) {
      checkpoint.document["best_step"] = report_.best_step;
      checkpoint.document["best_score"] = report_.best_score;
      checkpoint.document["validations_since_best"] = validations_since_best_;
    }
    if (sync_) checkpoint.document["gradient_order"] = sync_->order();
    return checkpoint_to_bytes(checkpoint);
  }

  void write_last() {
    if (!has_files()) return;
    require_finite_network();
    files_.write(kLast, state());
  }

  void show_progress(std::int64_t first_step) {
    if (!progress_ || rank_ != 0) return;
    if (!is_done() && seconds_since(last_report_) < kSecondsBetweenReports) return;
    const double seconds = seconds_since(start_);
    const double per_step = seconds / static_cast<double>(step_ - first_step);
    progress_(
        {.step = step_,
         .steps = options_.steps,
         .training_loss = loss_sum_ / static_cast<double>(losses_),
         .validation_score = validation_score_,
         .seconds = seconds,
         .seconds_left = is_done() ? 0 : per_step * static_cast<double>(options_.steps - step_)});
    last_report_ = Clock::now();
    loss_sum_ = 0;
    losses_ = 0;
  }

  /// Gives all processes the best weights, or the last ones if there is no validation.
  void finish() {
    if (task_.validate) {
      if (std::isnan(report_.best_score)) validate();  // done before, by a task without validation
      if (processes_) broadcast(*processes_, best_);
      const Checkpoint best = checkpoint_from_bytes(best_, files_.path_of(kBest));
      restore_network(best, network_);
      const JsonFields said = fields_of(best);
      report_.best_score = said.number("score");
      report_.best_step = said.whole("step", 0, options_.steps);
    } else {
      share_buffers();
      require_finite_network();
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
  TrainingFolder files_;
  json run_;
  torch::nn::Module& network_;
  KeptModes modes_;
  LentGenerator generator_;
  std::vector<torch::Tensor> parameters_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::vector<torch::Tensor> stand_ins_;   ///< See add_up_over_processes(); empty without parts.
  std::unique_ptr<GradientSync> sync_;     ///< Null with one process.
  std::set<std::string> may_be_infinite_;  ///< Buffers that began so: a mask of -Inf, say.

  bool may_be_cancelled_ = false;
  std::int64_t step_ = 0;  ///< Steps done.
  std::string best_;       ///< Checkpoint of the best weights; of rank 0.
  double validation_score_ = kNaN;
  std::int64_t validations_since_best_ = 0;
  TrainerReport report_ = {.training_loss = kNaN, .best_score = kNaN};
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_report_ = start_;
  double loss_sum_ = 0;  ///< Since the last report.
  std::int64_t losses_ = 0;
};

}  // namespace

TrainerReport train(const TrainingTask& task, const Dataset& training,
                    const TrainerOptions& options, ProcessGroup* processes,
                    const std::function<void(const TrainerProgress&)>& progress) {
  check_training(task, options, processes ? processes->size() : 1);
  const torch::AutoGradMode with_gradients(true);
  return Training(task, training, options, processes, progress).run();
}

}  // namespace knockout::nn
