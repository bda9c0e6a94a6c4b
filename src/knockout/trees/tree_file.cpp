// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/tree_file.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

constexpr const char* kWhere = "the trees of the model";
constexpr int kMostMembers = 65536, kMostRounds = 1'000'000;
constexpr std::int64_t kMostNodes = 1 << 24;  ///< Beyond, a float cannot count them.

std::string tensor_name(const std::string& prefix, std::size_t member, std::size_t target,
                        const std::string& name) {
  return fmt::format("{}member.{}.target.{}.{}", prefix, member, target, name);
}

std::string levels_name(std::size_t column) { return fmt::format("levels.{}", column); }

/// Takes the tensors of a learner, all of which must be asked for.
class TensorReader {
 public:
  explicit TensorReader(const LearnerSource& source) : source_(source) {}

  /// A tensor of so many columns, or of one dimension where there are none.
  const Tensor& take(const std::string& name, std::int64_t columns) {
    const auto found = source_.tensors.find(name);
    if (found == source_.tensors.end()) fail(name, "is not there");
    const std::vector<std::int64_t>& shape = found->second.shape;
    const bool fits = columns == 0 ? shape.size() == 1 : shape.size() == 2 && shape[1] == columns;
    if (!fits || shape[0] > kMostNodes) fail(name, "has another shape than expected");
    taken_.insert(name);
    return found->second;
  }

  void require_all_taken() const {
    for (const auto& [name, tensor] : source_.tensors) {
      if (name.starts_with(source_.prefix) && !taken_.contains(name)) fail(name, "is of no tree");
    }
  }

  [[noreturn]] static void fail(const std::string& name, const char* what) {
    throw ModelFileError(fmt::format("The model's tensor \"{}\" {}.", name, what));
  }

 private:
  const LearnerSource& source_;
  std::set<std::string> taken_;
};

/// A whole number that a float holds.
std::int32_t whole(float number, const std::string& name) {
  if (!(number >= 0.0F && number <= static_cast<float>(kMostNodes)) ||
      number != std::floor(number)) {
    TensorReader::fail(name, "holds something that is not a whole number");
  }
  return static_cast<std::int32_t>(number);
}

void write_one(const TargetTrees& of_target, const std::string& prefix, std::size_t member,
               std::size_t target, std::map<std::string, Tensor>& tensors) {
  const TreeParts& parts = of_target.trees.parts();
  Tensor nodes{.shape = {static_cast<std::int64_t>(parts.nodes.size()), 4}, .values = {}};
  for (const TreeNode& node : parts.nodes) {
    nodes.values.insert(nodes.values.end(),
                        {node.threshold, static_cast<float>(node.left),
                         static_cast<float>(node.column), static_cast<float>(node.gap_goes_left)});
  }
  Tensor roots{.shape = {static_cast<std::int64_t>(parts.roots.size()), 2}, .values = {}};
  for (const TreeRoot& root : parts.roots) {
    roots.values.insert(roots.values.end(),
                        {static_cast<float>(root.node), static_cast<float>(root.output)});
  }
  tensors[tensor_name(prefix, member, target, "nodes")] = std::move(nodes);
  tensors[tensor_name(prefix, member, target, "roots")] = std::move(roots);
  for (std::size_t c = 0; c < of_target.levels.size(); ++c) {
    const std::vector<float>& numbers = of_target.levels[c];
    tensors[tensor_name(prefix, member, target, levels_name(c))] = {
        .shape = {static_cast<std::int64_t>(numbers.size())}, .values = numbers};
  }
}

TargetTrees read_one(const LearnerSource& source, const TreeInputs& inputs, std::size_t member,
                     std::size_t target, const nlohmann::json& json, TensorReader& tensors) {
  const JsonFields fields(json, kWhere, {"rounds", "start"});
  const Head& head = source.targets[target].head;
  TreeParts parts;
  parts.objective = objective_of(head);
  parts.columns = inputs.columns();
  parts.outputs = head.loss == Loss::kSoftmax ? head.output_width : 1;
  parts.rounds = fields.integer("rounds", 0, kMostRounds);
  parts.start = static_cast<float>(fields.number("start"));
  const std::string nodes_name = tensor_name(source.prefix, member, target, "nodes");
  const Tensor& nodes = tensors.take(nodes_name, 4);
  for (std::size_t i = 0; i < nodes.values.size(); i += 4) {
    parts.nodes.push_back({.threshold = nodes.values[i],
                           .left = whole(nodes.values[i + 1], nodes_name),
                           .column = whole(nodes.values[i + 2], nodes_name),
                           .gap_goes_left = whole(nodes.values[i + 3], nodes_name)});
  }
  const std::string roots_name = tensor_name(source.prefix, member, target, "roots");
  const Tensor& roots = tensors.take(roots_name, 2);
  for (std::size_t i = 0; i < roots.values.size(); i += 2) {
    parts.roots.push_back(
        {whole(roots.values[i], roots_name), whole(roots.values[i + 1], roots_name)});
  }
  LevelNumbers levels;
  for (std::size_t c = 0; c < static_cast<std::size_t>(inputs.codes()); ++c) {
    const std::string name = tensor_name(source.prefix, member, target, levels_name(c));
    const Tensor& numbers = tensors.take(name, 0);
    if (numbers.shape[0] != inputs.levels(c)) TensorReader::fail(name, "has too few levels");
    levels.push_back(numbers.values);
  }
  return {TreeModel(std::move(parts)), std::move(levels)};  // checks the rest
}

}  // namespace

nlohmann::json write_trees(const std::vector<BoostedTrees::Member>& members,
                           const std::string& prefix, std::map<std::string, Tensor>& tensors) {
  nlohmann::json said = nlohmann::json::array();
  for (std::size_t m = 0; m < members.size(); ++m) {
    nlohmann::json of_member = nlohmann::json::array();
    for (std::size_t t = 0; t < members[m].size(); ++t) {
      write_one(members[m][t], prefix, m, t, tensors);
      const TreeParts& parts = members[m][t].trees.parts();
      of_member.push_back({{"rounds", parts.rounds}, {"start", parts.start}});
    }
    said.push_back(std::move(of_member));
  }
  return {{"members", said}};
}

std::vector<BoostedTrees::Member> read_trees(const LearnerSource& source) {
  const JsonFields fields(source.json, kWhere, {"kind", "members"});
  const nlohmann::json& said = fields.array("members");
  if (said.empty() || said.size() > static_cast<std::size_t>(kMostMembers)) {
    fields.fail("there is no member, or too many");
  }
  const TreeInputs inputs(source.encoder);
  if (inputs.columns() < 1) fields.fail("there are no inputs that trees could ask for");
  TensorReader tensors(source);
  std::vector<BoostedTrees::Member> members;
  for (std::size_t m = 0; m < said.size(); ++m) {
    if (!said[m].is_array() || said[m].size() != source.targets.size()) {
      fields.fail("a member does not have trees for every target");
    }
    members.emplace_back();
    for (std::size_t t = 0; t < source.targets.size(); ++t) {
      members.back().push_back(read_one(source, inputs, m, t, said[m][t], tensors));
    }
  }
  tensors.require_all_taken();
  return members;
}

}  // namespace knockout
