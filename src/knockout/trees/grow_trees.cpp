// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/grow_trees.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <exception>
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

void set_floats(DMatrixHandle matrix, const char* field, std::span<const float> numbers) {
  check(XGDMatrixSetFloatInfo(matrix, field, numbers.data(), numbers.size()));
}

/// Hands batches to XGBoost, which asks for each of them several times.
class BatchFeed {
 public:
  explicit BatchFeed(TreeBatches& batches) : batches_(batches) {
    check(XGProxyDMatrixCreate(&proxy_));
  }
  ~BatchFeed() { XGDMatrixFree(proxy_); }
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  DMatrixHandle proxy() const { return proxy_; }
  /// What went wrong in a batch: an exception cannot pass through XGBoost.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  static void reset(DataIterHandle feed) { static_cast<BatchFeed*>(feed)->next_ = 0; }
  /// 1 = there is another batch, 0 = that was all.
  static int next(DataIterHandle feed) { return static_cast<BatchFeed*>(feed)->hand_over(); }

 private:
  int hand_over() {
    if (failure_ || next_ == batches_.count()) return 0;
    try {
      throw_if_stopped();
      const TreeBatches::Batch batch = batches_.batch(next_);
      const std::string array = array_json(batch.rows.values, batch.rows.rows, batch.rows.columns);
      check(XGProxyDMatrixSetDataDense(proxy_, array.c_str()));
      set_floats(proxy_, "label", batch.labels);
      if (!batch.weights.empty()) set_floats(proxy_, "weight", batch.weights);
    } catch (...) {
      failure_ = std::current_exception();
      return 0;
    }
    ++next_;
    return 1;
  }

  TreeBatches& batches_;
  DMatrixHandle proxy_ = nullptr;
  std::size_t next_ = 0;
  std::exception_ptr failure_;
};

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
      set_floats(handle_, "label", labels.subspan(begin, end - begin));
      if (!weights.empty()) set_floats(handle_, "weight", weights.subspan(begin, end - begin));
    } catch (...) {
      XGDMatrixFree(handle_);
      throw;
    }
  }
  /// Rows that XGBoost sorts into bins as they come, and then forgets.
  Matrix(TreeBatches& batches, int max_bins, int threads) {
    BatchFeed feed(batches);
    const std::string config =
        fmt::format(R"({{"missing": NaN, "nthread": {}, "max_bin": {}}})", threads, max_bins);
    const int status = XGQuantileDMatrixCreateFromCallback(
        &feed, feed.proxy(), nullptr, BatchFeed::reset, BatchFeed::next, config.c_str(), &handle_);
    feed.rethrow();  // our own reason comes first
    check(status);
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  DMatrixHandle handle() const { return handle_; }

 private:
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

/// The weighted mean of labels that come in parts.
struct LabelMean {
  double sum = 0, total = 0;

  void add(std::span<const float> labels, std::span<const float> weights) {
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const double weight = weights.empty() ? 1.0 : weights[row];
      sum += weight * labels[row];
      total += weight;
    }
  }
};

/// What every tree starts from. Left to itself, XGBoost starts regressions from 0.5 and spends
/// its first rounds on getting to the mean.
double start_of(TreeObjective objective, const LabelMean& labels) {
  const double mean = labels.sum / labels.total;
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
         const TreeOptions& options, const RoundFunction& after_round) {
  double best_loss = std::numeric_limits<double>::infinity();
  int best_rounds = 0, grown = 0;
  for (int round = 0; round < options.rounds; ++round) {
    throw_if_stopped();
    check(XGBoosterUpdateOneIter(booster.handle(), round, learned.handle()));
    grown = round + 1;
    if (held_out != nullptr) {
      const double loss = loss_after(round, booster, *held_out);
      if (loss < best_loss) {
        best_loss = loss;
        best_rounds = grown;
      } else if (options.patience > 0 && grown - best_rounds >= options.patience) {
        break;
      }
    }
    if (after_round && !after_round(grown)) break;
  }
  return best_rounds > 0 ? best_rounds : grown;
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

TreeModel boost(const Matrix& learned, const Matrix* held_out, int columns, double start,
                int threads, const TreeOptions& options, const RoundFunction& after_round) {
  std::vector<DMatrixHandle> matrices = {learned.handle()};
  if (held_out != nullptr) matrices.push_back(held_out->handle());
  Booster booster(matrices);
  configure(booster, options, start, threads);
  const int rounds = grow(booster, learned, held_out, options, after_round);
  return trees_of(booster, rounds, columns, start, options);
}

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
  LabelMean mean;
  mean.add(labels.first(learned_rows), weights.empty() ? weights : weights.first(learned_rows));
  std::unique_ptr<const Matrix> held_out;
  if (validation_rows > 0) {
    held_out =
        std::make_unique<const Matrix>(rows, labels, weights, learned_rows, rows.rows, threads);
  }
  return boost(learned, held_out.get(), rows.columns, start_of(options.objective, mean), threads,
               options, {});
}

TreeModel grow_trees(TreeBatches& learned, const TreeBatches::Batch& held_out,
                     const TreeOptions& options, const RoundFunction& after_round) {
  const Quiet quiet;
  LabelMean mean;
  int columns = 0;
  std::size_t rows = 0;
  for (std::size_t b = 0; b < learned.count(); ++b) {
    const TreeBatches::Batch batch = learned.batch(b);
    mean.add(batch.labels, batch.weights);
    columns = batch.rows.columns;
    rows += batch.rows.rows;
  }
  if (rows == 0 || columns < 1) throw DataError("Trees have nothing to learn from: no rows.");
  const int threads = useful_threads({.rows = rows, .columns = columns}, options.threads);
  const Matrix matrix(learned, options.max_bins, threads);
  std::unique_ptr<const Matrix> judged;
  if (held_out.rows.rows > 0) {
    judged = std::make_unique<const Matrix>(held_out.rows, held_out.labels, held_out.weights, 0,
                                            held_out.rows.rows, threads);
  }
  return boost(matrix, judged.get(), columns, start_of(options.objective, mean), threads, options,
               after_round);
}

}  // namespace knockout
