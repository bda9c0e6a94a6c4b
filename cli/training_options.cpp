// SPDX-License-Identifier: Apache-2.0
#include "cli/training_options.h"

#include "cli/options.h"

namespace knockout::cli {
namespace {

constexpr const char* kTraining = "The network (0 = chosen from the size of the data)";

}  // namespace

TrainOptions TrainingFlags::options() const {
  TrainOptions options = train;
  options.architecture =
      choose<Architecture>("--architecture", architecture,
                           {{"mlp", Architecture::kMlp}, {"residual", Architecture::kResidual}});
  options.optimizer = choose<Optimizer>("--optimizer", optimizer,
                                        {{"adam", Optimizer::kAdam}, {"sgd", Optimizer::kSgd}});
  options.schedule = choose<Schedule>("--schedule", schedule,
                                      {{"constant", Schedule::kConstant},
                                       {"step", Schedule::kStep},
                                       {"cosine", Schedule::kCosine}});
  return options;
}

void add_training(CLI::App& verb, TrainingFlags& flags) {
  TrainOptions& train = flags.train;
  const auto add = [&](const char* name, auto& value, const char* text, const char* description) {
    return verb.add_option(name, value, description)->option_text(text)->group(kTraining);
  };
  add("--architecture", flags.architecture, "mlp|residual",
      "Hidden layers one after the other (the default), or blocks that each add to their input");
  add("--hidden", train.hidden, "UNITS", "Units of each hidden layer: 128,128")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whole_number(1));
  add("--networks", train.networks, "N", "Networks whose answers are averaged")
      ->check(whole_number(0));
  add("--batch", train.batch_rows, "ROWS", "Rows per step")->check(whole_number(0));
  add("--steps", train.steps, "N", "At most so many steps per network")->check(whole_number(0));
  add("--learning-rate", train.learning_rate, "RATE", "The first one; the schedule lowers it")
      ->check(number_above(0));
  add("--optimizer", flags.optimizer, "adam|sgd",
      "Adam with decoupled weight decay (the default), "
      "or SGD with Nesterov momentum");
  add("--schedule", flags.schedule, "constant|step|cosine",
      "Of the learning rate; cosine by "
      "default");
  add("--momentum", train.momentum, "SHARE", "Of SGD (default 0.9)")
      ->check(number_from(0, 1, false));
  add("--weight-decay", train.weight_decay, "RATE", "Pull of the weights towards zero")
      ->check(number_from(0, 1e9, true));
  add("--dropout", train.dropout, "SHARE", "Hidden units dropped while training")
      ->check(number_from(0, 1, false));
  add("--validation", train.validation_share, "SHARE",
      "Rows that each network holds out to know when to stop; 0 = none")
      ->check(number_from(0, 1, false));
  add("--patience", train.patience, "N", "Evaluations without progress before a network stops")
      ->check(whole_number(0));
  add("--time-limit", train.time_limit_seconds, "TIME",
      "Stop after 30s, 5m or 1h and keep the best so far. The one option that makes the result "
      "depend on the machine")
      ->transform(time_in_seconds());
}

}  // namespace knockout::cli
