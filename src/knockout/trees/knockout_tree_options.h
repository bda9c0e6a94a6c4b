// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "knockout/base/option.h"

namespace knockout {

/// How boosted trees are trained with Knockout. Every field has a usable default.
struct KnockoutTreeOptions {
  // --- what is learned ---
  int members = 2;  ///< Boosters whose answers are averaged, each with other rows held out.
  /// Times that each row is shown, once as it is and then with inputs knocked out; absent = chosen
  /// from the size of the data.
  std::optional<int> copies = {};
  int rounds = 2000;  ///< At most; held-out rows decide.
  int depth = 6;
  double learning_rate = 0.1;
};

constexpr auto descriptions_of(const KnockoutTreeOptions*) {
  using T = KnockoutTreeOptions;
  constexpr std::string_view kTrees = "Trees";
  return std::tuple(
      option(&T::members, {.name = "members",
                           .value = "N",
                           .help = "Boosters whose answers are averaged",
                           .group = kTrees,
                           .range = {.low = 1, .high = 100},
                           .flag = "tree-members"}),
      option(&T::copies, {.name = "copies",
                          .value = "N",
                          .help = "Times that trees see each row, with other inputs knocked out",
                          .group = kTrees,
                          .unsaid = "8 to 3, fewer for more rows",
                          .range = {.low = 1, .high = 1000},
                          .flag = "tree-copies"}),
      option(&T::rounds, {.name = "rounds",
                          .value = "N",
                          .help = "At most so many rounds of boosting; held-out rows decide",
                          .group = kTrees,
                          .range = {.low = 1, .high = 100000},
                          .flag = "tree-rounds"}),
      option(&T::depth, {.name = "depth",
                         .value = "N",
                         .help = "Questions from a tree's root to its leaves, at most",
                         .group = kTrees,
                         .range = {.low = 1, .high = 16},
                         .flag = "tree-depth"}),
      option(&T::learning_rate, {.name = "learning_rate",
                                 .value = "RATE",
                                 .help = "How much of what a tree says is believed",
                                 .group = kTrees,
                                 .range = {.low = 0, .high = 1, .low_excluded = true},
                                 .flag = "tree-learning-rate"}));
}

}  // namespace knockout
