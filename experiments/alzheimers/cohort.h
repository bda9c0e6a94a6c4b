// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/alzheimers/adni.h"
#include "knockout/data/table.h"
#include "knockout/report/document.h"
#include "knockout/schema/infer.h"

namespace knockout::experiments {

inline constexpr int kAdniYears = 5;

/// Who of those with MCI at the baseline is left out.
struct CohortRules {
  bool late_cn_excludes = true;       ///< A CN diagnosis after the fifth year excludes as well.
  bool reverted_ad_excludes = false;  ///< So does MCI after AD; otherwise AD is carried forward.
};

struct CohortMember {
  AdniSubject subject;
  /// AD in year 1 to 5; nullopt = no diagnosis in that year.
  std::array<std::optional<bool>, kAdniYears> ad;
};

/// The people of the study and how they came about.
struct Cohort {
  std::vector<CohortMember> members;
  std::size_t with_baseline = 0, with_mci = 0, by_group = 0;
  std::size_t followed = 0;  ///< MCI at the baseline and a diagnosis within five years.
  std::size_t later_cn = 0, reverted = 0;
};

/// The paper's inclusion rules: MCI at the baseline, at least one diagnosis within the next five
/// years, never CN later.
Cohort select_cohort(const std::vector<AdniSubject>& subjects, const CohortRules& rules = {});

/// Diagnoses become years: each goes to the nearest of the years 1 to 5, and of several the nearest
/// in time counts. AD stays: a year is AD as well when AD was diagnosed by then.
std::array<std::optional<bool>, kAdniYears> annual_labels(const std::vector<FollowUp>& follow_ups);

/// Only those whose inputs are all there.
Cohort complete_cases(const Cohort& cohort);

/// One row per member: the inputs, whose gaps are marked "missing for a reason" so that a method
/// can tell them from what is removed later, and the columns of year_target().
Table cohort_table(const Cohort& cohort);
std::string year_target(int year);  ///< "AD_year1" for year 1.
/// What the columns mean when these rows are what is learned from.
InferredSchema cohort_schema(const Table& training);

/// Our people beside the paper's tables 1 to 3, and beside its counts on the way there.
std::vector<report::Table> cohort_tables(const Cohort& cohort);
nlohmann::ordered_json cohort_json(const Cohort& cohort);

}  // namespace knockout::experiments
