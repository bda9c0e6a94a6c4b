// SPDX-License-Identifier: Apache-2.0
// A model to and from the document and the tensors of its file.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/model/model.h"
#include "knockout/model/model_file.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLearners = 1000;

std::string learner_prefix(std::size_t learner) { return fmt::format("learner.{}.", learner); }

/// The value under `key`, or a ModelFileError.
const json& part_of(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end()) {
    throw ModelFileError(fmt::format(
        "The model has no \"{}\": the file is damaged or was not written by knockout.", key));
  }
  return *found;
}

/// A description for people, which may be absent.
json notes_under(const json& document, const char* key) {
  json notes = document.value(key, json::object());
  if (!notes.is_object()) throw ModelFileError(fmt::format("The model's \"{}\" is odd.", key));
  return notes;
}

/// What a file says of its learners, whatever its version.
struct LearnerParts {
  std::vector<json> learners;
  std::vector<double> weights;
  std::vector<std::string> prefixes;  ///< Of each learner's tensors.
};

/// Format 1 had one ensemble of networks, whose tensors had no prefix.
LearnerParts parts_of_format_1(const json& document) {
  if (part_of(document, "engine") != "tabular") {
    throw ModelFileError("The model was made by another engine than the one for tables.");
  }
  json networks = part_of(document, "network");
  if (!networks.is_object()) throw ModelFileError("The model's \"network\" is not an object.");
  networks["kind"] = "networks";
  return {.learners = {networks}, .weights = {1.0}, .prefixes = {""}};
}

LearnerParts parts_of_format_2(const json& document) {
  LearnerParts parts;
  const json& learners = part_of(document, "learners");
  if (!learners.is_array() || learners.empty() || learners.size() > kMostLearners) {
    throw ModelFileError(
        fmt::format("The model's \"learners\" are not a list of 1 to {} parts.", kMostLearners));
  }
  parts.learners.assign(learners.begin(), learners.end());
  const JsonFields combination(part_of(document, "combination"), "the combination", {"weights"});
  for (const json& weight : combination.array("weights")) {
    if (!weight.is_number() || !(weight.get<double>() > 0.0 && weight.get<double>() <= 1.0)) {
      combination.fail("\"weights\" holds something that is not a number above 0 and up to 1");
    }
    parts.weights.push_back(weight.get<double>());
  }
  if (parts.weights.size() != parts.learners.size()) {
    combination.fail(fmt::format("there are {} weights for {} learners", parts.weights.size(),
                                 parts.learners.size()));
  }
  double sum = 0;
  for (const double weight : parts.weights) sum += weight;
  if (!(std::abs(sum - 1) < 1e-6)) combination.fail("the weights do not add up to 1");
  for (std::size_t l = 0; l < learners.size(); ++l) parts.prefixes.push_back(learner_prefix(l));
  return parts;
}

/// Every tensor belongs to a learner, which answers for all that bear its prefix.
void require_owners(const std::map<std::string, Tensor>& tensors,
                    const std::vector<std::string>& prefixes) {
  for (const auto& entry : tensors) {
    const std::string& name = entry.first;
    const bool owned = std::any_of(prefixes.begin(), prefixes.end(),
                                   [&](const auto& prefix) { return name.starts_with(prefix); });
    if (!owned) {
      throw ModelFileError(fmt::format("The model's tensor \"{}\" belongs to no learner.", name));
    }
  }
}

LearnerPointer read_learner(const LearnerSource& source, std::span<const LearnerKind> kinds) {
  const json& description = source.json;
  if (!description.is_object() || !description.contains("kind") ||
      !description["kind"].is_string()) {
    throw ModelFileError("A learner of the model does not say of which kind it is.");
  }
  const std::string kind = description["kind"];
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const LearnerKind& candidate) {
    return candidate.name == kind;
  });
  if (found == kinds.end()) {
    throw ModelFileError(fmt::format(
        "The model has a learner of the kind \"{}\", which this knockout does not know.\n"
        "  Use a newer knockout.",
        kind));
  }
  return found->read(source);
}

Model read_model(const ModelFile& file, std::span<const LearnerKind> kinds) {
  const json& document = file.document;
  const LearnerParts parts = document.at("format_version") == 1 ? parts_of_format_1(document)
                                                                : parts_of_format_2(document);
  Encoder encoder = Encoder::from_json(part_of(document, "encoder"));
  std::vector<TargetCoding> targets =
      targets_from_json(part_of(document, "targets"), encoder.schema());
  if (targets.empty()) throw ModelFileError("The model has no target.");
  KnockoutPlan plan = plan_from_json(part_of(document, "plan"));
  require_owners(file.tensors, parts.prefixes);
  std::vector<WeightedLearner> learners;
  for (std::size_t l = 0; l < parts.learners.size(); ++l) {
    learners.push_back({.learner = read_learner({.json = parts.learners[l],
                                                 .tensors = file.tensors,
                                                 .prefix = parts.prefixes[l],
                                                 .encoder = encoder,
                                                 .targets = targets},
                                                kinds),
                        .weight = parts.weights[l]});
  }
  return {std::move(encoder),
          std::move(targets),
          std::move(plan),
          std::move(learners),
          notes_under(document, "recipe"),
          notes_under(document, "provenance")};
}

}  // namespace

std::string Model::to_bytes() const {
  require_whole();
  ModelFile file;
  json learners = json::array(), weights = json::array();
  for (std::size_t l = 0; l < learners_.size(); ++l) {
    json description = learners_[l].learner->write(learner_prefix(l), file.tensors);
    description["kind"] = learners_[l].learner->kind();
    learners.push_back(std::move(description));
    weights.push_back(learners_[l].weight);
  }
  file.document = {{"encoder", encoder_.to_json()},
                   {"targets", targets_to_json(targets_)},
                   {"plan", plan_to_json(plan_)},
                   {"learners", learners},
                   {"combination", {{"weights", weights}}},
                   {"recipe", *recipe_},
                   {"provenance", *provenance_}};
  return model_file_to_bytes(file);
}

void Model::save(const std::string& path) const { write_atomically(path, to_bytes()); }

Model Model::from_bytes(std::string_view bytes, const std::string& source,
                        std::span<const LearnerKind> kinds) {
  const ModelFile file = model_file_from_bytes(bytes, source);
  try {
    return read_model(file, kinds);
  } catch (const ModelFileError& error) {
    throw ModelFileError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace knockout
