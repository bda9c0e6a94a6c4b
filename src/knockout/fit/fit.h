// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/base/limits.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/model.h"
#include "knockout/networks/train_options.h"
#include "knockout/networks/train_progress.h"
#include "knockout/schema/infer.h"
#include "knockout/trees/knockout_tree_options.h"

namespace knockout {

struct FitReport;

/// What a model is made of.
enum class Learners {
  kAuto,      ///< Networks, until more is measured.
  kNetworks,  ///< Networks alone: a small file that answers fast.
  kTrees,     ///< Boosted trees alone.
  kBoth,      ///< Networks and trees, averaged as held-out rows say.
};
// The names are part of the model format: never change one.
constexpr auto names_of(Learners) {
  return std::array{EnumName<Learners>{"auto", Learners::kAuto},
                    EnumName<Learners>{"networks", Learners::kNetworks},
                    EnumName<Learners>{"trees", Learners::kTrees},
                    EnumName<Learners>{"both", Learners::kBoth}};
}

/// Everything a fit can be told. Every field has a usable default but the target.
struct FitOptions {
  SchemaOptions schema = {};
  EncodeOptions encode = {};
  KnockoutOptions knockout = {};
  /// Rows that show how data go missing where the model will be used.
  std::optional<Table> expect_missing = {};
  ClassWeights class_weights = {};
  bool raw_targets = false;  ///< Numbers are learned as they are; otherwise standardised.
  /// What stands for gaps of numbers is searched for, on their own axes: short trainings with one
  /// after the other, judged on held-out rows. The paper names it as future work.
  bool search_placeholders = false;
  Learners learners = Learners::kAuto;
  TrainOptions train = {};  ///< Of networks; seed, threads and time limit of all.
  KnockoutTreeOptions trees = {};
  Limits limits = {};  ///< What a training may take.
  /// Called once, from the caller's thread, when the table is understood and before training
  /// starts: what a person should hear in time. The report lacks what only training tells. What it
  /// throws ends the fit.
  std::function<void(const FitReport&)> on_prepared = {};
};

/// Those that are not in a struct of their own.
constexpr auto descriptions_of(const FitOptions*) {
  return std::tuple(
      option(&FitOptions::learners,
             {.name = "learners",
              .help = "What learns: networks, boosted trees, or both, averaged as held-out rows "
                      "say",
              .group = "What is learned"}),
      option(&FitOptions::class_weights,
             {.name = "class_weights",
              .value = "WEIGHTS",
              .help = "How much each class counts in training: equal, balanced, or yes=3,no=1",
              .group = "What is learned",
              .unsaid = "equal",
              .range = {.low = 0, .high = 1e9}}),
      option(&FitOptions::raw_targets,
             {.name = "raw_targets",
              .help = "Learn numbers as they are. By default they are standardised, so that one "
                      "learning rate suits every unit of measure",
              .group = "What is learned"}),
      option(&FitOptions::search_placeholders,
             {.name = "search_placeholders",
              .help = "What stands for gaps of numbers is searched for on the columns' own axes, "
                      "by short trainings that are judged on held-out rows",
              .group = "How columns become numbers"}));
}
constexpr auto undescribed_of(const FitOptions*) {
  using F = FitOptions;
  return std::tuple(&F::schema, &F::encode, &F::knockout, &F::expect_missing, &F::train, &F::trees,
                    &F::limits, &F::on_prepared);
}

/// What networks did on rows that they had not learned from, with so many inputs missing.
struct HeldOutLevel {
  /// One target: sums over the judged rows that have a label. Rows count alike, whatever they
  /// weighed in training.
  struct Score {
    std::size_t rows = 0;
    double loss = 0;    ///< Squared errors in the target's units, or log losses.
    double errors = 0;  ///< Classes: rows whose most probable class was wrong.
  };
  std::size_t missing = 0;  ///< Inputs, a group counting as one: gaps of the row and knocked out.
  std::vector<Score> targets;  ///< One per target.
};

/// What a person should hear about a fit.
struct FitReport {
  InferredSchema inferred;
  std::vector<std::string> notes;  ///< From the encoder: moved placeholders, clipped columns.
  std::size_t rows = 0, rows_without_label = 0;
  ResolvedTraining train;
  std::string cost;  ///< In words, before it starts; "" = nothing that is worth a word.
  std::vector<NetworkReport> members;  ///< Networks; none = trees alone.
  std::vector<int> tree_rounds;        ///< Of each booster and target; none = networks alone.
  std::vector<double> weights;         ///< Of networks and trees, where there are both.
  std::vector<HeldOutLevel> held_out;  ///< How good it was, by the number of missing inputs.
  std::uint64_t resumed_steps = 0;     ///< Of all networks, taken before an interruption.
  double seconds = 0;
};

struct FitResult {
  Model model;
  FitReport report;
};

/// From a table with gaps to a model: infers the schema, encodes, trains.
/// Deterministic in table and options, whatever the number of threads.
///   FitResult fitted = fit(read_csv("train.csv"), {.schema = {.targets = {"y"}}});
///   fitted.model.save("model.safetensors");
/// Throws ConfigError when the training would take more memory than `options.limits` allow, before
/// it takes any, and Cancelled when `options.train.stop` asks for it: before anything is done,
/// while the table is prepared, or at any step.
FitResult fit(const Table& table, const FitOptions& options, const ProgressFunction& progress = {});

/// The same for one target, in the place of those that `options` name.
///   const Model model = fit(table, "y").model;
FitResult fit(const Table& table, std::string_view target, FitOptions options = {},
              const ProgressFunction& progress = {});

/// The same for a table whose columns mean what `inferred` says, as understand() gives both;
/// `options.schema` is not looked at.
FitResult fit(const Table& table, const InferredSchema& inferred, const FitOptions& options,
              const ProgressFunction& progress = {});

}  // namespace knockout
