// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/trainer_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout::nn {
namespace {

using nlohmann::json;

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

void check_schedule(const TrainerOptions& options) {
  require(options.warmup_steps >= 0 && options.warmup_steps < options.steps,
          fmt::format("warmup_steps is {}: expected 0 or more and below the {} steps.",
                      options.warmup_steps, options.steps));
  check(options.step_decay);
}

void check(const TrainerOptions& options, int processes) {
  require(options.accumulate > 0,
          fmt::format("accumulate is {}: expected 1 part of a batch or more.", options.accumulate));
  require(options.batch_rows / processes >= options.accumulate,
          fmt::format("batch_rows is {}: expected at least one row for each of {} processes and "
                      "each of {} parts of its slice (accumulate).",
                      options.batch_rows, processes, options.accumulate));
  require(options.steps > 0, fmt::format("steps is {}: expected 1 or more.", options.steps));
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate),
          fmt::format("learning_rate is {}: expected a number above 0.", options.learning_rate));
  require(options.weight_decay >= 0 && options.clip_norm >= 0,
          "weight_decay and clip_norm must not be negative.");
  require(options.momentum >= 0 && options.momentum < 1,
          fmt::format("momentum is {}: expected 0 or more and below 1.", options.momentum));
  check_schedule(options);
  require(options.validate_every >= 0 && options.checkpoint_every > 0,
          "validate_every must be 0 or more steps and checkpoint_every 1 or more.");
  require(options.loader_threads >= 0, "loader_threads must be 0 or more.");
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
  text.imbue(std::locale::classic());  // or a program that groups digits gets another one
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
  if (options.optimizer == Optimizer::kAdam) {
    constexpr AdamSettings kAdam;
    return std::make_unique<torch::optim::AdamWOptions>(
        torch::optim::AdamWOptions(options.learning_rate)
            .betas({kAdam.first_decay, kAdam.second_decay})
            .eps(kAdam.epsilon)
            .weight_decay(weight_decay));
  }
  return std::make_unique<torch::optim::SGDOptions>(torch::optim::SGDOptions(options.learning_rate)
                                                        .momentum(momentum)
                                                        .weight_decay(weight_decay)
                                                        .nesterov(momentum > 0));
}

}  // namespace

void check_training(const TrainingTask& task, const TrainerOptions& options, int processes) {
  require(task.network != nullptr && task.loss, "A training task needs a network and a loss.");
  check(options, processes);
  require(options.patience >= 0,
          fmt::format("patience is {}: expected 0 (never stop early) or more validations.",
                      options.patience));
  require(options.patience == 0 || (task.validate && options.validate_every > 0),
          fmt::format("patience is {} validations, but there are none on the way.\n"
                      "  Give TrainingTask::validate and validate_every, or no patience.",
                      options.patience));
  for (const ParameterRule& rule : task.rules) check(rule);
}

json description_of_run(const TrainingTask& task, const TrainerOptions& options,
                        std::size_t training_rows) {
  return {{"training_rows", training_rows},           {"batch_rows", options.batch_rows},
          {"accumulate", options.accumulate},         {"steps", options.steps},
          {"optimizer", name_of(options.optimizer)},  {"learning_rate", options.learning_rate},
          {"weight_decay", options.weight_decay},     {"momentum", options.momentum},
          {"schedule", name_of(options.schedule)},    {"warmup_steps", options.warmup_steps},
          {"step_decays_at", options.step_decay.at},  {"step_decay", options.step_decay.factor},
          {"clip_norm", options.clip_norm},           {"seed", options.seed},
          {"validate_every", options.validate_every}, {"patience", options.patience},
          {"network", fingerprint_of(*task.network)}, {"rules", description_of(task.rules)}};
}

void require_same_run(const Checkpoint& checkpoint, const json& run) {
  const json saved = checkpoint.document.value("run", json());
  for (const auto& [name, value] : run.items()) {
    const json before = saved.is_object() ? saved.value(name, json()) : json();
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

std::vector<std::string> names_not_finite(const torch::nn::Module& network) {
  std::vector<std::string> names;
  const auto add = [&](const auto& item) {
    const torch::Tensor& tensor = item.value();
    if (tensor.defined() && tensor.is_floating_point() && !tensor.isfinite().all().item<bool>()) {
      names.push_back(item.key());
    }
  };
  for (const auto& item : network.named_parameters()) add(item);
  for (const auto& item : network.named_buffers()) add(item);
  return names;
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(
    const TrainingTask& task, const TrainerOptions& options,
    const std::vector<torch::Tensor>& parameters) {
  const auto by_rule = grouped(parameters, *task.network, task.rules);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (std::size_t i = 0; i < by_rule.size(); ++i) {
    groups.emplace_back(by_rule[i],
                        optimizer_options(options, i == 0 ? ParameterRule{} : task.rules[i - 1]));
  }
  if (options.optimizer == Optimizer::kAdam) {
    return std::make_unique<torch::optim::AdamW>(std::move(groups));
  }
  return std::make_unique<torch::optim::SGD>(std::move(groups),
                                             torch::optim::SGDOptions(options.learning_rate));
}

void set_learning_rates(torch::optim::Optimizer& optimizer, const TrainingTask& task,
                        const TrainerOptions& options, std::int64_t step) {
  const double of_step = learning_rate_of_step(options, step);
  auto& groups = optimizer.param_groups();
  groups[0].options().set_lr(of_step);
  for (std::size_t i = 0; i < task.rules.size(); ++i) {
    const ParameterRule& rule = task.rules[i];
    groups[1 + i].options().set_lr(rule.learning_rate_factor *
                                   (rule.follows_schedule ? of_step : options.learning_rate));
  }
}

double learning_rate_of_step(const TrainerOptions& options, std::int64_t step) {
  const std::int64_t warmup = options.warmup_steps;
  if (step < warmup) {
    return options.learning_rate * static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  }
  const double share =
      static_cast<double>(step - warmup) / static_cast<double>(options.steps - warmup);
  return options.learning_rate * learning_rate_factor(options.schedule, options.step_decay, share);
}

}  // namespace knockout::nn
