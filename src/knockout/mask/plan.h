// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/option.h"

namespace knockout {

/// p(M) as a value: which units a training row loses, and how often. A mixture of simple parts;
/// each row of each step first chooses a part by weight, then draws its mask from it.
struct KnockoutPlan {
  /// Units that tend to go missing together. A unit of the set follows the set's common draw with
  /// probability `strength` and its own otherwise, so that its own rate stays what it was.
  struct CorrelatedSet {
    std::vector<int> units;
    double strength = 1.0;
  };

  struct Pattern {
    std::vector<int> missing_units;  ///< Ascending.
    double weight = 1.0;
  };

  /// One part of the mixture, in one of three forms: `patterns` if there are any, otherwise
  /// `unit_rates` if there are any, otherwise the row rate.
  struct Part {
    double weight = 1.0;
    /// Independent rates, one per unit (all 0 = complete rows).
    std::vector<double> unit_rates = {};
    double row_rate_low = 0;  ///< A rate drawn uniformly from [low, high] for each row.
    double row_rate_high = 0;
    std::vector<Pattern> patterns = {};  ///< Exactly one of these, by weight.
  };

  int units = 0;
  std::vector<Part> parts;
  std::map<int, double> own_rates;        ///< Unit -> rate. Wins over the part's, patterns aside.
  std::vector<CorrelatedSet> correlated;  ///< Disjoint. Patterns do not heed them.
  std::vector<bool> never_missing;        ///< One per unit; wins over everything else.
  bool keep_at_least_one = false;         ///< A row never loses all of its units.
  /// In this share of the rows, knocked-out units take the second placeholder where the training
  /// data had informative gaps. Without it the network knows that placeholder only from the gaps of
  /// the training file, and a column with few of them is answered badly when it goes missing for
  /// any other cause.
  double reason_share = 0;

  /// The share of cells removed, per unit, exact under independence.
  std::vector<double> expected_rates() const;
};

/// The paper's rate: half of the rows stay complete, (1 - rate)^units = 1/2. Throws
/// ConfigError for less than one unit.
double paper_rate(int units);

/// From never to always, so that any number of inputs may be missing later.
struct AutoRate {
  bool operator==(const AutoRate&) const = default;
};
/// paper_rate(): half of the rows stay complete.
struct PaperRate {
  bool operator==(const PaperRate&) const = default;
};
/// How often an input is knocked out; a number is the same rate for all.
using KnockoutRate = std::variant<AutoRate, PaperRate, double>;

/// A rate for the units of a name or pattern. Of several that match a unit, the last counts.
struct UnitRate {
  std::string unit;
  double rate = 0;
};
/// Units, by names or patterns, that tend to go missing together: from 0 (independent) to 1.
struct CorrelatedUnits {
  std::vector<std::string> units;
  double strength = 1;
};
/// Exactly these units, by names or patterns, are lost with this weight; none = a complete row.
struct KnockoutPattern {
  std::vector<std::string> units;
  double weight = 1;
};
void to_json(nlohmann::json& json, const KnockoutRate& rate);
void to_json(nlohmann::json& json, const UnitRate& rate);
void to_json(nlohmann::json& json, const CorrelatedUnits& set);
void to_json(nlohmann::json& json, const KnockoutPattern& pattern);

/// What the user says about p(M).
struct KnockoutOptions {
  KnockoutRate rate = AutoRate{};
  std::vector<UnitRate> unit_rates = {};  ///< Over the rate above.
  std::vector<CorrelatedUnits> correlated = {};
  /// KnockoutPlan::reason_share; absent = 0.5, but 0 with the paper's rate, which has no such rows.
  std::optional<double> reason_share = {};
  std::vector<KnockoutPattern> patterns = {};  ///< Instead of rates.

  /// Whether anything says which units go missing, the share above aside.
  bool says_what_goes_missing() const;
};

constexpr auto descriptions_of(const KnockoutOptions*) {
  using K = KnockoutOptions;
  constexpr std::string_view kGaps = "Which inputs are knocked out while training";
  return std::tuple(
      option(&K::rate, {.name = "rate",
                        .value = "auto|paper|RATE",
                        .help = "How often an input is knocked out. auto: from never to always, so "
                                "that any number may be missing later; paper: half of the rows "
                                "stay complete",
                        .group = kGaps,
                        .unsaid = "auto",
                        .range = {.low = 0, .high = 1, .high_excluded = true},
                        .flag = "knockout-rate"}),
      option(&K::unit_rates, {.name = "unit_rates",
                              .value = "NAME=RATE",
                              .help = "Another rate for one column or group: age=0.1",
                              .group = kGaps,
                              .unsaid = "none",
                              .flag = "unit-rate"}),
      option(&K::correlated,
             {.name = "correlated",
              .value = "COLS=STRENGTH",
              .help = "Inputs that tend to go missing together, from 0 (by chance) to 1 (always): "
                      "height,weight=0.8",
              .group = kGaps,
              .unsaid = "none"}),
      option(&K::patterns,
             {.name = "patterns",
              .value = "COLS=WEIGHT",
              .help = "Knock out exactly these, this often, and nothing else: age+bmi=3; none=1 is "
                      "a complete row",
              .group = kGaps,
              .unsaid = "none",
              .flag = "pattern"}),
      option(&K::reason_share,
             {.name = "reason_share",
              .value = "SHARE",
              .help = "Share of the rows whose knocked-out inputs look like the gaps of the "
                      "training data, so that the model copes with new gaps there",
              .group = kGaps,
              .unsaid = "0.5; 0 with the paper's rate",
              .range = {.low = 0, .high = 1}}));
}

/// Builds the plan for these units. Throws ConfigError for unknown units (near names suggested),
/// rates outside [0, 1), contradictions. A `*` passes over never-missing units; naming one is an
/// error.
KnockoutPlan make_plan(const std::vector<std::string>& unit_names,
                       const std::vector<bool>& never_missing, const KnockoutOptions& options);

/// The share of rows whose knocked-out units take the second placeholder.
double resolve_reason_share(const KnockoutOptions& options);

/// The plan as a model file and `--json` tell it, and back. plan_from_json throws ModelFileError.
nlohmann::json plan_to_json(const KnockoutPlan& plan);
KnockoutPlan plan_from_json(const nlohmann::json& json);

}  // namespace knockout
