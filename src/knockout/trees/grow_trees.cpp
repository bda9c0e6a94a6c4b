// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/grow_trees.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/stop.h"

namespace knockout {
namespace {

/// XGBoost's reason without the place in its source and the stack trace.
std::string reason(std::string_view text) {
  text = text.substr(0, text.find("\nStack trace"));
  // "[00:01:02] ./src/data/data.cc:81: Check failed: ..."
  const std::size_t place = text.find(": ");
  if (text.starts_with('[') && place != std::string_view::npos) text.remove_prefix(place + 2);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

void check(int status) {
  if (status != 0) throw DataError(fmt::format("XGBoost refuses: {}", reason(XGBGetLastError())));
}

/// Dense rows as XGBoost reads them: JSON of NumPy's array interface.
std::string array_json(const float* values, std::size_t rows, int columns) {
  return fmt::format(R"({{"data": [{}, true], "shape": [{}, {}], "typestr": "<f4", "version": 3}})",
                     reinterpret_cast<std::uintptr_t>(values), rows, columns);
}

/// One of XGBoost's matrices: some of the rows, with their labels and weights.
class Matrix {
 public:
  Matrix(const TreeRows& rows, std::span<const float> labels, std::span<const float> weights,
         std::size_t begin, std::size_t end, int threads) {
    const std::string array = array_json(
        rows.values + begin * static_cast<std::size_t>(rows.columns), end - begin, rows.columns);
    check(XGDMatrixCreateFromDense(
        array.c_str(), fmt::format(R"({{"missing": NaN, "nthread": {}}})", threads).c_str(),
        &handle_));
    try {
      set("label", labels.subspan(begin, end - begin));
      if (!weights.empty()) set("weight", weights.subspan(begin, end - begin));
    } catch (...) {
      XGDMatrixFree(handle_);
      throw;
    }
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  DMatrixHandle handle() const { return handle_; }

 private:
  void set(const char* field, std::span<const float> numbers) {
    check(XGDMatrixSetFloatInfo(handle_, field, numbers.data(), numbers.size()));
  }

  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  /// For these matrices, whose predictions it updates with every round rather than afresh.
  explicit Booster(const std::vector<DMatrixHandle>& matrices) {
    check(XGBoosterCreate(matrices.data(), matrices.size(), &handle_));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  template <typename T>
  void set(const char* name, const T& value) {
    check(XGBoosterSetParam(handle_, name, fmt::format("{}", value).c_str()));
  }
  BoosterHandle handle() const { return handle_; }

 private:
  BoosterHandle handle_ = nullptr;
};

/// XGBoost's threads wait for each other several times a level: on few cells, one alone is faster.
int useful_threads(const TreeRows& rows, int threads) {
  constexpr std::size_t kCellsPerThread = 20000;
  const std::size_t cells = rows.rows * static_cast<std::size_t>(rows.columns);
  return static_cast<int>(std::clamp<std::size_t>(
      cells / kCellsPerThread, 1, static_cast<std::size_t>(resolve_threads(threads))));
}

/// What every tree starts from. Left to itself, XGBoost starts regressions from 0.5 and spends
/// its first rounds on getting to the mean.
double start_of(TreeObjective objective, std::span<const float> labels,
                std::span<const float> weights) {
  double sum = 0, total = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const double weight = weights.empty() ? 1.0 : weights[row];
    sum += weight * labels[row];
    total += weight;
  }
  const double mean = sum / total;
  if (!std::isfinite(mean)) return 0.5;  // XGBoost says what is wrong with the labels
  return objective == TreeObjective::kLogistic ? std::clamp(mean, 1e-3, 1.0 - 1e-3) : mean;
}

const char* objective_name(TreeObjective objective) {
  switch (objective) {
    case TreeObjective::kLogistic:
      return "binary:logistic";
    case TreeObjective::kSoftmax:
      return "multi:softprob";
    case TreeObjective::kSquaredError:
      break;
  }
  return "reg:squarederror";
}

const char* metric_name(TreeObjective objective) {
  switch (objective) {
    case TreeObjective::kLogistic:
      return "logloss";
    case TreeObjective::kSoftmax:
      return "mlogloss";
    case TreeObjective::kSquaredError:
      break;
  }
  return "rmse";
}

void configure(Booster& booster, const TreeOptions& options, double start, int threads) {
  booster.set("verbosity", 0);
  booster.set("objective", objective_name(options.objective));
  booster.set("eval_metric", metric_name(options.objective));
  if (options.objective == TreeObjective::kSoftmax) booster.set("num_class", options.classes);
  booster.set("base_score", start);
  booster.set("tree_method", "hist");
  booster.set("max_bin", options.max_bins);
  booster.set("num_parallel_tree", options.trees_per_round);
  booster.set("learning_rate", options.learning_rate);
  booster.set("max_depth", options.max_depth);
  booster.set("min_child_weight", options.min_child_weight);
  booster.set("subsample", options.row_share);
  booster.set("colsample_bynode", options.split_column_share);
  booster.set("lambda", options.l2);
  booster.set("seed", (options.seed ^ (options.seed >> 31)) & 0x7fffffffU);  // an int to XGBoost
  booster.set("nthread", threads);
}

/// The loss on held-out rows after a round, which XGBoost prints: "[3]\theld-out-rmse:0.25".
double loss_after(int round, const Booster& booster, const Matrix& held_out) {
  DMatrixHandle matrix = held_out.handle();
  const char* name = "held-out";
  const char* text = nullptr;
  check(XGBoosterEvalOneIter(booster.handle(), round, &matrix, &name, 1, &text));
  const std::string line(text);
  // XGBoost prints with a stream, whose numbers look as the program's locale says; a stream reads
  // them by the same rules, whatever stands for the point.
  std::istringstream stream(line.substr(line.rfind(':') + 1));
  double loss = 0;
  return stream >> loss ? loss : std::numeric_limits<double>::quiet_NaN();
}

/// Grows all rounds, or until `patience` rounds brought no progress. Returns how many to keep.
int grow(const Booster& booster, const Matrix& learned, const Matrix* held_out,
         const TreeOptions& options) {
  double best_loss = std::numeric_limits<double>::infinity();
  int best_rounds = 0;
  for (int round = 0; round < options.rounds; ++round) {
    throw_if_stopped();
    check(XGBoosterUpdateOneIter(booster.handle(), round, learned.handle()));
    if (held_out == nullptr) continue;
    const double loss = loss_after(round, booster, *held_out);
    if (loss < best_loss) {
      best_loss = loss;
      best_rounds = round + 1;
    } else if (options.patience > 0 && round + 1 - best_rounds >= options.patience) {
      break;
    }
  }
  return best_rounds > 0 ? best_rounds : options.rounds;
}

/// The model as XGBoost writes it.
nlohmann::json written_by(const Booster& booster) {
  bst_ulong size = 0;
  const char* bytes = nullptr;
  check(XGBoosterSaveModelToBuffer(booster.handle(), R"({"format": "ubj"})", &size, &bytes));
  return nlohmann::json::from_ubjson(bytes, bytes + size);
}

/// Adds a tree with its nodes in our order: a node's children stand side by side, after it.
void add_tree(const nlohmann::json& tree, int output, TreeParts& parts) {
  const auto lefts = tree.at("left_children").get<std::vector<int>>();
  const auto rights = tree.at("right_children").get<std::vector<int>>();
  const auto columns = tree.at("split_indices").get<std::vector<int>>();
  const auto thresholds = tree.at("split_conditions").get<std::vector<float>>();
  const auto gaps_left = tree.at("default_left").get<std::vector<int>>();
  struct Copied {
    std::size_t from, to;
  };
  std::vector<Copied> copied = {{0, parts.nodes.size()}};
  parts.roots.push_back({static_cast<std::int32_t>(parts.nodes.size()), output});
  parts.nodes.emplace_back();
  while (!copied.empty()) {
    const auto [from, to] = copied.back();
    copied.pop_back();
    TreeNode node{.threshold = thresholds[from]};
    if (lefts[from] >= 0) {
      const std::size_t left = parts.nodes.size();
      node.left = static_cast<std::int32_t>(left);
      node.column = columns[from];
      node.gap_goes_left = gaps_left[from] != 0 ? 1 : 0;
      parts.nodes.resize(left + 2);
      copied.push_back({static_cast<std::size_t>(rights[from]), left + 1});
      copied.push_back({static_cast<std::size_t>(lefts[from]), left});
    }
    parts.nodes[to] = node;
  }
}

/// XGBoost starts classifiers of two classes from the log-odds.
float margin_of(TreeObjective objective, double start) {
  const auto score = static_cast<float>(start);
  return objective == TreeObjective::kLogistic ? -std::log(1.0F / score - 1.0F) : score;
}

/// The trees of the first rounds.
TreeModel trees_of(const Booster& booster, int rounds, int columns, double start,
                   const TreeOptions& options) {
  TreeParts parts;
  parts.objective = options.objective;
  parts.columns = columns;
  parts.outputs = options.objective == TreeObjective::kSoftmax ? options.classes : 1;
  parts.rounds = rounds;
  parts.start = margin_of(options.objective, start);
  const nlohmann::json written = written_by(booster);
  const nlohmann::json& model = written.at("learner").at("gradient_booster").at("model");
  const nlohmann::json& outputs = model.at("tree_info");
  const auto kept = static_cast<std::size_t>(rounds) *
                    static_cast<std::size_t>(options.trees_per_round * parts.outputs);
  for (std::size_t t = 0; t < kept; ++t) {
    add_tree(model.at("trees").at(t), outputs.at(t).get<int>(), parts);
  }
  return TreeModel(std::move(parts));
}

/// XGBoost prints nothing from this thread, until what was set before is set again.
class Quiet {
 public:
  Quiet() {
    const char* before = nullptr;
    check(XGBGetGlobalConfig(&before));
    before_ = before;
    check(XGBSetGlobalConfig(R"({"verbosity": 0})"));
  }
  ~Quiet() { XGBSetGlobalConfig(before_.c_str()); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::string before_;
};

}  // namespace

TreeModel grow_trees(const TreeRows& rows, std::span<const float> labels,
                     std::span<const float> weights, std::size_t validation_rows,
                     const TreeOptions& options) {
  if (rows.columns < 1 || validation_rows >= rows.rows) {
    throw DataError(
        fmt::format("Trees have nothing to learn from: {} rows, {} of them held out, and {} "
                    "columns.\n  Give more rows or hold out fewer.",
                    rows.rows, validation_rows, rows.columns));
  }
  const Quiet quiet;
  const int threads = useful_threads(rows, options.threads);
  const std::size_t learned_rows = rows.rows - validation_rows;
  const Matrix learned(rows, labels, weights, 0, learned_rows, threads);
  std::vector<DMatrixHandle> matrices = {learned.handle()};
  std::unique_ptr<const Matrix> held_out;
  if (validation_rows > 0) {
    held_out =
        std::make_unique<const Matrix>(rows, labels, weights, learned_rows, rows.rows, threads);
    matrices.push_back(held_out->handle());
  }
  Booster booster(matrices);
  const double start = start_of(options.objective, labels.first(learned_rows),
                                weights.empty() ? weights : weights.first(learned_rows));
  configure(booster, options, start, threads);
  const int rounds = grow(booster, learned, held_out.get(), options);
  return trees_of(booster, rounds, rows.columns, start, options);
}

}  // namespace knockout
