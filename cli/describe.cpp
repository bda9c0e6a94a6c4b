// SPDX-License-Identifier: Apache-2.0
// knockout describe: what a model file holds.
#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "cli/model_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/provenance.h"
#include "cli/report_output.h"
#include "cli/verb.h"

namespace knockout::cli {
namespace {

constexpr const char* kDescribeExamples =
    R"(  knockout describe model.safetensors
      What it predicts, from which columns, what it saw in training and how good it was.
  knockout describe model.safetensors --report model.html
      The same as a page, to go with the model.
  knockout describe model.safetensors --json | jq -r '.inputs[].name'
      For programs: the columns that a table to be predicted should have.
)";

struct DescribeFlags {
  CommonOptions common;
  std::string model_path, report_path;
  int threads = 0;  // taken as by all other verbs; there is nothing to share
};

using Json = nlohmann::ordered_json;

template <typename Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json seen_json(const ModelFacts& facts, const std::string& name) {
  const auto found = facts.seen.find(name);
  if (found == facts.seen.end()) return nullptr;
  const SeenColumn& column = found->second;
  Json json = {{"observed", column.observed},
               {"missing", column.missing},
               {"missing_for_a_reason", column.missing_for_a_reason},
               {"below_limit", column.below_limit},
               {"above_limit", column.above_limit}};
  if (column.low) json["low"] = *column.low;
  if (column.high) json["high"] = *column.high;
  if (column.mean) json["mean"] = *column.mean;
  if (!column.first.empty()) json["first"] = column.first;
  if (!column.last.empty()) json["last"] = column.last;
  if (column.distinct > 0) json["distinct"] = column.distinct;
  for (const SeenColumn::Count& count : column.values) {
    json["most_frequent"].push_back({{"value", count.value}, {"rows", count.rows}});
  }
  return json;
}

Json targets_json(const ModelFacts& facts) {
  Json targets = Json::array();
  for (const TargetCoding& coding : facts.model.targets()) {
    Json target = {{"name", coding.target.name}, {"task", to_string(coding.target.task)}};
    if (coding.target.task == Task::kRegression) {
      target["mean"] = coding.mean;
      target["stddev"] = coding.stddev;
    } else {
      target["classes"] = coding.target.classes;
    }
    target["seen"] = seen_json(facts, coding.target.name);
    targets.push_back(std::move(target));
  }
  return targets;
}

Json inputs_json(const ModelFacts& facts) {
  Json inputs = Json::array();
  const ReadingIndex readings = facts.model.schema().reading.by_column();
  for (const Feature& feature : facts.model.schema().features) {
    Json input = {{"name", feature.name},
                  {"kind", to_string(feature.kind)},
                  {"group", feature.group},
                  {"never_missing", feature.never_missing},
                  {"gaps", to_string(feature.training_gaps)},
                  {"reading", reading_text(facts, readings, feature)},
                  {"lower", value_or_null(feature.lower)},
                  {"upper", value_or_null(feature.upper)}};
    if (!feature.categories.empty()) input["categories"] = feature.categories;
    input["seen"] = seen_json(facts, feature.name);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Json held_out_json(const ModelFacts& facts) {
  const auto found = facts.model.provenance().find("held_out");
  return found == facts.model.provenance().end() ? Json(nullptr) : Json(*found);
}

Json model_json(const ModelFacts& facts) {
  Json set_aside = Json::array(), learners = Json::array();
  for (const UnusedColumn& aside : facts.set_aside) {
    set_aside.push_back({{"column", aside.column}, {"reason", aside.reason}});
  }
  for (const WeightedLearner& part : facts.model.learners()) {
    learners.push_back({{"kind", part.learner->kind()}, {"weight", part.weight}});
  }
  const Schema& schema = facts.model.schema();
  return {{"model", facts.path},
          {"format_version", facts.format_version},
          {"version", facts.version},
          {"bytes", facts.bytes},
          {"sha256", facts.sha256},
          {"parameters", facts.parameters},
          {"rows", value_or_null(facts.rows)},
          {"rows_without_label", value_or_null(facts.rows_without_label)},
          {"columns", value_or_null(facts.columns)},
          {"targets", targets_json(facts)},
          {"inputs", inputs_json(facts)},
          {"weight_column", schema.weight_column},
          {"unseen_category", to_string(schema.unseen_category)},
          {"set_aside", set_aside},
          {"held_out", held_out_json(facts)},
          {"learners", learners},
          {"notes", facts.model.encoder().notes()},
          {"recipe", facts.model.recipe()}};
}

void run_describe(const DescribeFlags& flags) {
  if (flags.model_path.empty()) {
    throw ConfigError(
        "which model should be described? For example:\n  knockout describe model.safetensors");
  }
  check_report(flags.report_path, {flags.model_path});
  const auto start = std::chrono::steady_clock::now();
  const ModelFacts facts = read_model_facts(flags.model_path);
  report::Document document = model_document(facts);
  Json data = model_json(facts);
  if (!flags.report_path.empty()) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    document.provenance = make_provenance(std::nullopt, {flags.model_path}, elapsed.count());
    data["provenance"] = provenance_json(document.provenance);
    report::write_report(document, data, flags.report_path);
  }
  if (flags.common.json) {
    print_json(data);
  } else {
    print_document(document);
  }
}

}  // namespace

Verb setup_describe(CLI::App& command) {
  const auto flags = std::make_shared<DescribeFlags>();
  CLI::App* const verb = command.add_subcommand(
      "describe", "what a model predicts, from which columns, and how good it was");
  verb->footer(kDescribeExamples);
  verb->add_option("MODEL,-m,--model", flags->model_path, "What `knockout fit` wrote")
      ->option_text("FILE")
      ->group("The model");
  add_report(*verb, flags->report_path);
  add_threads(*verb, flags->threads);
  add_common(*verb, flags->common, "All of it as one JSON object");
  return {verb, [flags] { run_describe(*flags); }};
}

}  // namespace knockout::cli
