// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/miss_forest_imputer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/random.h"
#include "knockout/schema/json_fields.h"
#include "knockout/trees/grow_trees.h"

namespace knockout {
namespace {

using nlohmann::json;

/// New rows have no error to watch: a row with one gap needs one round, and few move after three.
constexpr int kApplyRounds = 3;

/// Means and modes where nothing is known.
void start_from_means(const ImputerInputs& space, InputMatrix& inputs) {
  for (std::size_t row = 0; row < inputs.rows; ++row) {
    for (std::size_t f = 0; f < inputs.features; ++f) {
      const Input& input = space.inputs()[f];
      if (inputs.gaps_of(row)[f] != 0) {
        inputs.values_of(row)[f] = input.categorical ? static_cast<float>(input.mode) : 0.0F;
      }
    }
  }
}

/// Some rows of all features but one.
std::vector<float> others(const InputMatrix& inputs, std::span<const std::size_t> rows,
                          std::size_t feature) {
  std::vector<float> out(rows.size() * (inputs.features - 1));
  float* at = out.data();
  for (const std::size_t row : rows) {
    const float* const values = inputs.values_of(row);
    at = std::copy_n(values, feature, at);
    at = std::copy(values + feature + 1, values + inputs.features, at);
  }
  return out;
}

/// How far two fillings differ, by the two kinds of columns apart.
struct Difference {
  double squares = 0, scale = 0;       ///< Numbers.
  std::size_t changed = 0, cells = 0;  ///< Categories.

  bool is_none() const { return squares == 0 && changed == 0; }
  /// Every kind of column that there is moved more than the round before.
  bool grows_over(const Difference& previous) const {
    const bool numbers = scale == 0 || squares / scale > previous.squares / previous.scale;
    const bool categories = cells == 0 || changed > previous.changed;
    return numbers && categories;
  }
};

Difference difference_of(const ImputerInputs& space, const InputMatrix& filled,
                         const std::vector<float>& old_values) {
  Difference difference;
  for (std::size_t i = 0; i < old_values.size(); ++i) {
    if (filled.gaps[i] == 0) continue;
    const double value = filled.values[i], move = value - old_values[i];
    if (space.inputs()[i % filled.features].categorical) {
      difference.changed += move != 0 ? 1 : 0;
      ++difference.cells;
    } else {
      difference.squares += move * move;
      difference.scale += value * value;
    }
  }
  return difference;
}

/// How many there are to choose from; 0 = a number.
std::size_t categories_of(const Input& input) { return input.categorical ? input.width : 0; }

/// There is something to learn from, and more than one answer.
bool can_be_learned(const ImputerInputs& space, std::size_t feature) {
  return space.inputs().size() > 1 && categories_of(space.inputs()[feature]) != 1;
}

void put_trees(const std::string& prefix, const TreeParts& parts, ImputerArrays& arrays) {
  std::vector<std::int32_t> roots, branches;
  std::vector<float> thresholds;
  for (const TreeRoot& root : parts.roots) {
    roots.insert(roots.end(), {root.node, root.output});
  }
  for (const TreeNode& node : parts.nodes) {
    branches.insert(branches.end(), {node.left, node.column, node.gap_goes_left});
    thresholds.push_back(node.threshold);
  }
  const auto nodes = static_cast<std::int64_t>(parts.nodes.size());
  arrays.put(prefix + "roots", {static_cast<std::int64_t>(parts.roots.size()), 2},
             std::move(roots));
  arrays.put(prefix + "branches", {nodes, 3}, std::move(branches));
  arrays.put(prefix + "thresholds", {nodes}, std::move(thresholds));
}

void take_trees(const std::string& prefix, ImputerArrays& arrays, TreeParts& parts) {
  const std::int64_t trees = arrays.rows(prefix + "roots"),
                     nodes = arrays.rows(prefix + "branches");
  const auto roots = arrays.take<std::int32_t>(prefix + "roots", {trees, 2});
  const auto branches = arrays.take<std::int32_t>(prefix + "branches", {nodes, 3});
  const auto thresholds = arrays.take<float>(prefix + "thresholds", {nodes});
  for (std::size_t t = 0; t < roots.size(); t += 2) {
    parts.roots.push_back({.node = roots[t], .output = roots[t + 1]});
  }
  for (std::size_t n = 0; n < thresholds.size(); ++n) {
    parts.nodes.push_back({.threshold = thresholds[n],
                           .left = branches[3 * n],
                           .column = branches[3 * n + 1],
                           .gap_goes_left = branches[3 * n + 2]});
  }
}

/// The rows that lack a feature, or those that have it.
std::vector<std::size_t> rows_where(const InputMatrix& inputs, std::size_t feature, bool missing) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < inputs.rows; ++row) {
    if ((inputs.gaps_of(row)[feature] != 0) == missing) rows.push_back(row);
  }
  return rows;
}

}  // namespace

/// A forest for one feature. Its trees are grown in groups, each on one thread: a tree is too small
/// to be shared among threads, and the number of groups is the same on every machine.
class MissForestImputer::Forest {
 public:
  /// Learns from the rows that have the feature. `seed_of(group)` tells the groups apart.
  template <typename SeedOf>
  Forest(const InputMatrix& inputs, std::span<const std::size_t> rows, std::size_t feature,
         std::size_t categories, const ImputerOptions& options, const SeedOf& seed_of)
      : feature_(feature), categories_(categories), trees_(options.trees) {
    constexpr int kMaxGroups = 8;
    const std::vector<float> predictors = others(inputs, rows, feature);
    std::vector<float> labels;
    labels.reserve(rows.size());
    for (const std::size_t row : rows) labels.push_back(inputs.values_of(row)[feature]);
    const int columns = static_cast<int>(inputs.features) - 1;
    const TreeOptions tree = tree_options(columns);

    const std::size_t groups = static_cast<std::size_t>(std::min(kMaxGroups, trees_));
    std::vector<std::optional<Group>> grown(groups);
    parallel_for(groups, options.threads, [&](std::size_t g) {
      TreeOptions own = tree;
      const int group = static_cast<int>(g), count = static_cast<int>(groups);
      own.trees_per_round = trees_ * (group + 1) / count - trees_ * group / count;
      own.seed = seed_of(g);
      grown[g] = Group{grow_trees({predictors.data(), rows.size(), columns}, labels, {}, 0, own),
                       static_cast<float>(own.trees_per_round) / static_cast<float>(trees_)};
    });
    for (std::optional<Group>& group : grown) groups_.push_back(std::move(*group));
  }

  /// Of a file. Throws ModelFileError.
  Forest(const ImputerSource& source, std::size_t feature, const json& groups)
      : feature_(feature), categories_(categories_of(source.space.inputs()[feature])), trees_(0) {
    if (!groups.is_array() || groups.empty()) {
      throw ModelFileError("A forest of the imputer has no trees.");
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const JsonFields fields(groups[g], "a forest of the imputer", {"weight", "start"});
      TreeParts parts;
      parts.objective = objective();
      parts.columns = static_cast<int>(source.space.inputs().size()) - 1;
      parts.outputs = outputs();
      parts.rounds = 1;
      const double start = fields.number("start");
      if (std::abs(start) > std::numeric_limits<float>::max())
        fields.fail("\"start\" is too large");
      parts.start = static_cast<float>(start);
      take_trees(array_prefix(g), source.arrays, parts);
      const double weight = fields.number("weight");
      if (!(weight > 0 && weight <= 1)) fields.fail("\"weight\" is not above 0 and up to 1");
      groups_.push_back({TreeModel(std::move(parts)), static_cast<float>(weight)});
    }
  }

  json write(ImputerArrays& arrays) const {
    json groups = json::array();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const TreeParts& parts = groups_[g].trees.parts();
      put_trees(array_prefix(g), parts, arrays);
      groups.push_back({{"weight", groups_[g].weight}, {"start", parts.start}});
    }
    return groups;
  }

  /// Writes the feature of these rows.
  void fill(InputMatrix& inputs, std::span<const std::size_t> rows, int threads) const {
    constexpr std::size_t kBlockRows = 1024;
    const std::size_t blocks = (rows.size() + kBlockRows - 1) / kBlockRows;
    const auto outputs = static_cast<std::size_t>(this->outputs());
    parallel_for(blocks, threads, [&](std::size_t block) {
      const std::size_t begin = block * kBlockRows;
      const auto own = rows.subspan(begin, std::min(kBlockRows, rows.size() - begin));
      const std::vector<float> predictors = others(inputs, own, feature_);
      const TreeRows tree_rows{predictors.data(), own.size(),
                               static_cast<int>(inputs.features) - 1};
      std::vector<float> said(own.size() * outputs), means(own.size() * outputs, 0.0F);
      for (const Group& group : groups_) {
        group.trees.predict(tree_rows, said, 1);
        for (std::size_t i = 0; i < said.size(); ++i) means[i] += group.weight * said[i];
      }
      for (std::size_t i = 0; i < own.size(); ++i) {
        inputs.values_of(own[i])[feature_] = decided({means.data() + i * outputs, outputs});
      }
    });
  }

 private:
  struct Group {
    TreeModel trees;
    float weight;  ///< Its share of the forest's trees.
  };

  std::string array_prefix(std::size_t group) const {
    return fmt::format("forest.{}.{}.", feature_, group);
  }
  TreeObjective objective() const {
    return categories_ > 2 ? TreeObjective::kSoftmax : TreeObjective::kSquaredError;
  }
  int outputs() const { return categories_ > 2 ? static_cast<int>(categories_) : 1; }

  TreeOptions tree_options(int columns) const {
    TreeOptions tree{.rounds = 1, .learning_rate = 1, .l2 = 0, .max_bins = 64, .threads = 1};
    tree.max_depth = 12;
    tree.row_share = 0.632;  // what a bootstrap sample holds
    // As in Breiman's forests. Of two categories, the mean of 0 and 1 is the share of the votes.
    tree.min_child_weight = categories_ > 0 ? 0 : 5;
    const double looked_at = categories_ > 0 ? std::sqrt(columns) : columns / 3.0;
    tree.split_column_share = std::max(looked_at, 1.0) / columns;
    tree.objective = objective();
    tree.classes = static_cast<int>(categories_);
    return tree;
  }

  float decided(std::span<const float> means) const {
    if (categories_ == 0) return means[0];
    if (categories_ == 2) return means[0] > 0.5F ? 1.0F : 0.0F;
    return static_cast<float>(std::max_element(means.begin(), means.end()) - means.begin());
  }

  std::size_t feature_;
  std::size_t categories_;  ///< 0 = a number.
  int trees_;
  std::vector<Group> groups_;
};

MissForestImputer::MissForestImputer(ImputerInputs space, const Table& train,
                                     const ImputerOptions& options)
    : MatrixImputer(std::move(space)) {
  constexpr int kMaxRounds = 10;
  const int max_rounds = options.max_rounds.value_or(kMaxRounds);
  InputMatrix filled = space_.read(train, options.threads);
  start_from_means(space_, filled);
  order_.resize(filled.features);
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    return filled.gap_counts[a] < filled.gap_counts[b];
  });
  forests_.resize(filled.features);

  const Random random(options.seed, Stream::kSplit);  // which rows each tree sees
  const auto grow = [&](std::size_t f, int round) -> std::shared_ptr<const Forest> {
    const Input& input = space_.inputs()[f];
    if (!can_be_learned(space_, f) || filled.gap_counts[f] == filled.rows) return nullptr;
    const std::vector<std::size_t> rows = rows_where(filled, f, false);
    return std::make_shared<const Forest>(
        filled, rows, f, categories_of(input), options, [&](std::size_t group) {
          return random.bits(static_cast<std::uint64_t>(round), static_cast<std::uint32_t>(f),
                             static_cast<std::uint32_t>(group));
        });
  };

  Difference previous;
  for (int round = 0; round < max_rounds; ++round) {
    const std::vector<float> old_values = filled.values;
    const auto old_forests = forests_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t f = order_[i];
      if (filled.gap_counts[f] == 0) continue;
      forests_[f] = grow(f, round);
      if (forests_[f]) forests_[f]->fill(filled, rows_where(filled, f, true), options.threads);
      if (options.progress) {
        // The forests of columns without gaps come last and count as one more round.
        const double rounds =
            round + static_cast<double>(i + 1) / static_cast<double>(order_.size());
        options.progress(rounds / (max_rounds + 1));
      }
    }
    const Difference difference = difference_of(space_, filled, old_values);
    if (round > 0 && difference.grows_over(previous)) {
      filled.values = old_values;
      forests_ = old_forests;
      break;
    }
    if (difference.is_none()) break;
    previous = difference;
  }
  for (std::size_t f = 0; f < filled.features; ++f) {
    if (filled.gap_counts[f] == 0) forests_[f] = grow(f, max_rounds);
    if (options.progress) {
      const double share = static_cast<double>(f + 1) / static_cast<double>(filled.features);
      options.progress((max_rounds + share) / (max_rounds + 1));
    }
  }
}

MissForestImputer::MissForestImputer(ImputerInputs space, std::vector<std::size_t> order,
                                     Forests forests)
    : MatrixImputer(std::move(space)), order_(std::move(order)), forests_(std::move(forests)) {}

std::unique_ptr<Imputer> MissForestImputer::read(ImputerSource source) {
  const JsonFields fields(source.json, "the imputer by forests", {"order", "forests"});
  const std::size_t features = source.space.inputs().size();
  const std::vector<std::int64_t> places =
      fields.wholes("order", 0, static_cast<std::int64_t>(features) - 1);
  const std::vector<std::size_t> order(places.begin(), places.end());
  std::vector<std::size_t> sorted(features);
  std::iota(sorted.begin(), sorted.end(), 0);
  if (!std::is_permutation(order.begin(), order.end(), sorted.begin(), sorted.end())) {
    fields.fail("\"order\" does not hold every feature once");
  }
  const json& said_forests = fields.array("forests");
  if (said_forests.size() != features) fields.fail("not as many forests as features");
  Forests forests(features);
  for (std::size_t f = 0; f < features; ++f) {
    if (said_forests[f].is_null()) continue;
    if (!can_be_learned(source.space, f)) fields.fail("a forest where nothing can be learned");
    forests[f] = std::make_shared<const Forest>(source, f, said_forests[f]);
  }
  return std::unique_ptr<Imputer>(
      new MissForestImputer(std::move(source.space), order, std::move(forests)));
}

json MissForestImputer::write(ImputerArrays& arrays) const {
  json forests = json::array();
  for (const auto& forest : forests_) forests.push_back(forest ? forest->write(arrays) : json());
  return {{"order", order_}, {"forests", std::move(forests)}};
}

void MissForestImputer::fill(InputMatrix& inputs, int threads) const {
  start_from_means(space_, inputs);
  std::vector<int> gaps_of_row(inputs.rows, 0);
  for (std::size_t row = 0; row < inputs.rows; ++row) {
    for (std::size_t f = 0; f < inputs.features; ++f) gaps_of_row[row] += inputs.gaps_of(row)[f];
  }
  std::vector<std::vector<std::size_t>> rows(inputs.features);
  for (std::size_t f = 0; f < inputs.features; ++f) {
    rows[f] = rows_where(inputs, f, true);
    // A row without inputs keeps the means: forests could only make up a case from them.
    std::erase_if(rows[f], [&](std::size_t row) {
      return static_cast<std::size_t>(gaps_of_row[row]) == inputs.features;
    });
  }
  for (int round = 0; round < kApplyRounds; ++round) {
    for (const std::size_t f : order_) {
      if (forests_[f] && !rows[f].empty()) forests_[f]->fill(inputs, rows[f], threads);
      // What is filled from known inputs alone stays as it is.
      std::erase_if(rows[f], [&](std::size_t row) { return gaps_of_row[row] == 1; });
    }
  }
}

}  // namespace knockout
