// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "knockout/base/error.h"
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

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "age=0.1" as read: {"age=0.1", "age", 0.1}. The last `=` counts, so that names may hold one.
struct Assignment {
  std::string text;
  std::string left;
  double number = 0;
};

Assignment read_assignment(const std::string& text, std::string_view example) {
  const std::size_t equals = text.rfind('=');
  if (equals != std::string::npos && equals > 0) {
    const auto number = read_number(std::string_view(text).substr(equals + 1));
    if (number) return {text, text.substr(0, equals), *number};
  }
  throw ConfigError(
      fmt::format("Cannot read \"{}\": expected something like \"{}\".", text, example));
}

/// Finds the units that options name.
class UnitFinder {
 public:
  UnitFinder(const std::vector<std::string>& names, const std::vector<bool>& never_missing)
      : names_(names), never_missing_(never_missing) {}

  /// The units whose name matches, never-missing ones passed over; naming one of those is an error.
  std::vector<int> find(const Assignment& said, std::string_view name) const {
    std::vector<int> units;
    bool any_match = false;
    for (std::size_t unit = 0; unit < names_.size(); ++unit) {
      if (!matches_pattern(names_[unit], name)) continue;
      any_match = true;
      if (!never_missing_[unit]) {
        units.push_back(static_cast<int>(unit));
      } else if (names_[unit] == name) {
        throw ConfigError(
            fmt::format("\"{}\" lets \"{}\" go missing, but it was declared never missing.\n"
                        "  Take it out of one of the two.",
                        said.text, name));
      }
    }
    if (!any_match) {
      throw ConfigError(fmt::format("\"{}\": there is no input \"{}\".{}", said.text, name,
                                    did_you_mean(name, names_)));
    }
    return units;
  }

  /// The units of a list such as "age+bmi", ascending and each once.
  std::vector<int> find_all(const Assignment& said, char separator) const {
    if (is_name(said.left)) return find(said, said.left);  // the name may hold the separator
    std::set<int> units;
    for (std::size_t begin = 0; begin <= said.left.size();) {
      const std::size_t end = std::min(said.left.find(separator, begin), said.left.size());
      const std::string_view name = std::string_view(said.left).substr(begin, end - begin);
      for (const int unit : find(said, name)) units.insert(unit);
      begin = end + 1;
    }
    return {units.begin(), units.end()};
  }

  bool is_name(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

 private:
  const std::vector<std::string>& names_;
  const std::vector<bool>& never_missing_;
};

std::map<int, double> read_own_rates(const std::vector<std::string>& texts,
                                     const UnitFinder& finder) {
  std::map<int, double> rates;
  for (const std::string& text : texts) {
    const Assignment said = read_assignment(text, "age=0.1");
    if (!(said.number >= 0.0 && said.number < 1.0)) {
      throw ConfigError(fmt::format(
          "\"{}\": a rate is at least 0 and below 1. An input that is always missing is better left"
          " out.",
          text));
    }
    // Later ones win: "*=0.1" first, exceptions after it.
    for (const int unit : finder.find(said, said.left)) rates[unit] = said.number;
  }
  return rates;
}

std::vector<KnockoutPlan::CorrelatedSet> read_correlated(const std::vector<std::string>& texts,
                                                         const UnitFinder& finder) {
  std::vector<KnockoutPlan::CorrelatedSet> sets;
  std::set<int> taken;
  for (const std::string& text : texts) {
    const Assignment said = read_assignment(text, "height,weight=0.8");
    if (!(said.number >= 0.0 && said.number <= 1.0)) {
      throw ConfigError(fmt::format(
          "\"{}\": the strength lies between 0 (independent) and 1 (always together).", text));
    }
    KnockoutPlan::CorrelatedSet set{finder.find_all(said, ','), said.number};
    if (set.units.size() < 2) {
      throw ConfigError(fmt::format("\"{}\": it takes two inputs to go missing together.", text));
    }
    for (const int unit : set.units) {
      if (!taken.insert(unit).second) {
        throw ConfigError(fmt::format(
            "\"{}\": one of its inputs is in another set already. Join the two sets.", text));
      }
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

Part read_patterns(const std::vector<std::string>& texts, const UnitFinder& finder) {
  Part part;
  double total_weight = 0;
  for (const std::string& text : texts) {
    const Assignment said = read_assignment(text, "age+bmi=3");
    total_weight += said.number;
    if (!(said.number > 0.0) || !std::isfinite(total_weight)) {
      throw ConfigError(fmt::format("\"{}\": a weight is a positive number.", text));
    }
    const bool complete = said.left == "none" && !finder.is_name("none");
    part.patterns.push_back(
        {complete ? std::vector<int>{} : finder.find_all(said, '+'), said.number});
  }
  return part;
}

double read_rate(const std::string& text) {
  const auto rate = read_number(text);
  if (!rate || !(*rate >= 0.0 && *rate < 1.0)) {
    throw ConfigError(
        fmt::format("The knockout rate is \"auto\", \"paper\" or a number from 0 to "
                    "below 1, not \"{}\".",
                    text));
  }
  return *rate;
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
  if (!options.patterns.empty()) {
    if (options.rate != "auto" || !options.unit_rates.empty() || !options.correlated.empty()) {
      throw ConfigError(
          "A list of missing patterns says all about what goes missing: it cannot stand together"
          " with a knockout rate, rates of single inputs or correlated inputs.");
    }
    plan.units = units;
    plan.parts = {read_patterns(options.patterns, finder)};
    plan.never_missing = never_missing;
    plan.reason_share = resolve_reason_share(options);
    return plan;
  }
  const std::map<int, double> own_rates = read_own_rates(options.unit_rates, finder);
  int losable = 0;
  for (int unit = 0; unit < units; ++unit) {
    const auto own = own_rates.find(unit);
    losable += !never_missing[unit] && (own == own_rates.end() || own->second > 0.0);
  }
  if (options.rate == "auto" && losable > 0) {
    plan = automatic_plan(units, losable);
  } else if (options.rate == "paper" && losable > 0) {
    plan = constant_rate_plan(units, paper_rate(losable));
  } else if (options.rate == "auto" || options.rate == "paper") {
    plan = constant_rate_plan(units, 0.0);
  } else {
    plan = constant_rate_plan(units, read_rate(options.rate));
  }
  plan.own_rates = own_rates;
  plan.correlated = read_correlated(options.correlated, finder);
  plan.never_missing = never_missing;
  plan.reason_share = resolve_reason_share(options);
  return plan;
}

double resolve_reason_share(const KnockoutOptions& options) {
  constexpr double kDefaultShare = 0.5;
  if (options.reason_share < 0.0) return options.rate == "paper" ? 0.0 : kDefaultShare;
  if (!(options.reason_share <= 1.0)) {
    throw ConfigError("--reason-share: expected a share from 0 to 1.");
  }
  return options.reason_share;
}

}  // namespace knockout
