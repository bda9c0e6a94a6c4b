// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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
    std::vector<double> unit_rates =
        {};                   ///< Independent rates, one per unit (all 0 = complete rows).
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

/// What the user says about p(M).
struct KnockoutOptions {
  std::string rate = "auto";  ///< "auto", "paper", or a number in [0, 1).
  std::vector<std::string> unit_rates =
      {};  ///< "age=0.1", "mri=0.5": over the rate above. `*` works.
  std::vector<std::string> correlated =
      {};  ///< "height,weight=0.8": go missing together. `*` works.
  /// KnockoutPlan::reason_share; negative = 0.5, but 0 with the paper's rate, which has no such
  /// rows.
  double reason_share = -1;
  /// "age+bmi=3": this weight for losing exactly these units; "none=1" = complete. `*` works.
  std::vector<std::string> patterns = {};
};

/// Builds the plan for these units. Throws ConfigError for unknown units (near names suggested),
/// rates outside [0, 1), contradictions. A `*` passes over never-missing units; naming one is an
/// error.
KnockoutPlan make_plan(const std::vector<std::string>& unit_names,
                       const std::vector<bool>& never_missing, const KnockoutOptions& options);

/// The share of rows whose knocked-out units take the second placeholder. Throws ConfigError
/// outside [0, 1].
double resolve_reason_share(const KnockoutOptions& options);

/// The plan as a model file and `--json` tell it, and back. plan_from_json throws ModelFileError.
nlohmann::json plan_to_json(const KnockoutPlan& plan);
KnockoutPlan plan_from_json(const nlohmann::json& json);

}  // namespace knockout
