// SPDX-License-Identifier: Apache-2.0
#include "cli/model_facts.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "knockout/base/read_bytes.h"
#include "knockout/base/sha256.h"
#include "knockout/fit/load_model.h"
#include "knockout/model/model_file.h"

namespace knockout::cli {
namespace {

using nlohmann::json;

const json& part(const json& object, const char* key) {
  static const json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::optional<double> number_in(const json& object, const char* key) {
  const json& value = part(object, key);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<std::uint64_t> count_in(const json& object, const char* key) {
  const json& value = part(object, key);
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::string text_in(const json& object, const char* key) {
  const json& value = part(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

/// The entries of a list; none where it is absent or something else.
const json& entries_in(const json& object, const char* key) {
  static const json empty = json::array();
  const json& value = part(object, key);
  return value.is_array() ? value : empty;
}

SeenColumn seen_column(const json& said) {
  SeenColumn column{.observed = count_in(said, "observed").value_or(0),
                    .missing = count_in(said, "missing").value_or(0),
                    .missing_for_a_reason = count_in(said, "missing_for_a_reason").value_or(0),
                    .below_limit = count_in(said, "below_limit").value_or(0),
                    .above_limit = count_in(said, "above_limit").value_or(0),
                    .low = number_in(said, "low"),
                    .high = number_in(said, "high"),
                    .mean = number_in(said, "mean"),
                    .first = text_in(said, "first"),
                    .last = text_in(said, "last"),
                    .distinct = count_in(said, "distinct").value_or(0),
                    .values = {}};
  for (const json& value : entries_in(said, "values")) {
    column.values.push_back({text_in(value, "value"), count_in(value, "rows").value_or(0)});
  }
  return column;
}

/// One target at one level: means in the file, sums here.
HeldOutLevel::Score held_out_score(const json& said, const Target& target) {
  HeldOutLevel::Score score{.rows = count_in(said, "rows").value_or(0)};
  const bool regression = target.task == Task::kRegression;
  const auto loss = number_in(said, regression ? "mse" : "log_loss");
  if (!loss || !std::isfinite(*loss)) return {};
  const auto rows = static_cast<double>(score.rows);
  score.loss = *loss * rows;
  score.errors = number_in(said, "error_rate").value_or(0) * rows;
  return score;
}

std::vector<HeldOutLevel> held_out_levels(const json& provenance, const Schema& schema) {
  std::vector<HeldOutLevel> levels;
  for (const json& said : entries_in(provenance, "held_out")) {
    const json& targets = entries_in(said, "targets");
    const auto missing = count_in(said, "missing");
    if (!missing || targets.size() != schema.targets.size()) continue;
    HeldOutLevel& level = levels.emplace_back(HeldOutLevel{.missing = *missing, .targets = {}});
    for (std::size_t t = 0; t < targets.size(); ++t) {
      level.targets.push_back(held_out_score(targets[t], schema.targets[t]));
    }
  }
  return levels;
}

}  // namespace

ModelFacts read_model_facts(const std::string& path) {
  const std::string bytes = read_bytes(path, "the model");
  ModelFacts facts{.model = model_from_bytes(bytes, path),
                   .path = path,
                   .sha256 = {},
                   .bytes = bytes.size(),
                   .version = {},
                   .rows = {},
                   .rows_without_label = {},
                   .columns = {},
                   .seen = {},
                   .set_aside = {},
                   .held_out = {}};
  Sha256 hash;
  hash.add(bytes);
  facts.sha256 = hash.finish();
  const ModelFile file = model_file_from_bytes(bytes, path);
  for (const auto& [name, tensor] : file.tensors) facts.parameters += tensor.values.size();
  facts.format_version =
      static_cast<std::int64_t>(number_in(file.document, "format_version").value_or(0));

  const json& said = facts.model.provenance();
  facts.version = text_in(said, "version");
  facts.rows = count_in(said, "rows");
  facts.rows_without_label = count_in(said, "rows_without_label");
  facts.columns = count_in(said, "columns");
  for (const json& column : entries_in(said, "seen")) {
    facts.seen.emplace(text_in(column, "name"), seen_column(column));
  }
  for (const json& aside : entries_in(said, "set_aside")) {
    facts.set_aside.push_back({text_in(aside, "column"), text_in(aside, "reason")});
  }
  facts.held_out = held_out_levels(said, facts.model.schema());
  return facts;
}

}  // namespace knockout::cli
