// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/option_json.h"
#include "knockout/base/sha256.h"
#include "knockout/base/stop.h"
#include "knockout/base/version.h"
#include "knockout/model/model_file.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;  // a double counts them
constexpr int kMostEvaluations = 1'000'000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string_view bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])};
}

std::string hash_of(std::string_view bytes) {
  constexpr std::size_t kPart = 1 << 20;  // a few milliseconds' worth, for who wants to cancel
  Sha256 hash;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kPart) {
    throw_if_stopped();
    hash.add(bytes.substr(begin, kPart));
  }
  return hash.finish();
}

std::string file_of(int network) { return fmt::format("network-{}.safetensors", network + 1); }

TrainingFolder folder_of(const ResolvedTraining& options) {
  std::vector<std::string> files;
  files.reserve(static_cast<std::size_t>(options.networks));
  for (int n = 0; n < options.networks; ++n) files.push_back(file_of(n));
  return {*options.checkpoint_folder, std::move(files)};
}

/// Losses may be infinite or NaN, for which JSON has no numbers.
json number(double value) { return std::isfinite(value) ? json(value) : json(); }

/// The vectors of a state by the names they have in a file.
template <typename State>
auto tensors_of(State& state) {
  return std::array{std::pair("averaged", &state.averaged), std::pair("weights", &state.weights),
                    std::pair("first_moment", &state.first_moment),
                    std::pair("second_moment", &state.second_moment),
                    std::pair("best", &state.best)};
}

void require_same_training(const json& saved, const TrainingIdentity& identity) {
  for (const auto& [what, hash] : identity) {
    if (saved.is_object() && saved.value(what, json()) == hash) continue;
    throw ConfigError(
        fmt::format("this is where another training stands: {} are not the same.\n"
                    "  Start it as then to go on, name another folder, or delete this one.",
                    what));
  }
}

NetworkReport report_from_json(const json& said) {
  const JsonFields fields(said, "the report of a training",
                          {"steps", "best_step", "training_loss", "validation_loss"});
  const std::int64_t steps = fields.whole("steps", 0, kMostSteps);
  return {.steps = static_cast<std::uint64_t>(steps),
          .best_step = static_cast<std::uint64_t>(fields.whole("best_step", 0, steps)),
          .training_loss = fields.optional_number("training_loss").value_or(kNaN),
          .validation_loss = fields.optional_number("validation_loss").value_or(kNaN)};
}

NetworkTrainingState parse_state(const ModelFile& file, const TrainingIdentity& identity) {
  const json training = file.document.value("training", json());
  if (!training.is_object()) {
    throw ModelFileError("this is a model, not where a training stands.\n  Name another folder.");
  }
  const JsonFields fields(
      training, "where a training stands",
      {"identity", "report", "is_finished", "evaluations", "evaluations_since_best", "best_loss"});
  require_same_training(fields.value("identity"), identity);
  NetworkTrainingState state{
      .report = report_from_json(fields.value("report")),
      .is_finished = fields.boolean("is_finished"),
      .evaluations = fields.integer("evaluations", 0, kMostEvaluations),
      .evaluations_since_best = fields.integer("evaluations_since_best", 0, kMostEvaluations),
      .best_loss =
          fields.optional_number("best_loss").value_or(std::numeric_limits<double>::infinity())};
  for (const auto& [name, values] : tensors_of(state)) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) fields.fail(fmt::format("it has no \"{}\"", name));
    *values = found->second.values;
  }
  return state;
}

}  // namespace

TrainingIdentity identity_of(const Examples& examples, const Encoder& encoder,
                             const KnockoutPlan& plan, const ResolvedTraining& options) {
  json heads = json::array();
  for (const Head& head : examples.heads) {
    heads.push_back({head.loss, head.output_begin, head.output_width});
  }
  const json training = {kVersion, plan_to_json(plan), learned_options_to_json(options),
                         options.checkpoint_folder.has_value()};
  return {{"the columns", hash_of(encoder.to_json().dump() + heads.dump())},
          {"the training data", hash_of(hash_of(bytes_of(examples.inputs.values)) +
                                        hash_of(bytes_of(examples.inputs.codes)))},
          {"the labels", hash_of(bytes_of(examples.labels))},
          {"the weights of the rows", hash_of(bytes_of(examples.weights))},
          {"the training options or the version", hash_of(training.dump())}};
}

std::string state_to_bytes(const NetworkTrainingState& state, const TrainingIdentity& identity) {
  const NetworkReport& report = state.report;
  ModelFile file;
  file.document["training"] = {
      {"identity", json(std::map<std::string, std::string>(identity.begin(), identity.end()))},
      {"report",
       {{"steps", report.steps},
        {"best_step", report.best_step},
        {"training_loss", number(report.training_loss)},
        {"validation_loss", number(report.validation_loss)}}},
      {"is_finished", state.is_finished},
      {"evaluations", state.evaluations},
      {"evaluations_since_best", state.evaluations_since_best},
      {"best_loss", number(state.best_loss)}};
  for (const auto& [name, values] : tensors_of(state)) {
    file.tensors[name] = {.shape = {static_cast<std::int64_t>(values->size())}, .values = *values};
  }
  return model_file_to_bytes(file);
}

NetworkTrainingState state_from_bytes(std::string_view bytes, const TrainingIdentity& identity,
                                      const std::string& source) {
  const ModelFile file = model_file_from_bytes(bytes, source);
  try {
    return parse_state(file, identity);
  } catch (const ConfigError& reason) {
    throw ConfigError(fmt::format("{}: {}", source, reason.what()));
  } catch (const ModelFileError& reason) {
    throw ModelFileError(fmt::format("{}: {}", source, reason.what()));
  }
}

CheckpointFolder::CheckpointFolder(const ResolvedTraining& options, TrainingIdentity identity)
    : folder_(folder_of(options)),
      between_(options.checkpoint_seconds),
      identity_(std::move(identity)),
      last_write_(options.networks, Clock::now()) {
  folder_.open();
}

std::optional<NetworkTrainingState> CheckpointFolder::read(int network) const {
  const std::optional<std::string> bytes = folder_.read(file_of(network));
  if (!bytes) return std::nullopt;
  return state_from_bytes(*bytes, identity_, folder_.path_of(file_of(network)));
}

bool CheckpointFolder::is_due(int network) const {
  return Clock::now() - last_write_[network] >= between_;
}

void CheckpointFolder::write(int network, const NetworkTrainingState& state) {
  folder_.write(file_of(network), state_to_bytes(state, identity_));
  last_write_[network] = Clock::now();
}

void remove_checkpoints(const ResolvedTraining& options) {
  if (options.checkpoint_folder) folder_of(options).remove_all();
}

}  // namespace knockout
