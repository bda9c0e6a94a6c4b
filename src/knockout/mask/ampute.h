// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "knockout/base/option.h"
#include "knockout/data/table.h"

namespace knockout {

enum class Mechanism {
  kMcar,  ///< Completely at random.
  kMar,   ///< Depends on other columns, which stay as they are.
  kMnar,  ///< Depends on the value that goes missing.
};
constexpr auto names_of(Mechanism) {
  return std::array{EnumName<Mechanism>{"mcar", Mechanism::kMcar},
                    EnumName<Mechanism>{"mar", Mechanism::kMar},
                    EnumName<Mechanism>{"mnar", Mechanism::kMnar}};
}

/// How cells are removed from a table, to make data with gaps of a known kind.
struct AmputeOptions {
  Mechanism mechanism = Mechanism::kMcar;
  double rate = 0.3;  ///< Share of the observed cells of each amputed column that go missing.
  std::vector<std::string> columns = {};  ///< Which lose cells; empty = all but `keep`. `*` works.
  std::vector<std::string> keep = {};     ///< Never amputed: targets, keys.
  /// MNAR: a logistic draw in the value. False: the values above the (1 - rate) quantile go
  /// missing, as in the paper ("above the 90th percentile" is rate 0.1).
  bool smooth = false;
  /// MAR: columns whose values drive the gaps and which lose no cells themselves. Empty = the
  /// columns that are neither in `columns` nor in `keep`; when `columns` is empty too, a random
  /// half of the columns drives and the other half loses cells.
  std::vector<std::string> drivers = {};
  std::uint64_t seed = 0;
  /// What drives the gaps (which columns, with which sign, the number of a word) is drawn from this
  /// seed, so that two tables can lose cells by the same mechanism; unset = `seed`.
  std::optional<std::uint64_t> mechanism_seed = {};
};

constexpr auto descriptions_of(const AmputeOptions*) {
  using A = AmputeOptions;
  constexpr std::string_view kWhat = "Which cells go missing";
  return std::tuple(
      option(&A::mechanism,
             {.name = "mechanism",
              .help = "mcar: by chance; mar: depending on other columns; mnar: depending on the "
                      "value itself",
              .group = kWhat,
              .learned = Learned::kNo}),
      option(&A::rate, {.name = "rate",
                        .value = "SHARE",
                        .help = "Share of the cells of a column",
                        .group = kWhat,
                        .range = {.low = 0, .high = 1, .high_excluded = true},
                        .learned = Learned::kNo}),
      option(&A::columns, {.name = "columns",
                           .value = "COLS",
                           .help = "Columns that lose cells",
                           .group = kWhat,
                           .unsaid = "all",
                           .learned = Learned::kNo}),
      option(&A::keep, {.name = "keep",
                        .value = "COLS",
                        .help = "Columns that lose none: the target, keys",
                        .group = kWhat,
                        .unsaid = "none",
                        .learned = Learned::kNo}),
      option(&A::drivers, {.name = "drivers",
                           .value = "COLS",
                           .help = "mar: columns that decide and lose no cells",
                           .group = kWhat,
                           .unsaid = "a random half",
                           .learned = Learned::kNo}),
      option(&A::smooth, {.name = "smooth",
                          .help = "mnar: larger values are likelier to go missing, instead of all "
                                  "above a quantile",
                          .group = kWhat,
                          .learned = Learned::kNo}),
      option(&A::seed, {.name = "seed",
                        .value = "N",
                        .help = "Same seed, same gaps",
                        .group = "Everywhere",
                        .learned = Learned::kNo}),
      option(&A::mechanism_seed,
             {.name = "mechanism_seed",
              .value = "N",
              .help = "Of what drives the gaps, so that two tables lose cells by the same rule",
              .unsaid = "the seed",
              .learned = Learned::kNo}));
}

/// A copy of the table with cells removed. Cells already missing stay missing. A pure function of
/// table and options. Throws ConfigError for impossible options, DataError when every driver is
/// constant.
///
/// MCAR: each cell goes missing with probability `rate`.
/// MAR: a cell goes missing with probability logistic(intercept + 2 * score), where the score is a
///   sum of the standardised drivers with random signs, itself standardised, and the intercept
///   makes the mean probability `rate`. Gaps must depend on observed values only, so a driver keeps
///   all its cells (Muzellec et al. 2020 make MAR data likewise); where it had gaps before, it
///   counts as average.
/// MNAR: the largest values go missing, as many as lie above the quantile when all values differ
///   (numpy's linear interpolation); among equal values at the quantile, chance decides. Or each
///   with probability logistic(intercept + 2 * standardised value).
/// Words count as numbers drawn for each word, the same in all rows: under MNAR, whole categories
/// go missing.
Table ampute(const Table& table, const AmputeOptions& options);

}  // namespace knockout
