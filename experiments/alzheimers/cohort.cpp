// SPDX-License-Identifier: Apache-2.0
#include "experiments/alzheimers/cohort.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace knockout::experiments {
namespace {

/// The nearest of the years 1 to 5, or 0 for a visit that is after all of them.
int nearest_year(double years) {
  const double nearest = std::clamp(std::floor(years + 0.5), 1.0, kAdniYears + 1.0);
  return nearest <= kAdniYears ? static_cast<int>(nearest) : 0;
}

bool has_follow_up(const AdniSubject& subject) {
  return std::any_of(subject.follow_ups.begin(), subject.follow_ups.end(),
                     [](const FollowUp& visit) { return nearest_year(visit.years) > 0; });
}

bool is_later_cn(const AdniSubject& subject, const CohortRules& rules) {
  return std::any_of(subject.follow_ups.begin(), subject.follow_ups.end(),
                     [&](const FollowUp& visit) {
                       return visit.diagnosis == Diagnosis::kCn &&
                              (rules.late_cn_excludes || nearest_year(visit.years) > 0);
                     });
}

bool is_mci_after_ad(const AdniSubject& subject) {
  bool ad = false;
  for (const FollowUp& visit : subject.follow_ups) {
    if (ad && visit.diagnosis == Diagnosis::kMci) return true;
    ad |= visit.diagnosis == Diagnosis::kAd;
  }
  return false;
}

bool is_complete(const CohortMember& member) {
  return std::all_of(member.subject.inputs.begin(), member.subject.inputs.end(),
                     [](const std::optional<double>& value) { return value.has_value(); });
}

}  // namespace

std::array<std::optional<bool>, kAdniYears> annual_labels(const std::vector<FollowUp>& follow_ups) {
  std::array<std::optional<bool>, kAdniYears> labels;
  std::array<double, kAdniYears> distance;
  distance.fill(kAdniYears);
  double first_ad = kAdniYears + 1;
  for (const FollowUp& visit : follow_ups) {
    const int year = nearest_year(visit.years);
    const bool ad = visit.diagnosis == Diagnosis::kAd;
    if (ad) first_ad = std::min(first_ad, visit.years);
    if (year == 0) continue;
    const auto y = static_cast<std::size_t>(year - 1);
    if (std::abs(visit.years - year) >= distance[y]) continue;
    distance[y] = std::abs(visit.years - year);
    labels[y] = ad;
  }
  bool before = false;
  for (std::size_t y = 0; y < labels.size(); ++y) {
    if (before || first_ad <= static_cast<double>(y + 1)) labels[y] = true;
    before = labels[y].value_or(false);
  }
  return labels;
}

Cohort select_cohort(const std::vector<AdniSubject>& subjects, const CohortRules& rules) {
  Cohort cohort;
  cohort.with_baseline = subjects.size();
  for (const AdniSubject& subject : subjects) {
    if (subject.baseline != Diagnosis::kMci) continue;
    ++cohort.with_mci;
    cohort.by_group += subject.baseline_by_group;
    if (!has_follow_up(subject)) continue;
    ++cohort.followed;
    if (is_later_cn(subject, rules)) {
      ++cohort.later_cn;
    } else if (rules.reverted_ad_excludes && is_mci_after_ad(subject)) {
      ++cohort.reverted;
    } else {
      cohort.members.push_back({subject, annual_labels(subject.follow_ups)});
    }
  }
  return cohort;
}

Cohort complete_cases(const Cohort& cohort) {
  Cohort complete = cohort;
  std::erase_if(complete.members, [](const CohortMember& member) { return !is_complete(member); });
  return complete;
}

std::string year_target(int year) { return fmt::format("AD_year{}", year); }

Table cohort_table(const Cohort& cohort) {
  const std::size_t rows = cohort.members.size();
  std::vector<Column> columns;
  const auto add = [&](std::string name, auto value_of, CellState gap) {
    std::vector<double> numbers;
    std::vector<CellState> states;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto value = value_of(cohort.members[row]);
      numbers.push_back(value ? static_cast<double>(*value) : 0.0);
      states.push_back(value ? CellState::kObserved : gap);
    }
    columns.push_back(Column::numbers(std::move(name), std::move(numbers), std::move(states)));
  };
  for (std::size_t i = 0; i < kAdniInputs.size(); ++i) {
    add(
        std::string(kAdniInputs[i].name),
        [i](const CohortMember& member) { return member.subject.inputs[i]; },
        CellState::kMissingForAReason);
  }
  for (std::size_t y = 0; y < kAdniYears; ++y) {
    add(
        year_target(static_cast<int>(y) + 1),
        [y](const CohortMember& member) { return member.ad[y]; }, CellState::kMissing);
  }
  return Table(std::move(columns), "ADNIMERGE");
}

InferredSchema cohort_schema(const Table& training) {
  InferredSchema inferred;
  for (const AdniInput& input : kAdniInputs) {
    Feature feature{.name = std::string(input.name)};
    const std::span<const CellState> states = training.at(input.name).states();
    const bool gaps = std::any_of(states.begin(), states.end(),
                                  [](CellState state) { return state != CellState::kObserved; });
    feature.training_gaps = gaps ? GapMeaning::kForAReason : GapMeaning::kNone;
    inferred.schema.features.push_back(std::move(feature));
  }
  for (int year = 1; year <= kAdniYears; ++year) {
    inferred.schema.targets.push_back(
        {.name = year_target(year), .task = Task::kClassification, .classes = {"0", "1"}});
  }
  return inferred;
}

}  // namespace knockout::experiments
