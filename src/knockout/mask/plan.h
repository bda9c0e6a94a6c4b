// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    std::vector<int> missing_units;
    double weight = 1.0;
  };

  /// One part of the mixture. Exactly one of the three forms is used:
  struct Part {
    double weight = 1.0;
    std::vector<double>
        unit_rates;  ///< Independent rates, one per unit (all 0 = complete rows), or
    double row_rate_low = 0,
           row_rate_high = 0;       ///< a rate drawn uniformly from [low, high] for each row, or
    std::vector<Pattern> patterns;  ///< one of these patterns, by weight.
  };

  int units = 0;
  std::vector<Part> parts;
  std::vector<CorrelatedSet> correlated;  ///< Applies to the first two forms.
  std::vector<bool> never_missing;        ///< One per unit; wins over everything else.
  bool keep_at_least_one = false;         ///< A row never loses all of its units.

  /// The share of cells removed, per unit, exact under independence.
  std::vector<double> expected_rates() const;
};

/// The paper's rate: half of the rows stay complete, (1 - rate)^units = 1/2. REQUIRES: units >= 1.
double paper_rate(int units);

/// What the user says about p(M).
struct KnockoutOptions {
  std::string rate = "auto";            ///< "auto", "paper", or a number in [0, 1).
  std::vector<std::string> unit_rates;  ///< "age=0.1", "mri=0.5": over the rate above. `*` works.
  std::vector<std::string> correlated;  ///< "height,weight=0.8": go missing together.
  std::vector<std::string>
      patterns;  ///< "age+bmi=3": this weight for losing exactly these units; "none=1" = complete.
};

/// Builds the plan for these units. Throws ConfigError for unknown units (near names suggested),
/// rates outside [0, 1), contradictions.
KnockoutPlan make_plan(const std::vector<std::string>& unit_names,
                       const std::vector<bool>& never_missing, const KnockoutOptions& options);

/// The plan as a model file and `--json` tell it, and back. plan_from_json throws ModelFileError.
nlohmann::json plan_to_json(const KnockoutPlan& plan);
KnockoutPlan plan_from_json(const nlohmann::json& json);

}  // namespace knockout
