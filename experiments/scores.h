// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/study.h"

namespace knockout::experiments {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();  ///< Undefined.

/// A figure of the paper.
struct PaperFigure {
  double mean = 0;
  std::optional<double> deviation = {};  ///< As the paper gives it, behind its plus-minus sign.
};

/// What a method reached under every pattern of missing inputs, in every repetition.
struct MethodScores {
  std::string method, label;                           ///< "knockout", "Knockout"
  std::vector<std::vector<double>> values;             ///< [pattern][repetition]; NaN = undefined.
  std::vector<std::optional<PaperFigure>> paper = {};  ///< Per pattern; empty = none given.
};

/// A table of a study: methods against patterns.
struct Scores {
  std::string metric;  ///< "F1"
  bool higher_is_better = true;
  int digits = 3;
  double unit = 1;                    ///< Multiplies what is printed: 100 for percent.
  std::string repetition_name;        ///< "seeds"
  std::vector<std::string> patterns;  ///< "Aerial+Street", "Aerial": what is there, or what is not.
  /// The pattern with everything there; none when the study has no such pattern.
  std::optional<std::size_t> complete;
  std::vector<MethodScores> methods;
};

/// Mean and standard deviation over the repetitions, and below each method the paper's figures. The
/// best of each column are set in bold.
report::Table score_table(const Scores& scores, const std::string& caption);

/// One mark per method and pattern, with the 95 % interval over the repetitions.
report::LineChart score_chart(const Scores& scores, const std::string& title);

/// How much better one method is than another, repetition by repetition.
struct Gain {
  Repeated missing;   ///< Mean over the patterns with something missing.
  Repeated complete;  ///< With everything there; NaN without such a pattern.
};
/// REQUIRES: both are among the methods.
Gain gain_over(const Scores& scores, const std::string& method, const std::string& rival);

/// One sentence per rival: by how much `method` is ahead or behind, with intervals.
std::string verdict(const Scores& scores, const std::string& method,
                    const std::vector<std::string>& rivals);

/// Every value, the means, the paper's figures, and the gains of `method` over all others.
nlohmann::ordered_json scores_json(const Scores& scores, const std::string& method);

}  // namespace knockout::experiments
