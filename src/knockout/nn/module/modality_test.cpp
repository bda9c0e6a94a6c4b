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

// --- placeholders ---

/// What a modality of this shape and support takes when nobody says: the paper's Table 1.
struct TableRow {
  std::vector<std::int64_t> shape;
  std::optional<Support> support;
  bool separate;
  double missing;
  std::optional<double> for_a_reason;
};

TEST(ModalityPlaceholder, FollowsThePapersTable) {
  for (const TableRow& row :
       {TableRow{{}, {}, false, 10, -10},                            // taken for a Z-score
        TableRow{{}, Support::kRealLine, false, 10, -10},            // white noise
        TableRow{{}, Support::kInterval, false, -1, 2},              // test scores
        TableRow{{1}, Support::kHalfLine, false, -1, -2},            // temperature
        TableRow{{200}, Support::kHalfLine, true, -1, -2},           // 200 numbers, each by itself
        TableRow{{16}, Support::kRealLine, false, 10, -10},          // not yet structured
        TableRow{{17}, Support::kRealLine, false, 0, {}},            // a latent vector
        TableRow{{3, 32, 32}, Support::kInterval, false, 0, {}},     // an image
        TableRow{{4, 20, 20, 16}, Support::kInterval, true, 0, {}},  // volumes, channel by channel
        TableRow{{4, 3}, Support::kInterval, true, -1, 2},           // three numbers a channel
        TableRow{{1, -1, -1}, {}, false, 0, {}}}) {                  // of any size
    const Placeholder found = recommended_placeholder({.name = "x",
                                                       .shape = row.shape,
                                                       .support = row.support,
                                                       .separate_features = row.separate});
    EXPECT_EQ(found.rule, Placeholder::Rule::kConstant);
    EXPECT_EQ(found.value, row.missing);
    EXPECT_EQ(found.for_a_reason, row.for_a_reason);
  }
}

Modality scalar(std::optional<Support> support, const Placeholder& placeholder) {
  return {.name = "age", .shape = {}, .support = support, .placeholder = placeholder};
}

TEST(ModalityPlaceholder, OfAScalarIsRefusedInsideTheSupportUnlessForced) {
  for (Modality modality :
       {scalar({}, Placeholder::zeros()), scalar({}, Placeholder::constant(1)),
        scalar({}, Placeholder::constant(-1, 0.5)), scalar({}, Placeholder::mean()),
        scalar(Support::kInterval, Placeholder::constant(0.5)),
        scalar(Support::kHalfLine, Placeholder::unit_interval()),  // its second is 2
        scalar(Support::kHalfLine, Placeholder::z_score()),
        scalar(Support::kRealLine, Placeholder::half_line()),
        scalar(Support::kRealLine, Placeholder::constant(-4))}) {
    expect_refusal([&] { checked_placeholder(modality); }, "placeholder of \"age\" is");
    expect_refusal([&] { checked_placeholder(modality); }, "`force_placeholder`");
    modality.force_placeholder = true;
    EXPECT_EQ(checked_placeholder(modality).value, modality.placeholder->value);
    modality.force_placeholder = false;
    modality.shape = {3, 32,
                      32};  // structured: zeros and the mean image are the paper's own choice
    EXPECT_NO_THROW(checked_placeholder(modality));
  }
}

TEST(ModalityPlaceholder, MayBeAnythingOutsideTheSupport) {
  for (const Modality& modality :
       {scalar({}, Placeholder::constant(-1)), scalar({}, Placeholder::constant(1.5)),
        scalar({}, Placeholder::learned()), scalar({}, Placeholder::code()),
        scalar(Support::kInterval, Placeholder::unit_interval()),
        scalar(Support::kHalfLine, Placeholder::half_line()),
        scalar(Support::kRealLine, Placeholder::z_score()),
        scalar(Support::kRealLine, Placeholder::constant(4.5))}) {
    EXPECT_EQ(checked_placeholder(modality).value, modality.placeholder->value);
  }
}

TEST(ModalityPlaceholder, IsAFiniteNumberEvenWhenForced) {
  for (const double number : {kNan, kInf, -kInf}) {
    for (const Placeholder& placeholder :
         {Placeholder::constant(number), Placeholder::constant(-1, number)}) {
      Modality modality = scalar({}, placeholder);
      modality.force_placeholder = true;
      expect_refusal([&] { checked_placeholder(modality); }, "expected a finite number");
      modality.shape = {100};
      expect_refusal([&] { checked_placeholder(modality); }, "expected a finite number");
    }
  }
}

TEST(ModalityPlaceholder, OfAReasonDiffersFromThatOfMissing) {
  Modality modality = scalar({}, Placeholder::constant(-1, -1));
  expect_refusal([&] { checked_placeholder(modality); }, "would look alike");
  modality.force_placeholder = true;
  EXPECT_NO_THROW(checked_placeholder(modality));
}

}  // namespace
}  // namespace knockout::nn
