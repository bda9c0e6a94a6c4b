// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/option.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stop_token>

#include "knockout/base/error.h"
#include "knockout/base/option_json.h"

namespace knockout {
namespace {

enum class Colour { kRed, kBlue };
constexpr auto names_of(Colour) {
  return std::array{EnumName<Colour>{"red", Colour::kRed}, EnumName<Colour>{"blue", Colour::kBlue}};
}

struct Paint {
  int coats = 2;
  std::optional<double> share = {};
  std::vector<int> layers = {1};
  Colour colour = Colour::kBlue;
  int threads = 0;
};
constexpr auto descriptions_of(const Paint*) {
  return std::tuple(
      option(&Paint::coats, {.name = "coats", .help = "", .range = {.low = 1}}),
      option(&Paint::share,
             {.name = "share", .help = "", .range = {.low = 0, .high = 1, .high_excluded = true}}),
      option(&Paint::layers, {.name = "layers", .help = "", .range = {.low = 1, .high = 9}}),
      option(&Paint::colour, {.name = "colour", .help = ""}),
      option(&Paint::threads, {.name = "threads", .help = "", .learned = Learned::kNo}));
}

/// Fields of every awkward type, two of them forgotten.
struct Forgetful {
  std::optional<double> share = {};
  std::optional<std::string> folder = {};
  std::optional<std::vector<int>> layers = {};
  std::optional<bool> yes = {};
  std::variant<std::monostate, double> rate = {};
  std::vector<std::string> names = {};
  std::string name = {};
  Paint paint = {};
  std::function<void(int)> call = {};
  std::stop_token stop = {};
  const Paint* other = nullptr;
  Colour colour = Colour::kRed;
};
constexpr auto descriptions_of(const Forgetful*) {
  using F = Forgetful;
  const OptionText text{.name = "", .help = ""};
  return std::tuple(option(&F::share, text), option(&F::folder, text), option(&F::layers, text),
                    option(&F::yes, text), option(&F::rate, text), option(&F::names, text),
                    option(&F::name, text));
}
constexpr auto undescribed_of(const Forgetful*) {
  using F = Forgetful;
  return std::tuple(&F::paint, &F::call, &F::stop);
}

enum class Lonely { kOnly };
enum class Holed { kFirst = 0, kSecond = 1, kFar = 7 };

TEST(EnumeratorCount, CountsFromZeroToTheFirstHole) {
  EXPECT_EQ(enumerator_count<Colour>(), 2U);
  EXPECT_EQ(enumerator_count<Lonely>(), 1U);
  EXPECT_EQ(enumerator_count<Holed>(), 2U);
  EXPECT_TRUE(is_enumerator<Holed::kFar>());
  EXPECT_FALSE(is_enumerator<static_cast<Holed>(6)>());
  EXPECT_FALSE(is_enumerator<static_cast<Holed>(-1)>());
}

TEST(NamesEveryField, IsFalseForAFieldThatIsNeitherDescribedNorNamed) {
  EXPECT_EQ(count_fields<Paint>(), 5U);
  EXPECT_EQ(count_fields<Forgetful>(), 12U);
  EXPECT_TRUE(names_every_field<Paint>());
  EXPECT_FALSE(names_every_field<Forgetful>());
}

std::string refusal_of(const Paint& paint) {
  try {
    check_ranges(paint);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(NumberRange, SaysItsEnds) {
  EXPECT_EQ(NumberRange{}.text(), "any");
  EXPECT_EQ((NumberRange{.low = 1}.text()), "from 1");
  EXPECT_EQ((NumberRange{.low = 0, .low_excluded = true}.text()), "above 0");
  EXPECT_EQ((NumberRange{.low = 0, .high = 1, .high_excluded = true}.text()), "from 0 to below 1");
  EXPECT_EQ((NumberRange{.high = 5}.text()), "up to 5");
}

TEST(NumberRange, HoldsItsEndsUnlessTheyAreExcluded) {
  const NumberRange closed{.low = 0, .high = 1};
  EXPECT_TRUE(closed.contains(0) && closed.contains(1));
  const NumberRange open{.low = 0, .high = 1, .low_excluded = true, .high_excluded = true};
  EXPECT_FALSE(open.contains(0) || open.contains(1));
  EXPECT_FALSE(NumberRange{}.contains(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(NumberRange{}.contains(std::numeric_limits<double>::infinity()));
}

TEST(CheckRanges, LooksAtEveryKindOfValueAndNamesTheField) {
  EXPECT_EQ(refusal_of({}), "");
  EXPECT_EQ(refusal_of({.coats = 0}), "`coats` is 0: expected a number from 1.");
  EXPECT_NE(refusal_of({.share = 1}).find("`share`"), std::string::npos);
  EXPECT_EQ(refusal_of({.share = 0}), "");
  EXPECT_NE(refusal_of({.layers = {1, 10}}).find("`layers` is 10"), std::string::npos);
}

TEST(ForEachNumber, LooksIntoVariantsAndPassesOverWhatIsNoNumber) {
  std::vector<double> seen;
  const auto see = [&](double number) { seen.push_back(number); };
  for_each_number(std::variant<std::monostate, double>(0.5), see);
  for_each_number(std::variant<std::monostate, double>(), see);
  for_each_number(std::string("3"), see);
  for_each_number(true, see);
  for_each_number(Colour::kBlue, see);
  EXPECT_EQ(seen, std::vector{0.5});
}

TEST(OptionJson, HoldsWhatChangesTheResultWithEnumsAsWords) {
  EXPECT_EQ(
      learned_options_to_json(Paint{}),
      (nlohmann::json{{"coats", 2}, {"share", nullptr}, {"layers", {1}}, {"colour", "blue"}}));
}

TEST(Field, WritesBackquotesOfValuesTwice) {
  EXPECT_EQ(field("ignore"), "`ignore`");
  EXPECT_EQ(field("ignore", "a`b"), "`ignore = a``b`");
}

}  // namespace
}  // namespace knockout
