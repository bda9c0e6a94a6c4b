// SPDX-License-Identifier: Apache-2.0
#include "experiments/alzheimers/cohort.h"

#include <gtest/gtest.h>

namespace knockout::experiments {
namespace {

using Labels = std::array<std::optional<bool>, kAdniYears>;
constexpr auto kCn = Diagnosis::kCn;
constexpr auto kMci = Diagnosis::kMci;
constexpr auto kAd = Diagnosis::kAd;
constexpr auto kNone = std::nullopt;

AdniSubject subject_with(std::vector<FollowUp> follow_ups, Diagnosis baseline = kMci) {
  AdniSubject subject;
  subject.baseline = baseline;
  subject.follow_ups = std::move(follow_ups);
  subject.inputs.fill(1.0);
  return subject;
}

TEST(AnnualLabels, RoundsEachVisitToTheNearestYear) {
  EXPECT_EQ(annual_labels({{0.3, kMci}}), (Labels{false, kNone, kNone, kNone, kNone}));
  EXPECT_EQ(annual_labels({{1.5, kMci}}), (Labels{kNone, false, kNone, kNone, kNone}));
  EXPECT_EQ(annual_labels({{5.49, kMci}}), (Labels{kNone, kNone, kNone, kNone, false}));
  EXPECT_EQ(annual_labels({{5.5, kMci}}), Labels{});
  EXPECT_EQ(annual_labels({{1e300, kMci}}), Labels{});
}

TEST(AnnualLabels, LetsTheNearestVisitOfAYearDecide) {
  EXPECT_EQ(annual_labels({{1.0, kMci}, {1.4, kAd}}), (Labels{false, true, true, true, true}));
  EXPECT_EQ(annual_labels({{0.6, kMci}, {1.1, kAd}}), (Labels{true, true, true, true, true}));
}

TEST(AnnualLabels, CarriesAdForwardOverGapsAndLaterMci) {
  EXPECT_EQ(annual_labels({{1, kMci}, {2, kAd}, {4, kMci}}),
            (Labels{false, true, true, true, true}));
  EXPECT_EQ(annual_labels({{0.5, kAd}}), (Labels{true, true, true, true, true}));
}

TEST(AnnualLabels, DoesNotInventMciBetweenVisits) {
  EXPECT_EQ(annual_labels({{1, kMci}, {3, kMci}}), (Labels{false, kNone, false, kNone, kNone}));
}

TEST(SelectCohort, AppliesThePapersRulesInTheirOrder) {
  const std::vector<AdniSubject> subjects = {
      subject_with({{1, kMci}}),             // selected
      subject_with({{1, kMci}}, kCn),        // no MCI at the baseline
      subject_with({}),                      // never seen again
      subject_with({{7, kMci}}),             // seen again too late
      subject_with({{1, kCn}, {2, kMci}}),   // CN later
      subject_with({{1, kMci}, {8, kCn}}),   // CN after the fifth year
      subject_with({{1, kAd}, {2, kMci}})};  // reverted
  const Cohort cohort = select_cohort(subjects);
  EXPECT_EQ(cohort.with_mci, 6U);
  EXPECT_EQ(cohort.followed, 4U);
  EXPECT_EQ(cohort.later_cn, 2U);
  EXPECT_EQ(cohort.members.size(), 2U);
  EXPECT_EQ(select_cohort(subjects, {.late_cn_excludes = false}).members.size(), 3U);
  const Cohort strict = select_cohort(subjects, {.reverted_ad_excludes = true});
  EXPECT_EQ(strict.reverted, 1U);
  EXPECT_EQ(strict.members.size(), 1U);
}

TEST(CohortTable, MarksGapsOfTheFileAndMasksYearsWithoutDiagnosis) {
  AdniSubject gapped = subject_with({{1, kAd}});
  gapped.inputs[adni_input("FDG")].reset();
  const Cohort cohort = select_cohort({gapped, subject_with({{2, kMci}})});
  const Table table = cohort_table(cohort);
  EXPECT_EQ(table.at("FDG").state(0), CellState::kMissingForAReason);
  EXPECT_EQ(table.at("FDG").state(1), CellState::kObserved);
  EXPECT_EQ(table.at(year_target(1)).number(0), 1);
  EXPECT_FALSE(table.at(year_target(1)).observed(1));
  EXPECT_EQ(table.at(year_target(2)).number(1), 0);
  EXPECT_EQ(complete_cases(cohort).members.size(), 1U);
  const Schema schema = cohort_schema(table).schema;
  EXPECT_EQ(schema.features[adni_input("FDG")].training_gaps, GapMeaning::kForAReason);
  EXPECT_EQ(schema.features[adni_input("AGE")].training_gaps, GapMeaning::kNone);
}

/// One of three CSF cells of one of two people: a sixth.
TEST(CohortJson, CountsMissingCellsOfADomain) {
  AdniSubject gapped = subject_with({{1, kMci}});
  gapped.inputs[adni_input("TAU")].reset();
  const auto json = cohort_json(select_cohort({gapped, subject_with({{1, kAd}})}));
  EXPECT_DOUBLE_EQ(json["missing_share"]["CSF"].get<double>(), 1.0 / 6);
  EXPECT_EQ(json["years"][0]["mci"], 1);
  EXPECT_EQ(json["years"][4]["ad"], 1);
}

}  // namespace
}  // namespace knockout::experiments
