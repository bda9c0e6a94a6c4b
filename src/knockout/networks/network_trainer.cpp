// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/kernels/elementwise.h"
#include "knockout/kernels/flush_denormals.h"
#include "knockout/kernels/loss.h"
#include "knockout/model/held_out.h"
#include "knockout/model/write_placeholders.h"
#include "knockout/networks/architecture.h"
#include "knockout/networks/training_cost.h"

namespace knockout {
namespace {

double head_loss(const Head& head, const float* outputs, std::size_t stride, const float* label,
                 const float* weight, std::size_t rows, float* gradient) {
  switch (head.loss) {
    case Loss::kSquaredError:
      return squared_error(outputs, stride, label, weight, rows, gradient);
    case Loss::kLogistic:
      return logistic_loss(outputs, stride, label, weight, rows, gradient);
    case Loss::kSoftmax:
      return softmax_loss(outputs, stride, head.output_width, label, weight, rows, gradient);
  }
  return 0.0;
}

/// Of the numbers to be learned: 1 if they are standardised.
double mean_square(const Examples& examples) {
  const std::size_t heads = examples.heads.size();
  double sum = 0.0, weight = 0.0;
  for (std::size_t h = 0; h < heads; ++h) {
    if (examples.heads[h].loss != Loss::kSquaredError) continue;
    for (std::size_t i = h; i < examples.labels.size(); i += heads) {
      const double label = examples.labels[i];
      sum += examples.weights[i] * label * label;
      weight += examples.weights[i];
    }
  }
  return weight > 0.0 ? sum / weight : 0.0;
}

/// Those of `rows` rows that are this process's.
RowRange own_rows(std::size_t rows, const AllReduce* processes) {
  const std::size_t rank = processes != nullptr ? processes->rank() : 0;
  const std::size_t size = processes != nullptr ? processes->size() : 1;
  return {static_cast<int>(rows * rank / size), static_cast<int>(rows * (rank + 1) / size)};
}

}  // namespace

NetworkTrainer::NetworkTrainer(const Examples& examples, const Encoder& encoder,
                               const KnockoutPlan& plan, const ResolvedTraining& options,
                               int member, AllReduce* processes)
    : examples_(examples),
      encoder_(encoder),
      options_(options),
      step_decay_{.at = options.step_decays_at, .factor = options.step_decay},
      member_(member),
      processes_(processes),
      first_row_(own_rows(options.batch_rows, processes).begin),
      sampler_(plan, Random(options.seed, Stream::kKnockout, member)),
      dropout_random_(options.seed, Stream::kDropout, member),
      network_(build_layers(plan_network(examples.heads, encoder, options))),
      averaged_(network_),
      pass_(network_.layers(), own_rows(options.batch_rows, processes).end - first_row_,
            NetworkPass::Use::kTrain),
      gradient_(network_.parameters().size() + 2),
      first_moment_(network_.parameters().size()),
      second_moment_(network_.parameters().size()),
      batch_(pass_.batch_rows()),
      masks_(pass_.batch_rows() * encoder.units().size()),
      validation_sampler_(held_out_sampler(plan, hold_out_of(options), member)),
      shard_losses_(pass_.shards()),
      order_(1, Random(options.seed, Stream::kShuffle, member)) {
  network_.initialize(Random(options.seed, Stream::kWeights, member));
  averaged_ = network_;
  choose_rows();
  order_ = ShuffledRows(static_cast<std::uint32_t>(training_rows_.size()),
                        Random(options.seed, Stream::kShuffle, member));
}

/// Takes its part of the rows, and knocks out the inputs of those that are held out.
void NetworkTrainer::choose_rows() {
  const std::size_t heads = examples_.heads.size();
  RowSplit split = split_rows(examples_, hold_out_of(options_), member_);
  training_rows_ = std::move(split.training);
  if (split.held_out.empty()) return;

  const std::size_t width = examples_.inputs.width, codes = examples_.inputs.code_count;
  const std::size_t all_rows = split.judged_rows();
  const auto [own_begin, own_end] = own_rows(all_rows, processes_);
  validation_.rows = own_end - own_begin;
  validation_.inputs.resize(validation_.rows * width);
  validation_.codes.resize(validation_.rows * codes);
  validation_.source.resize(validation_.rows);
  std::vector<std::uint8_t> mask(encoder_.units().size());
  for (std::size_t i = 0; i < all_rows; ++i) {
    const std::uint32_t source = split.source(i);
    for (std::size_t h = 0; h < heads; ++h)
      validation_weight_ += examples_.weights[source * heads + h];
  }
  for (std::size_t i = 0; i < validation_.rows; ++i) {
    const std::uint32_t source = split.source(own_begin + i);
    validation_.source[i] = source;
    std::copy_n(examples_.inputs.values.data() + source * width, width,
                validation_.inputs.data() + i * width);
    std::copy_n(examples_.inputs.codes.data() + source * codes, codes,
                validation_.codes.data() + i * codes);
    validation_sampler_.draw(0, static_cast<std::uint32_t>(own_begin + i), mask);
    write_placeholders(encoder_, mask, validation_.inputs.data() + i * width,
                       validation_.codes.data() + i * codes);
  }
  const std::size_t batch = pass_.batch_rows();
  const std::size_t chunks = (validation_.rows + batch - 1) / batch;
  validation_losses_.assign(chunks * pass_.shards(), 0.0);
}

void NetworkTrainer::fill_inputs(std::uint64_t step, RowRange rows) {
  const auto first = static_cast<std::size_t>(rows.begin);
  const std::span<std::uint32_t> batch(batch_.data() + first, rows.end - rows.begin);
  order_.fill(step * options_.batch_rows + first_row_ + first, batch);
  for (std::uint32_t& row : batch) row = training_rows_[row];

  const std::size_t width = examples_.inputs.width, codes = examples_.inputs.code_count;
  gather_rows(examples_.inputs.values.data(), batch, width, pass_.input_row(rows.begin),
              pass_.input_stride());
  const std::size_t units = encoder_.units().size();
  const std::span masks(masks_.data() + first * units, batch.size() * units);
  if (options_.mask_per == MaskPer::kStep) {
    sampler_.draw(step, 0, masks.first(units));
    for (std::size_t i = units; i < masks.size(); ++i) masks[i] = masks[i - units];
  } else {
    sampler_.draw_rows(step, static_cast<std::uint32_t>(first_row_ + first), batch.size(), masks);
  }
  for (int r = rows.begin; r < rows.end; ++r) {
    std::copy_n(examples_.inputs.codes.data() + batch_[r] * codes, codes, pass_.codes(r));
    write_placeholders(encoder_, {masks_.data() + r * units, units}, pass_.input_row(r),
                       pass_.codes(r));
  }
}

/// Writes the outputs' gradient of these rows and returns the weighted sum of their losses.
/// `sources[i]` is the example of row `rows.begin + i`.
double NetworkTrainer::add_loss(RowRange rows, std::span<const std::uint32_t> sources,
                                float weight_scale) {
  const std::size_t heads = examples_.heads.size(), count = sources.size();
  std::vector<float> labels(count), weights(count);
  double sum = 0.0;
  for (std::size_t h = 0; h < heads; ++h) {
    const Head& head = examples_.heads[h];
    for (std::size_t i = 0; i < count; ++i) {
      labels[i] = examples_.labels[sources[i] * heads + h];
      weights[i] = examples_.weights[sources[i] * heads + h] * weight_scale;
    }
    sum += head_loss(head, pass_.outputs(rows.begin) + head.output_begin, pass_.output_stride(),
                     labels.data(), weights.data(), count,
                     pass_.output_gradient(rows.begin) + head.output_begin);
  }
  return sum;
}

double NetworkTrainer::learning_rate_at(std::uint64_t step) const {
  const double done = std::min(1.0, share_done(step));
  return options_.learning_rate * learning_rate_factor(options_.schedule, step_decay_, done);
}

void NetworkTrainer::update(const ParameterBlock& block, std::uint64_t step, double learning_rate) {
  float* weights = network_.parameters().data() + block.offset;
  const float* gradient = gradient_.data() + block.offset;
  if (options_.optimizer == Optimizer::kSgd) {
    nesterov_update(static_cast<float>(learning_rate), static_cast<float>(options_.momentum),
                    static_cast<float>(options_.weight_decay), block.count, gradient, weights,
                    first_moment_.data() + block.offset);
  } else {
    constexpr AdamSettings kAdam;
    const AdamStep adam = adam_step(step + 1, learning_rate, kAdam.first_decay, kAdam.second_decay,
                                    kAdam.epsilon, options_.weight_decay);
    adam_update(adam, block.count, gradient, weights, first_moment_.data() + block.offset,
                second_moment_.data() + block.offset);
  }
  // The first steps are forgotten quickly, so that the average is of use from the start.
  const auto done = static_cast<double>(step);
  const double keep = std::min(options_.averaging, (1.0 + done) / (10.0 + done));
  move_average(static_cast<float>(keep), block.count, weights,
               averaged_.parameters().data() + block.offset);
}

void NetworkTrainer::step(Team& team, int rank, std::uint64_t step) {
  const double learning_rate = learning_rate_at(step);
  const PassContext context{.dropout = &dropout_random_, .step = step, .first_row = first_row_};
  for (int shard = rank; shard < pass_.shards(); shard += team.size()) {
    leave_if_asked();
    const RowRange rows = pass_.shard_rows(shard);
    fill_inputs(step, rows);
    pass_.forward(network_, rows, context);
    const std::span sources(batch_.data() + rows.begin,
                            static_cast<std::size_t>(rows.end - rows.begin));
    shard_losses_[shard] += add_loss(rows, sources, 1.0f / static_cast<float>(options_.batch_rows));
    pass_.backward(network_, rows, context);
  }
  team.wait_for_all();
  const std::vector<ParameterBlock>& blocks = pass_.blocks();
  for (std::size_t b = rank; b < blocks.size(); b += team.size()) {
    pass_.gradient_block(network_, blocks[b], gradient_.data());
    if (processes_ == nullptr) update(blocks[b], step, learning_rate);  // while it is in the cache
  }
  if (rank == 0) {
    ++steps_since_report_;
    if (deadline_ != Deadline::max()) {
      const std::chrono::duration<double> used = Clock::now() - start_,
                                          granted = deadline_ - start_;
      // Nobody reads it before the meeting. A network that starts too late has no time at all.
      time_share_ = granted.count() > 0.0 ? used / granted : 1.0;
    }
  }
  if (processes_ != nullptr) {
    team.wait_for_all();
    if (rank == 0) add_up_gradients();
    team.wait_for_all();
    for (std::size_t b = rank; b < blocks.size(); b += team.size()) {
      update(blocks[b], step, learning_rate);
    }
  }
  team.wait_for_all();
}

/// The gradients of all processes. The first one's clock goes with them, since all must agree on
/// how much time is left, and so does whether anybody was asked to stop.
void NetworkTrainer::add_up_gradients() {
  float& time_share = gradient_[gradient_.size() - 2];
  float& asked = gradient_.back();
  time_share = processes_->rank() == 0 ? static_cast<float>(time_share_) : 0.0f;
  asked = options_.stop.stop_requested() ? 1.0f : 0.0f;
  processes_->sum(gradient_);
  time_share_ = time_share;
  all_stop_ = asked > 0.0f;
}

/// Throws Cancelled when this training was asked to stop. Any rank may: the others leave at their
/// next meeting. Processes that share rows leave together, after a step.
void NetworkTrainer::leave_if_asked() const {
  if (processes_ == nullptr && options_.stop.stop_requested()) throw Cancelled();
}

double NetworkTrainer::add_up(double value) const {
  if (processes_ != nullptr) processes_->sum(std::span(&value, 1));
  return value;
}

/// This rank's share of the validation rows. Shards go to the same ranks as in training, so each
/// rank touches only its own rows of the pass.
void NetworkTrainer::validate_share(int rank, int size) {
  const std::size_t width = examples_.inputs.width, codes = examples_.inputs.code_count;
  const std::size_t batch = pass_.batch_rows();
  for (std::size_t chunk = 0; chunk * batch < validation_.rows; ++chunk) {
    for (int shard = rank; shard < pass_.shards(); shard += size) {
      leave_if_asked();
      RowRange rows = pass_.shard_rows(shard);
      rows.end = static_cast<int>(std::min<std::size_t>(
          rows.end, validation_.rows - std::min(validation_.rows, chunk * batch)));
      if (rows.begin >= rows.end) continue;
      const std::size_t first = chunk * batch + rows.begin;
      for (int r = rows.begin; r < rows.end; ++r) {
        std::copy_n(validation_.inputs.data() + (chunk * batch + r) * width, width,
                    pass_.input_row(r));
        std::copy_n(validation_.codes.data() + (chunk * batch + r) * codes, codes, pass_.codes(r));
      }
      pass_.forward(averaged_, rows);
      const std::span sources(validation_.source.data() + first,
                              static_cast<std::size_t>(rows.end - rows.begin));
      validation_losses_[chunk * pass_.shards() + shard] = add_loss(rows, sources, 1.0f);
    }
  }
}

/// How much of the training is over: steps taken or, under a time limit, time used up.
double NetworkTrainer::share_done(std::uint64_t step) const {
  return std::max(static_cast<double>(step) / static_cast<double>(options_.steps), time_share_);
}

/// The mean loss per label over the validation part, whose shards the ranks have just computed.
double NetworkTrainer::validation_loss() {
  return add_up(std::accumulate(validation_losses_.begin(), validation_losses_.end(), 0.0)) /
         validation_weight_;
}

/// The mean training loss since the last call.
double NetworkTrainer::take_training_loss() {
  const double sum = add_up(std::accumulate(shard_losses_.begin(), shard_losses_.end(), 0.0));
  std::fill(shard_losses_.begin(), shard_losses_.end(), 0.0);
  return sum / static_cast<double>(std::exchange(steps_since_report_, 0));
}

void NetworkTrainer::resume(NetworkTrainingState state) {
  const std::size_t parameters = network_.parameters().size();
  const bool fits =
      state.averaged.size() == parameters &&
      state.report.steps <= static_cast<std::uint64_t>(options_.steps) &&
      (state.is_finished ||
       (state.weights.size() == parameters && state.first_moment.size() == parameters &&
        state.second_moment.size() == parameters &&
        (state.best.empty() || state.best.size() == parameters)));
  if (!fits) throw ModelFileError("A checkpoint is not of this network.");
  averaged_.parameters() = std::move(state.averaged);
  if (!state.is_finished) {
    network_.parameters() = std::move(state.weights);
    first_moment_ = std::move(state.first_moment);
    second_moment_ = std::move(state.second_moment);
  }
  state_ = std::move(state);
}

NetworkTrainingState NetworkTrainer::snapshot() const {
  NetworkTrainingState state = state_;
  state.averaged = averaged_.parameters();
  if (state.is_finished) return state;
  state.weights = network_.parameters();
  state.first_moment = first_moment_;
  state.second_moment = second_moment_;
  return state;
}

/// Notes how good the network is after `done` steps. Returns whether to train on.
bool NetworkTrainer::evaluate(std::uint64_t done, const Report& report) {
  const bool validates = validation_weight_ > 0;
  NetworkReport& result = state_.report;
  result.steps = done;
  result.training_loss = take_training_loss();
  double loss = result.training_loss;
  if (validates) {
    loss = validation_loss();
    ++state_.evaluations_since_best;
    if (loss < state_.best_loss) {
      state_.best_loss = loss;
      state_.best = averaged_.parameters();
      result.best_step = done;
      state_.evaluations_since_best = 0;
    }
  }
  if (report) {
    report(done, share_done(done), result.training_loss,
           validates ? loss : std::numeric_limits<double>::quiet_NaN());
  }
  result.out_of_time = time_share_ >= 1.0;
  return !result.out_of_time && std::isfinite(loss) &&
         !(validates && state_.evaluations_since_best >= options_.patience);
}

/// Keeps the weights that validation liked best. Throws DataError when training went astray.
void NetworkTrainer::finish() {
  // A loss of a thousand times what answering 0 would cost means that training has run away. A ReLU
  // hides numbers that are not finite from the loss, so the weights are looked at as well.
  constexpr double kRunaway = 1e3, kLargestWeight = 1e6;
  const bool sound = std::all_of(averaged_.parameters().begin(), averaged_.parameters().end(),
                                 [](float weight) { return std::abs(weight) < kLargestWeight; });
  NetworkReport& result = state_.report;
  if (!(result.training_loss < kRunaway * std::max(1.0, mean_square(examples_))) || !sound) {
    throw DataError(
        "Training diverged: the loss or the weights grew beyond all bounds.\n"
        "  Try a smaller `learning_rate`, or look for values of extreme size in the targets or "
        "sample weights.");
  }
  if (state_.best.empty()) {
    result.best_step = result.steps;
    result.validation_loss = std::numeric_limits<double>::quiet_NaN();
  } else {
    averaged_.parameters() = std::exchange(state_.best, {});
    result.validation_loss = state_.best_loss;
  }
  state_.is_finished = true;
}

NetworkReport NetworkTrainer::run(Team& team, Deadline deadline, const Report& report,
                                  const Watch& watch) {
  if (state_.is_finished) return state_.report;
  constexpr double kEvaluations = 50;
  const auto steps = static_cast<std::uint64_t>(options_.steps);
  const bool validates = validation_weight_ > 0;
  // Processes that share rows have the same weights: one of them keeps where they stand.
  CheckpointFolder* const checkpoints =
      processes_ == nullptr || processes_->rank() == 0 ? watch.checkpoints : nullptr;
  deadline_ = deadline;
  bool stop = false;  // written by rank 0 between two meetings, read by all after them

  team.run([&](int rank) {
    const FlushDenormals flush_denormals;
    int evaluations = state_.evaluations;
    for (std::uint64_t done = state_.report.steps; done < steps && !stop;) {
      if (rank == 0 && watch.peer_lost != nullptr && *watch.peer_lost) {
        throw PeerError("Another process was lost.");
      }
      if (rank == 0 && all_stop_) throw Cancelled();
      step(team, rank, done);
      ++done;
      const int due = done == steps ? static_cast<int>(kEvaluations)
                                    : static_cast<int>(kEvaluations * share_done(done));
      if (due <= evaluations) continue;
      evaluations = due;
      if (validates) validate_share(rank, team.size());
      team.wait_for_all();
      if (rank == 0) {
        state_.evaluations = evaluations;
        stop = !evaluate(done, report);
        if (!stop && checkpoints != nullptr && checkpoints->is_due(member_)) {
          checkpoints->write(member_, snapshot());
        }
      }
      team.wait_for_all();
    }
  });
  finish();
  if (checkpoints != nullptr) checkpoints->write(member_, snapshot());
  return state_.report;
}

}  // namespace knockout
