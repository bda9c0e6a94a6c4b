// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/modality.h"

#include <gtest/gtest.h>

#include "knockout/nn/test_numbers.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

std::vector<Modality> named_scans() {
  return {{.name = "t1", .shape = {1, 3, 3}},
          {.name = "t2", .shape = {1, 3, 3}},
          {.name = "age", .shape = {}}};
}

TEST(Modalities, ExplainModalitiesThatContradictEachOther) {
  expect_refusal([] { units_of({}); }, "at least one modality");
  auto modalities = named_scans();
  modalities[1].name = "t1";
  expect_refusal([&] { units_of(KnockoutModuleOptions{.modalities = modalities}); },
                 "two modalities");
  modalities = named_scans();
  modalities[2].separate_features = true;
  expect_refusal([&] { units_of(KnockoutModuleOptions{.modalities = modalities}); }, "no features");
  modalities = named_scans();
  modalities[0].knockout_rate = 1.5;
  expect_refusal([&] { units_of(KnockoutModuleOptions{.modalities = modalities}); }, "probability");
  expect_refusal(
      [] {
        units_of(KnockoutModuleOptions{.modalities = named_scans(),
                                       .plan = KnockoutPlan{.units = 2, .parts = {{}}}});
      },
      "the plan is for 2 units, and the modalities have 3: t1, t2, age");
  for (const KnockoutPlan& plan :
       {KnockoutPlan{.units = 3}, KnockoutPlan{.units = 3, .parts = {{.unit_rates = {0.5}}}},
        KnockoutPlan{.units = 3, .parts = {{.unit_rates = {0.5, kNan, 0.5}}}}}) {
    expect_refusal(
        [&] { units_of(KnockoutModuleOptions{.modalities = named_scans(), .plan = plan}); },
        "the plan makes no sense");
  }
}

TEST(Modalities, HaveARateThatIsAProbabilityOrThePapers) {
  for (const double rate : {-0.3, -2.0, 1.01, kNan}) {
    auto modalities = named_scans();
    modalities[1].knockout_rate = rate;
    expect_refusal([&] { units_of({.modalities = modalities}); }, "expected a probability");
  }
  auto modalities = named_scans();
  modalities[0].knockout_rate = 1.0;
  modalities[1].knockout_rate = 0.0;
  modalities[2].knockout_rate = kPaperRate;
  EXPECT_EQ(units_of({.modalities = modalities}).plan.expected_rates(),
            (std::vector<double>{1.0, 0.0, paper_rate(3)}));
}

TEST(Modalities, OfAGroupHaveOneRate) {
  auto modalities = named_scans();
  modalities[0].group = modalities[1].group = "mri";
  modalities[0].knockout_rate = 0.2;
  modalities[1].knockout_rate = 0.3;
  expect_refusal([&] { units_of({.modalities = modalities}); }, "give 0.2 and 0.3");
  for (const std::size_t silent : {0U, 1U}) {  // whichever of them gives it
    auto one_rate = modalities;
    one_rate[silent].knockout_rate = kPaperRate;
    EXPECT_EQ(units_of({.modalities = one_rate}).plan.expected_rates()[0],
              modalities[1 - silent].knockout_rate);
  }
}

TEST(Modalities, HaveSizesOrAnySize) {
  auto modalities = named_scans();
  modalities[0].shape = {1, -1, -1};
  EXPECT_EQ(units_of({.modalities = modalities}).names.size(), 3U);
  for (const std::int64_t extent : {0, -2}) {
    modalities[0].shape = {1, extent, 3};
    expect_refusal([&] { units_of({.modalities = modalities}); }, "-1 for any size");
  }
  modalities[0].shape = {-1, 3};
  modalities[0].separate_features = true;
  expect_refusal([&] { units_of({.modalities = modalities}); }, "say how many there are");
}

}  // namespace
}  // namespace knockout::nn
