// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/knockout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "knockout/base/sha256.h"
#include "knockout/mask/plan.h"
#include "knockout/nn/test_numbers.h"
#include "knockout/nn/test_operations.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

Modality table(std::int64_t features, Placeholder placeholder, double rate) {
  return {.name = "x",
          .shape = {features},
          .placeholder = placeholder,
          .force_placeholder = true,  // means of few numbers are short to work out
          .knockout_rate = rate,
          .separate_features = true};
}

Knockout one_modality(Modality modality, std::uint64_t seed = 7) {
  return Knockout(KnockoutModuleOptions{.modalities = {std::move(modality)}, .seed = seed});
}

/// Two images and a number per row.
std::vector<Modality> scans() {
  return {{.name = "t1", .shape = {1, 3, 3}, .placeholder = Placeholder::constant(-1)},
          {.name = "t2", .shape = {1, 3, 3}, .placeholder = Placeholder::constant(-2)},
          {.name = "age", .shape = {}, .placeholder = Placeholder::z_score()}};
}

std::vector<torch::Tensor> scan_rows(std::int64_t rows) {
  return {torch::rand({rows, 1, 3, 3}), torch::rand({rows, 1, 3, 3}), torch::rand({rows})};
}

TEST(Knockout, RemovesExactlyTheCellsThatTheNativeSamplerDraws) {
  Knockout knockout = one_modality(table(5, Placeholder::constant(10), 0.3), 42);
  const KnockoutPlan plan{.units = 5,
                          .parts = {{.unit_rates = std::vector<double>(5, 0.3)}},
                          .never_missing = std::vector<bool>(5, false)};
  const KnockoutSampler sampler(plan, Random(42, Stream::kKnockout));
  const torch::Tensor input = torch::rand({20, 5});
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor output = knockout->forward(input);
    std::vector<std::uint8_t> mask(5);
    for (int row = 0; row < 20; ++row) {
      sampler.draw(step, row, mask);
      for (int unit = 0; unit < 5; ++unit) {
        const float expected = mask[unit] != 0 ? 10.0f : input[row][unit].item<float>();
        EXPECT_EQ(output[row][unit].item<float>(), expected) << step << ' ' << row << ' ' << unit;
      }
    }
  }
}

TEST(Knockout, DrawsTheRowsThatAProcessIsGiven) {
  Knockout whole = one_modality(table(3, Placeholder::constant(9), 0.5));
  Knockout part = one_modality(table(3, Placeholder::constant(9), 0.5));
  const torch::Tensor input = torch::rand({10, 3});
  whole->set_step(4);
  part->set_step(4, /*first_row=*/6);
  EXPECT_TRUE(torch::equal(whole->forward(input).slice(0, 6), part->forward(input.slice(0, 6))));
}

TEST(Knockout, KnocksUnitsOutAtTheirRates) {
  std::vector<Modality> modalities = scans();
  modalities[0].knockout_rate = 0.1;
  modalities[1].knockout_rate = 0.6;
  modalities[2].knockout_rate = 0.0;
  Knockout knockout(KnockoutModuleOptions{.modalities = modalities});
  const torch::Tensor share = knockout->draw(0, 20000).ne(0).to(torch::kFloat64).mean(0);
  // Four standard deviations of a share of 20,000 draws.
  EXPECT_NEAR(share[0].item<double>(), 0.1, 4 * std::sqrt(0.1 * 0.9 / 20000));
  EXPECT_NEAR(share[1].item<double>(), 0.6, 4 * std::sqrt(0.6 * 0.4 / 20000));
  EXPECT_EQ(share[2].item<double>(), 0.0);
}

TEST(Knockout, TakesThePapersRateByDefault) {
  Knockout knockout(KnockoutModuleOptions{.modalities = scans()});
  for (const double rate : knockout->plan().expected_rates()) {
    EXPECT_NEAR(std::pow(1 - rate, 3), 0.5, 1e-12);
  }
}

TEST(Knockout, LeavesFiniteInputsAloneWhenPredicting) {
  Knockout knockout(KnockoutModuleOptions{.modalities = scans()});
  knockout->eval();
  const auto inputs = scan_rows(50);
  const auto outputs = knockout->forward_all(inputs);
  for (int m = 0; m < 3; ++m) EXPECT_TRUE(torch::equal(inputs[m], outputs[m]));
}

TEST(Knockout, SubstitutesMissingCellsAndThoseMissingForAReason) {
  Knockout knockout = one_modality(table(4, Placeholder::z_score(), 0.0));
  knockout->eval();
  const torch::Tensor input = torch::tensor({{1.0, kNan, kInf, -kInf}, {0.0, -2.0, kNan, 4.0}});
  const torch::Tensor expected = torch::tensor({{1.0, 10.0, -10.0, -10.0}, {0.0, -2.0, 10.0, 4.0}});
  EXPECT_TRUE(torch::equal(knockout->forward(input), expected));
}

TEST(Knockout, GivesInfinitiesTheOnlyPlaceholderThereIs) {
  Knockout knockout = one_modality(table(2, Placeholder::constant(5), 0.0));
  knockout->eval();
  EXPECT_TRUE(
      torch::equal(knockout->forward(torch::tensor({{1.0, -kInf}})), torch::tensor({{1.0, 5.0}})));
}

TEST(Knockout, LetsTheInducedMaskWinOverTheObservedOne) {
  Knockout knockout = one_modality(table(1, Placeholder::z_score(), 1.0));
  EXPECT_TRUE(torch::equal(knockout->forward(torch::tensor({{kInf}})), torch::tensor({{10.0}})));
}

TEST(Knockout, TakesTheSecondPlaceholderInTheReasonShareOfTheRows) {
  Modality modality = table(2, Placeholder::z_score(), 1.0);
  Knockout knockout(KnockoutModuleOptions{
      .modalities = {modality},
      .plan =
          KnockoutPlan{.units = 2, .parts = {{.unit_rates = {1.0, 1.0}}}, .reason_share = 1.0}});
  EXPECT_TRUE(torch::equal(knockout->forward(torch::rand({3, 2})), torch::full({3, 2}, -10.0)));
}

TEST(Knockout, SubstitutesWhatThePresenceMaskDenies) {
  Knockout knockout(KnockoutModuleOptions{.modalities = scans()});
  knockout->eval();
  const auto inputs = scan_rows(2);
  const auto outputs = knockout->forward_all(inputs, torch::tensor({{1, 0, 1}, {0, 1, 0}}));
  EXPECT_TRUE(torch::equal(outputs[0][0], inputs[0][0]));
  EXPECT_TRUE(torch::equal(outputs[0][1], torch::full({1, 3, 3}, -1.0)));
  EXPECT_TRUE(torch::equal(outputs[1][0], torch::full({1, 3, 3}, -2.0)));
  EXPECT_TRUE(torch::equal(outputs[1][1], inputs[1][1]));
  EXPECT_EQ(outputs[2][0].item<float>(), inputs[2][0].item<float>());
  EXPECT_EQ(outputs[2][1].item<float>(), 10.0f);
}

TEST(Knockout, FillsInAModalityThatIsAbsentAltogether) {
  Knockout knockout(KnockoutModuleOptions{.modalities = scans()});
  knockout->eval();
  auto inputs = scan_rows(4);
  inputs[1] = torch::Tensor();
  const auto outputs = knockout->forward_all(inputs);
  EXPECT_TRUE(torch::equal(outputs[0], inputs[0]));
  EXPECT_TRUE(torch::equal(outputs[1], torch::full({4, 1, 3, 3}, -2.0)));
  EXPECT_TRUE(torch::equal(knockout->forward_all({{}, {}, {}}, torch::zeros({2, 3}))[2],
                           torch::full({2}, 10.0)));
}

TEST(Knockout, GivesAnAbsentModalityNumbersOfItsOwnAndTheTypeOfTheOthers) {
  Knockout knockout(KnockoutModuleOptions{.modalities = scans()});
  knockout->eval();
  const std::vector<torch::Tensor> inputs = {torch::Tensor(), torch::rand({1, 1, 3, 3}),
                                             torch::rand({1}, torch::kFloat64)};
  torch::Tensor filled = knockout->forward_all(inputs)[0];
  EXPECT_EQ(filled.scalar_type(), torch::kFloat64);
  filled.fill_(7.0);  // as a layer that works in place would
  EXPECT_EQ(knockout->forward_all(inputs)[0].max().item<double>(), -1.0);
}

TEST(Knockout, DoesNotLookIntoAnAbsentModality) {
  Knockout knockout = one_modality(table(2, Placeholder::z_score(), 0.0));
  knockout->eval();
  EXPECT_TRUE(torch::equal(knockout->forward(torch::tensor({{kInf, 1.0}}), torch::zeros({1, 1})),
                           torch::tensor({{10.0, 10.0}})));
}

TEST(Knockout, KnocksOutChannelsOneByOneWhenFeaturesAreSeparate) {
  Knockout knockout = one_modality({.name = "volume",
                                    .shape = {4, 2, 2, 2},
                                    .placeholder = Placeholder::constant(-1),
                                    .knockout_rate = 0.5,
                                    .separate_features = true});
  EXPECT_EQ(knockout->unit_names()[3], "volume[3]");
  const torch::Tensor mask = knockout->draw(0, 30);
  const torch::Tensor output = knockout->forward(torch::rand({30, 4, 2, 2, 2}));
  const torch::Tensor removed = output.eq(-1).flatten(2);
  EXPECT_TRUE(torch::equal(removed.all(2), removed.any(2)));  // a channel goes as a whole
  EXPECT_TRUE(torch::equal(removed.all(2), mask.ne(0)));
}

TEST(Knockout, TakesModalitiesOfAGroupAwayTogether) {
  std::vector<Modality> modalities = scans();
  modalities[0].group = modalities[1].group = "mri";
  modalities[0].knockout_rate = modalities[2].knockout_rate = 0.5;
  Knockout knockout(KnockoutModuleOptions{.modalities = modalities});
  EXPECT_EQ(knockout->unit_names(), (std::vector<std::string>{"mri", "age"}));
  const auto outputs = knockout->forward_all(scan_rows(100));
  const torch::Tensor first_gone = outputs[0].eq(-1).flatten(1).all(1);
  const torch::Tensor second_gone = outputs[1].eq(-2).flatten(1).all(1);
  const torch::Tensor age_gone = outputs[2].eq(10);
  EXPECT_TRUE(torch::equal(first_gone, second_gone));
  EXPECT_FALSE(torch::equal(first_gone, age_gone));
}

TEST(Knockout, KeepsAtLeastOneOfWhatARowHas) {
  std::vector<Modality> modalities = scans();
  for (Modality& modality : modalities) modality.knockout_rate = 0.9;
  Knockout knockout(
      KnockoutModuleOptions{.modalities = modalities, .keep_at_least_one = true, .seed = 3});
  auto inputs = scan_rows(400);
  const torch::Tensor presence = torch::rand({400, 3}).gt(0.5);
  inputs[2].slice(0, 0, 200).fill_(kNan);  // absent in another way
  const auto outputs = knockout->forward_all(inputs, presence);
  const torch::Tensor had = presence.logical_and(torch::stack(
      {torch::ones({400}, torch::kBool), torch::ones({400}, torch::kBool), inputs[2].isfinite()},
      1));
  const torch::Tensor has = torch::stack(
      {outputs[0].ne(-1).flatten(1).any(1), outputs[1].ne(-2).flatten(1).any(1), outputs[2].ne(10)},
      1);
  EXPECT_TRUE(torch::equal(had.any(1), has.any(1)));
  EXPECT_LT(has.sum().item<int>(), had.sum().item<int>());  // the others still go
  EXPECT_FALSE(has.logical_and(had.logical_not()).any().item<bool>());
}

// --- gradients ---

TEST(Knockout, PassesGradientsThroughWhatIsKeptAlone) {
  Knockout knockout = one_modality(table(3, Placeholder::constant(10), 0.5));
  const torch::Tensor input = torch::rand({40, 3}, torch::requires_grad());
  const torch::Tensor kept = knockout->draw(0, 40).eq(0);
  knockout->forward(input).sum().backward();
  EXPECT_TRUE(torch::equal(input.grad(), kept.to(torch::kFloat32)));
}

TEST(Knockout, TrainsLearnedPlaceholdersByTheRightGradient) {
  Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "latent",
                                                          .shape = {4},
                                                          .placeholder = Placeholder::learned(),
                                                          .knockout_rate = 0.5}}});
  knockout->to(torch::kFloat64);
  ASSERT_EQ(knockout->parameters().size(), 1u);
  const torch::Tensor input = torch::rand({30, 4}, torch::kFloat64);
  const torch::Tensor weights = torch::randn({30, 4}, torch::kFloat64);
  torch::Tensor placeholder = knockout->parameters()[0];
  const auto loss = [&] {
    knockout->set_step(5);
    return (knockout->forward(input).pow(3) * weights).sum();
  };
  {
    const torch::NoGradGuard guard;
    placeholder.copy_(torch::rand({4}, torch::kFloat64));
  }
  loss().backward();
  constexpr double kStep = 1e-5;
  for (int i = 0; i < 4; ++i) {
    const torch::NoGradGuard guard;
    placeholder[i].add_(kStep);
    const double above = loss().item<double>();
    placeholder[i].sub_(2 * kStep);
    const double below = loss().item<double>();
    placeholder[i].add_(kStep);
    EXPECT_NEAR(placeholder.grad()[i].item<double>(), (above - below) / (2 * kStep), 1e-7);
  }
}

TEST(Knockout, DoesNotPoisonTheGradientsOfTheNetworkBehindIt) {
  Knockout knockout = one_modality(table(2, Placeholder::z_score(), 0.2));
  torch::nn::Linear linear(2, 1);
  const torch::Tensor input = torch::tensor({{1.0f, NAN}, {-INFINITY, 2.0f}});
  linear->forward(knockout->forward(input)).sum().backward();
  EXPECT_TRUE(linear->weight.grad().isfinite().all().item<bool>());
}

// --- means, state, types ---

TEST(Knockout, ObservesTheMeanOfTheCellsThatAreThere) {
  Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "image",
                                                          .shape = {1, 2},
                                                          .placeholder = Placeholder::mean(),
                                                          .force_placeholder = true}}});
  knockout->observe({torch::tensor({{{1.0f, 5.0f}}, {{NAN, 7.0f}}})});
  knockout->observe({torch::tensor({{{4.0f, 100.0f}}, {{3.0f, 9.0f}}})},
                    torch::tensor({{false}, {true}}));
  knockout->eval();
  const torch::Tensor output = knockout->forward(torch::full({1, 1, 2}, NAN));
  EXPECT_FLOAT_EQ(output[0][0][0].item<float>(), 2.0f);  // (1 + 3) / 2
  EXPECT_FLOAT_EQ(output[0][0][1].item<float>(), 7.0f);  // (5 + 7 + 9) / 3
}

TEST(Knockout, GoesOnWhereASavedOneStopped) {
  const auto make = [] { return one_modality(table(6, Placeholder::learned(), 0.4)); };
  const torch::Tensor input = torch::rand({8, 6});
  Knockout first = make();
  for (int i = 0; i < 3; ++i) first->forward(input);
  std::stringstream file;
  torch::save(first, file);
  Knockout second = make();
  second->forward(input);
  torch::load(second, file);
  EXPECT_TRUE(torch::equal(first->forward(input), second->forward(input)));
  const auto copy = std::dynamic_pointer_cast<KnockoutImpl>(first->clone());
  EXPECT_TRUE(torch::equal(first->forward(input), copy->forward(input)));
  EXPECT_EQ(first->named_buffers()["step"].item<std::int64_t>(), 5);
}

TEST(Knockout, KeepsTheTypeOfItsInput) {
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kBFloat16, torch::kFloat16}) {
    Knockout knockout = one_modality(table(2, Placeholder::z_score(), 0.5));
    const torch::Tensor input = torch::tensor({{1.0, kNan}, {2.0, kInf}}).to(type);
    EXPECT_EQ(knockout->forward(input).scalar_type(), type);
    knockout->eval();
    EXPECT_EQ(knockout->forward(input)[0][1].item<double>(), 10.0);
  }
}

TEST(Knockout, KeepsCountOfItsStepsInHalfPrecision) {
  torch::nn::Sequential network(one_modality(table(2, Placeholder::z_score(), 0.5)));
  set_knockout_step(*network, 2049);  // the first whole number that half precision lacks
  network->to(torch::kFloat16);
  EXPECT_EQ(network->named_buffers()["0.step"].scalar_type(), torch::kInt64);
  EXPECT_EQ(network->named_buffers()["0.step"].item<std::int64_t>(), 2049);
  EXPECT_EQ(network->named_buffers()["0.x_placeholder"].scalar_type(), torch::kFloat16);
}

TEST(Knockout, KeepsCountOfObservedCellsInHalfPrecision) {
  Knockout knockout = one_modality(table(1, Placeholder::mean(), 0.0));
  knockout->observe({torch::full({70000, 1}, 2.0)});  // half precision ends at 65,504
  knockout->to(torch::kFloat16);
  EXPECT_EQ(knockout->named_buffers()["x_observed"].item<std::int64_t>(), 70000);
  knockout->observe({torch::full({10000, 1}, 10.0, torch::kFloat16)});
  EXPECT_EQ(knockout->named_buffers()["x_observed"].item<std::int64_t>(), 80000);
  EXPECT_EQ(knockout->named_buffers()["x_placeholder"].scalar_type(), torch::kFloat16);
  EXPECT_EQ(knockout->named_buffers()["x_placeholder"].item<double>(), 3.0);  // 240,000 / 80,000
}

TEST(Knockout, NeverMakesTheHostWaitForTheDevice) {
  std::vector<Modality> modalities = scans();
  modalities[0].placeholder = Placeholder::learned();
  modalities[1].placeholder = Placeholder::mean();
  modalities[1].force_placeholder = true;
  Knockout knockout(KnockoutModuleOptions{.modalities = modalities, .keep_at_least_one = true});
  knockout->set_step(0);
  const auto inputs = scan_rows(4);
  const torch::Tensor presence = torch::ones({4, 3});
  const RecordedOperations operations;
  knockout->forward_all(inputs, presence);
  knockout->forward_all(inputs, presence);
  knockout->eval();
  knockout->forward_all(inputs, presence);
  EXPECT_EQ(operations.count("aten::where"), 12);  // 3 x (3 modalities and 1 second placeholder)
  // A number that the host asks for, and sizes that depend on numbers.
  EXPECT_EQ(operations.count("aten::_local_scalar_dense"), 0);
  EXPECT_EQ(operations.count("aten::nonzero"), 0);
  knockout->needs_means();
  EXPECT_EQ(operations.count("aten::_local_scalar_dense"), 1);  // such as here
}

TEST(Knockout, PrintsItself) {
  std::ostringstream text;
  const Knockout knockout(KnockoutModuleOptions{.modalities = scans(), .seed = 3});
  text << knockout;
  Sha256 hash;
  hash.add(plan_to_json(knockout->plan()).dump());
  const std::string plan_hash = hash.finish().substr(0, 12);
  EXPECT_EQ(text.str(),
            "knockout::nn::Knockout(t1 [1, 3, 3]: -1, t2 [1, 3, 3]: -2, age []: 10/-10; units=3, "
            "rate=0.206, plan=" +
                plan_hash + ", seed=3, member=0)");
}

TEST(Knockout, PrintsWhatTellsItFromAnother) {
  const auto printed = [](const KnockoutModuleOptions& options) {
    std::ostringstream text;
    text << Knockout(options);
    return text.str();
  };
  // Plans with the same rate: both units alone, or always together.
  const KnockoutPlan apart{.units = 2, .parts = {{.unit_rates = {0.5, 0.5}}}};
  KnockoutPlan together = apart;
  together.correlated = {{.units = {0, 1}, .strength = 1.0}};
  const std::vector<Modality> modalities = {{.name = "a", .shape = {}}, {.name = "b", .shape = {}}};
  const KnockoutModuleOptions options{.modalities = modalities, .plan = apart};
  EXPECT_EQ(printed(options), printed(options));
  EXPECT_NE(printed(options), printed({.modalities = modalities, .plan = together}));
  EXPECT_NE(printed(options), printed({.modalities = modalities, .plan = apart, .member = 1}));
}

// --- errors ---

TEST(Knockout, ExplainsInputsThatDoNotFit) {
  Knockout knockout(KnockoutModuleOptions{.modalities = scans()});
  auto inputs = scan_rows(4);
  expect_refusal([&] { knockout->forward(inputs[0]); }, "one tensor was given for 3 modalities");
  expect_refusal([&] { knockout->forward_all({inputs[0], inputs[1]}); }, "2 inputs were given");
  expect_refusal([&] { knockout->forward_all(inputs, torch::ones({4, 2})); }, "expected [rows, 3]");
  expect_refusal([&] { knockout->forward_all(inputs, torch::tensor(1.0)); }, "the shape []");
  expect_refusal([&] { knockout->forward_all({{}, {}, {}}); }, "every modality is absent");
  inputs[1] = torch::rand({5, 1, 3, 3});
  expect_refusal([&] { knockout->forward_all(inputs); },
                 "\"t2\" has 5 rows where the others have 4");
  inputs[1] = torch::rand({4, 3, 3});
  expect_refusal([&] { knockout->forward_all(inputs); }, "\"t2\" has the shape [4, 3, 3]");
  inputs[1] = torch::ones({4, 1, 3, 3}, torch::kInt64);
  expect_refusal([&] { knockout->forward_all(inputs); }, "KnockoutEmbedding");
}

TEST(SetKnockoutStep, ReachesEveryKnockoutInsideANetwork) {
  torch::nn::Sequential network(one_modality(table(4, Placeholder::constant(3), 0.5), 1),
                                torch::nn::Linear(4, 4),
                                one_modality(table(4, Placeholder::constant(3), 0.5), 2));
  const torch::Tensor input = torch::rand({6, 4});
  set_knockout_step(*network, 11);
  EXPECT_EQ(network->named_buffers()["0.step"].item<std::int64_t>(), 11);
  EXPECT_EQ(network->named_buffers()["2.step"].item<std::int64_t>(), 11);
  const torch::Tensor once = network->forward(input);
  EXPECT_FALSE(torch::equal(once, network->forward(input)));
  set_knockout_step(*network, 11);
  EXPECT_TRUE(torch::equal(once, network->forward(input)));
}

TEST(CheckKnockouts, RefusesModulesThatWouldGoMissingTogether) {
  torch::nn::Sequential network(one_modality(table(4, Placeholder::zeros(), 0.5)),
                                torch::nn::Linear(4, 4));
  EXPECT_NO_THROW(check_knockouts(*network));
  network->push_back(one_modality(table(4, Placeholder::zeros(), 0.5)));
  expect_refusal([&] { check_knockouts(*network); }, "the same seed and member");
}

TEST(CheckKnockouts, RefusesAMeanThatWasNeverObserved) {
  Knockout knockout = one_modality(table(2, Placeholder::mean(), 0.5));
  torch::nn::Sequential network(knockout, torch::nn::Linear(2, 1));
  expect_refusal([&] { check_knockouts(*network); }, "Call observe()");
  knockout->observe({torch::rand({3, 2})});
  EXPECT_NO_THROW(check_knockouts(*network));
}

}  // namespace
}  // namespace knockout::nn
