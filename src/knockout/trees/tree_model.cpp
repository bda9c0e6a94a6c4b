// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/tree_model.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"

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

  /// The first rounds alone, without what training leaves behind: histograms of every node, which
  /// take a thousand times the memory of the trees.
  Booster first_rounds(int rounds) const {
    BoosterHandle kept = nullptr;
    check(XGBoosterSlice(handle_, 0, rounds, 1, &kept));
    return Booster(kept);
  }

 private:
  explicit Booster(BoosterHandle handle) : handle_(handle) {}

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
  return std::strtod(text + std::string_view(text).rfind(':') + 1, nullptr);
}

/// Grows all rounds, or until `patience` rounds brought no progress. Returns how many to keep.
int grow(const Booster& booster, const Matrix& learned, const Matrix* held_out,
         const TreeOptions& options) {
  double best_loss = std::numeric_limits<double>::infinity();
  int best_rounds = 0;
  for (int round = 0; round < options.rounds; ++round) {
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

}  // namespace

/// Zeros: everything, and no cache.
constexpr char kPredictJson[] =
    R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, )"
    R"("strict_shape": true, "cache_id": 0, "missing": NaN})";

struct TreeModel::State {
  Booster booster;
  int outputs = 1;
  int columns = 0;
  int rounds = 0;

  /// On the calling thread alone.
  void predict(const float* values, std::size_t rows, float* out) const {
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* predictions = nullptr;  // in memory that XGBoost keeps for this thread
    check(XGBoosterPredictFromDense(booster.handle(), array_json(values, rows, columns).c_str(),
                                    kPredictJson, nullptr, &shape, &dimensions, &predictions));
    std::copy_n(predictions, rows * static_cast<std::size_t>(outputs), out);
  }
};

TreeModel::TreeModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
TreeModel::TreeModel(TreeModel&&) noexcept = default;
TreeModel& TreeModel::operator=(TreeModel&&) noexcept = default;
TreeModel::~TreeModel() = default;

TreeModel TreeModel::train(const TreeRows& rows, std::span<const float> labels,
                           std::span<const float> weights, std::size_t validation_rows,
                           const TreeOptions& options) {
  if (rows.columns < 1 || validation_rows >= rows.rows) {
    throw DataError(
        fmt::format("Trees have nothing to learn from: {} rows, {} of them held out, and {} "
                    "columns.\n  Give more rows or hold out fewer.",
                    rows.rows, validation_rows, rows.columns));
  }
  const int threads = useful_threads(rows, options.threads);
  const std::size_t learned_rows = rows.rows - validation_rows;
  check(XGBSetGlobalConfig(R"({"verbosity": 0})"));  // of this thread; the library prints nothing
  const Matrix learned(rows, labels, weights, 0, learned_rows, threads);
  std::vector<DMatrixHandle> matrices = {learned.handle()};
  std::unique_ptr<const Matrix> held_out;
  if (validation_rows > 0) {
    held_out =
        std::make_unique<const Matrix>(rows, labels, weights, learned_rows, rows.rows, threads);
    matrices.push_back(held_out->handle());
  }

  Booster grown(matrices);
  const double start = start_of(options.objective, labels.first(learned_rows),
                                weights.empty() ? weights : weights.first(learned_rows));
  configure(grown, options, start, threads);
  const int rounds = grow(grown, learned, held_out.get(), options);
  const int outputs = options.objective == TreeObjective::kSoftmax ? options.classes : 1;
  std::unique_ptr<State> state(
      new State{grown.first_rounds(rounds), outputs, rows.columns, rounds});
  // Predictions share rows among our own threads. XGBoost takes note of the new setting at the next
  // prediction: made here, so that all later ones only read.
  state->booster.set("nthread", 1);
  state->booster.set("verbosity", 0);
  std::vector<float> unused(static_cast<std::size_t>(state->outputs));
  state->predict(rows.values, 1, unused.data());
  return TreeModel(std::move(state));
}

void TreeModel::predict(const TreeRows& rows, std::span<float> out, int threads) const {
  constexpr std::size_t kBlockRows = 512;
  const std::size_t columns = static_cast<std::size_t>(rows.columns);
  const std::size_t outputs = static_cast<std::size_t>(state_->outputs);
  const std::size_t blocks = (rows.rows + kBlockRows - 1) / kBlockRows;
  parallel_for(blocks, threads, [&](std::size_t block) {
    const std::size_t begin = block * kBlockRows;
    const std::size_t count = std::min(kBlockRows, rows.rows - begin);
    state_->predict(rows.values + begin * columns, count, out.data() + begin * outputs);
  });
}

int TreeModel::outputs() const { return state_->outputs; }
int TreeModel::rounds() const { return state_->rounds; }

}  // namespace knockout
