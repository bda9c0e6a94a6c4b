// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/data/csv_reader.h"

namespace knockout {
namespace {

using Part = KnockoutPlan::Part;

/// The default of `fit`: sound with half of the cells gone, sharp with one or two gone.
/// `losable` units of `units` may go missing.
KnockoutPlan automatic_plan(int units, int losable) {
  constexpr double kPaperWeight = 0.5;
  constexpr double kRowRateWeight = 0.5;
  constexpr double kRowRateLow = 0.0;
  constexpr double kRowRateHigh = 1.0;
  KnockoutPlan plan;
  plan.units = units;
  plan.parts = {
      Part{.weight = kPaperWeight, .unit_rates = std::vector<double>(units, paper_rate(losable))},
      Part{.weight = kRowRateWeight, .row_rate_low = kRowRateLow, .row_rate_high = kRowRateHigh}};
  return plan;
}

KnockoutPlan constant_rate_plan(int units, double rate) {
  KnockoutPlan plan;
  plan.units = units;
  plan.parts = {Part{.unit_rates = std::vector<double>(units, rate)}};
  return plan;
}

/// Finds the units that options name.
class UnitFinder {
 public:
  UnitFinder(const std::vector<std::string>& names, const std::vector<bool>& never_missing)
      : names_(names), never_missing_(never_missing) {
    for (std::size_t unit = 0; unit < names.size(); ++unit) unit_of_.emplace(names[unit], unit);
  }

  /// The units whose name matches, never-missing ones passed over; naming one of those is an error.
  std::vector<int> find(std::string_view said, std::string_view name) const {
    std::vector<int> units;
    const std::vector<std::size_t> matches = matches_of(name);
    for (const std::size_t unit : matches) {
      if (!never_missing_[unit]) {
        units.push_back(static_cast<int>(unit));
      } else if (names_[unit] == name) {
        throw ConfigError(
            fmt::format("{} lets \"{}\" go missing, but it was declared never missing.\n"
                        "  Take it out of one of the two.",
                        field(said), name));
      }
    }
    if (matches.empty()) {
      throw ConfigError(fmt::format("{}: there is no input \"{}\".{}", field(said), name,
                                    did_you_mean(name, names_)));
    }
    return units;
  }

  /// The units of several names, ascending and each once.
  std::vector<int> find_all(std::string_view said, const std::vector<std::string>& names) const {
    std::set<int> units;
    for (const std::string& name : names) {
      for (const int unit : find(said, name)) units.insert(unit);
    }
    return {units.begin(), units.end()};
  }

 private:
  std::vector<std::size_t> matches_of(std::string_view name) const {
    std::vector<std::size_t> matches;
    if (name.find('*') == std::string_view::npos) {
      const auto named = unit_of_.find(name);
      if (named != unit_of_.end()) matches.push_back(named->second);
      return matches;
    }
    for (std::size_t unit = 0; unit < names_.size(); ++unit) {
      if (matches_pattern(names_[unit], name)) matches.push_back(unit);
    }
    return matches;
  }

  const std::vector<std::string>& names_;
  const std::vector<bool>& never_missing_;
  HashMap<std::string_view, std::size_t> unit_of_;
};

std::map<int, double> own_rates_of(const std::vector<UnitRate>& said, const UnitFinder& finder) {
  std::map<int, double> rates;
  for (const UnitRate& own : said) {
    if (!(own.rate >= 0.0 && own.rate < 1.0)) {
      throw ConfigError(fmt::format(
          "{}: the rate of \"{}\" is {}; a rate is at least 0 and below 1. An input that "
          "is always missing is better left out.",
          field("unit_rates"), own.unit, own.rate));
    }
    // Later ones win: a pattern first, exceptions after it.
    for (const int unit : finder.find("unit_rates", own.unit)) rates[unit] = own.rate;
  }
  return rates;
}

std::vector<KnockoutPlan::CorrelatedSet> correlated_sets(const std::vector<CorrelatedUnits>& said,
                                                         const UnitFinder& finder) {
  std::vector<KnockoutPlan::CorrelatedSet> sets;
  std::set<int> taken;
  for (const CorrelatedUnits& together : said) {
    const auto refuse = [&](std::string_view what) {
      throw ConfigError(
          fmt::format("{}, \"{}\": {}", field("correlated"), fmt::join(together.units, ","), what));
    };
    if (!(together.strength >= 0.0 && together.strength <= 1.0)) {
      refuse("the strength lies between 0 (independent) and 1 (always together).");
    }
    KnockoutPlan::CorrelatedSet set{finder.find_all("correlated", together.units),
                                    together.strength};
    if (set.units.size() < 2) refuse("it takes two inputs to go missing together.");
    for (const int unit : set.units) {
      if (!taken.insert(unit).second) {
        refuse("one of its inputs is in another set already. Join the two sets.");
      }
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

Part part_of_patterns(const std::vector<KnockoutPattern>& patterns, const UnitFinder& finder) {
  Part part;
  double total_weight = 0;
  for (const KnockoutPattern& pattern : patterns) {
    total_weight += pattern.weight;
    if (!(pattern.weight > 0.0) || !std::isfinite(total_weight)) {
      throw ConfigError(fmt::format("{}, \"{}\": a weight is a positive number, not {}.",
                                    field("patterns"), fmt::join(pattern.units, "+"),
                                    pattern.weight));
    }
    part.patterns.push_back({finder.find_all("patterns", pattern.units), pattern.weight});
  }
  return part;
}

/// The chance that a part takes every unit away. REQUIRES: no unit is never missing.
double all_missing_probability(const KnockoutPlan& plan, const Part& part) {
  if (!part.patterns.empty()) {
    double all = 0, total = 0;
    for (const auto& pattern : part.patterns) {
      total += pattern.weight;
      if (pattern.missing_units.size() == static_cast<std::size_t>(plan.units)) {
        all += pattern.weight;
      }
    }
    return all / total;
  }
  double probability = 1.0;
  int with_row_rate = 0;
  for (int unit = 0; unit < plan.units; ++unit) {
    if (const auto own = plan.own_rates.find(unit); own != plan.own_rates.end()) {
      probability *= own->second;
    } else if (!part.unit_rates.empty()) {
      probability *= part.unit_rates[unit];
    } else {
      ++with_row_rate;
    }
  }
  // The mean of rate^n over [low, high].
  const double low = part.row_rate_low, high = part.row_rate_high;
  const int n = with_row_rate;
  if (n == 0) return probability;
  if (low == high) return probability * std::pow(low, n);
  return probability * (std::pow(high, n + 1) - std::pow(low, n + 1)) / ((n + 1) * (high - low));
}

std::vector<double> part_rates(const KnockoutPlan& plan, const Part& part) {
  std::vector<double> rates = part.unit_rates;
  if (!part.patterns.empty()) {
    rates.assign(plan.units, 0.0);
    double total = 0;
    for (const auto& pattern : part.patterns) {
      total += pattern.weight;
      for (const int unit : pattern.missing_units) rates[unit] += pattern.weight;
    }
    for (double& rate : rates) rate /= total;
    return rates;
  }
  if (rates.empty()) rates.assign(plan.units, (part.row_rate_low + part.row_rate_high) / 2);
  for (const auto& [unit, rate] : plan.own_rates) rates[unit] = rate;
  return rates;
}

}  // namespace

double paper_rate(int units) {
  if (units < 1) {
    throw ConfigError(fmt::format("the paper's rate for {} inputs: expected 1 or more.", units));
  }
  return 1.0 - std::pow(0.5, 1.0 / units);
}

std::vector<double> KnockoutPlan::expected_rates() const {
  const bool may_restore =
      keep_at_least_one && units > 0 &&
      std::find(never_missing.begin(), never_missing.end(), true) == never_missing.end();
  std::vector<double> expected(units, 0.0);
  double total_weight = 0;
  for (const Part& part : parts) {
    const std::vector<double> rates = part_rates(*this, part);
    const double restored = may_restore ? all_missing_probability(*this, part) / units : 0.0;
    for (int unit = 0; unit < units; ++unit) {
      if (!never_missing[unit]) expected[unit] += part.weight * (rates[unit] - restored);
    }
    total_weight += part.weight;
  }
  for (double& rate : expected) rate /= total_weight;
  return expected;
}

KnockoutPlan make_plan(const std::vector<std::string>& unit_names,
                       const std::vector<bool>& never_missing, const KnockoutOptions& options) {
  if (unit_names.size() != never_missing.size()) {
    throw ConfigError(fmt::format("{} units with \"never missing\" for {}: expected one each.",
                                  unit_names.size(), never_missing.size()));
  }
  const int units = static_cast<int>(unit_names.size());
  const UnitFinder finder(unit_names, never_missing);
  KnockoutPlan plan;
  check_ranges(options);
  if (!options.patterns.empty()) {
    if (!std::holds_alternative<AutoRate>(options.rate) || !options.unit_rates.empty() ||
        !options.correlated.empty()) {
      throw ConfigError(
          "A list of missing patterns says all about what goes missing: it cannot stand together"
          " with a knockout rate, rates of single inputs or correlated inputs.");
    }
    plan.units = units;
    plan.parts = {part_of_patterns(options.patterns, finder)};
    plan.never_missing = never_missing;
    plan.reason_share = resolve_reason_share(options);
    return plan;
  }
  const std::map<int, double> own_rates = own_rates_of(options.unit_rates, finder);
  int losable = 0;
  for (int unit = 0; unit < units; ++unit) {
    const auto own = own_rates.find(unit);
    losable += !never_missing[unit] && (own == own_rates.end() || own->second > 0.0);
  }
  if (const double* const rate = std::get_if<double>(&options.rate)) {
    plan = constant_rate_plan(units, *rate);
  } else if (losable == 0) {
    plan = constant_rate_plan(units, 0.0);
  } else if (std::holds_alternative<PaperRate>(options.rate)) {
    plan = constant_rate_plan(units, paper_rate(losable));
  } else {
    plan = automatic_plan(units, losable);
  }
  plan.own_rates = own_rates;
  plan.correlated = correlated_sets(options.correlated, finder);
  plan.never_missing = never_missing;
  plan.reason_share = resolve_reason_share(options);
  return plan;
}

double resolve_reason_share(const KnockoutOptions& options) {
  constexpr double kDefaultShare = 0.5;
  return options.reason_share.value_or(
      std::holds_alternative<PaperRate>(options.rate) ? 0.0 : kDefaultShare);
}

bool KnockoutOptions::says_what_goes_missing() const {
  return !std::holds_alternative<AutoRate>(rate) || !unit_rates.empty() || !correlated.empty() ||
         !patterns.empty();
}

}  // namespace knockout
