// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/base/option.h"
#include "knockout/data/table.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// A fitted imputer: fills the gaps of a table's inputs from what it learned of the training table.
/// Applying it learns nothing, so a test row never leaks into its own filling, and a row's filling
/// does not depend on the other rows of its table. Thread-safe.
///   auto imputer = fit_imputer(ImputerKind::kMice, train, schema);
///   Table filled = imputer->apply(test);
class Imputer {
 public:
  virtual ~Imputer() = default;

  /// A copy in which every cell of every feature of the schema is observed: numbers for continuous
  /// columns, one of the schema's categories for categorical ones, dates as dates. Features that
  /// the table lacks are added and filled; other columns (targets, weights) stay as they are. Any
  /// pattern of gaps is filled, seen in training or not, a wholly missing row too. Throws DataError
  /// like Encoder::encode for cells that the schema cannot read.
  virtual Table apply(const Table& table, int threads = 0) const = 0;

  /// All that was learned; imputer_from_bytes() makes an imputer of it that fills alike, to the
  /// bit.
  virtual std::string to_bytes() const = 0;
  /// Writes to a temporary file and renames it (FileError).
  void save(const std::string& path) const;
};

/// Throws ModelFileError with the reason for bytes that are damaged, hostile, newer, or no imputer
/// at all; `source` names them in messages.
std::unique_ptr<Imputer> imputer_from_bytes(std::string_view bytes,
                                            const std::string& source = "the imputer");
/// Throws FileError too, if the file is unreadable.
std::unique_ptr<Imputer> load_imputer(const std::string& path);

enum class ImputerKind {
  kMean,  ///< Mean, or the most frequent category.
  /// Mean or mode of the nearest training rows, by the distance of Dixon (1979) over the inputs
  /// that both rows have.
  kKnn,
  kLinear,      ///< Linear regression on the inputs that the row has, for any pattern.
  kMice,        ///< Chained equations, each a Bayesian ridge regression (van Buuren 2011).
  kMissForest,  ///< Chained random forests (Stekhoven and Buehlmann 2012).
};
std::string_view to_string(ImputerKind kind);
/// All of them.
std::vector<ImputerKind> imputer_kinds();

/// Every field has a usable default.
struct ImputerOptions {
  // --- what is learned ---
  int neighbors = 5;  ///< kNN.
  /// MICE and missForest stop when settled, or after so many rounds. Unless said: for MICE 100 to
  /// 10, the wider the table the fewer, for missForest 10.
  std::optional<int> max_rounds;
  double tolerance = 1e-3;  ///< MICE has settled when no cell moves by more standard deviations.
  int trees = 100;          ///< missForest: trees per forest.
  std::uint64_t seed = 0;
  // --- how fast ---
  int threads = 0;  ///< 0 = all cores. Never changes the result.
  std::function<void(double share_done)> progress = {};
  std::stop_token stop = {};  ///< Ends the work with Cancelled.
};

constexpr auto descriptions_of(const ImputerOptions*) {
  using I = ImputerOptions;
  constexpr std::string_view kCompared = "What is compared";
  constexpr NumberRange kCount{.low = 1};
  return std::tuple(
      option(&I::trees, {.name = "trees",
                         .value = "N",
                         .help = "missForest: trees per forest",
                         .group = kCompared,
                         .range = kCount}),
      option(&I::neighbors, {.name = "neighbors",
                             .value = "N",
                             .help = "kNN: rows averaged",
                             .group = kCompared,
                             .range = kCount}),
      option(&I::max_rounds,
             {.name = "max_rounds",
              .value = "N",
              .help = "MICE and missForest: at most so many rounds",
              .unsaid = "100 to 10, the wider the table the fewer; 10 for missForest",
              .range = kCount}),
      option(&I::tolerance,
             {.name = "tolerance",
              .value = "STDDEVS",
              .help = "MICE has settled when no cell moves by more standard deviations",
              .range = {.low = 0}}),
      option(&I::seed, {.name = "seed", .value = "N", .help = "Same seed, same imputer"}),
      option(&I::threads, {.name = "threads",
                           .value = "N",
                           .help = "0 = all cores. Never changes the result",
                           .range = {.low = 0},
                           .learned = Learned::kNo}));
}
constexpr auto undescribed_of(const ImputerOptions*) {
  return std::tuple(&ImputerOptions::progress, &ImputerOptions::stop);
}

/// Learns from the observed cells of the training table's inputs; its targets are not looked at.
/// Throws DataError for cells that the schema cannot read, ConfigError for impossible options.
std::unique_ptr<Imputer> fit_imputer(ImputerKind kind, const Table& train, const Schema& schema,
                                     const ImputerOptions& options = {});

}  // namespace knockout
