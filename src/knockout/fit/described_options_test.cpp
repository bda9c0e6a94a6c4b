// SPDX-License-Identifier: Apache-2.0
// What the descriptions promise is kept by the library, option by option.
#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/base/option_json.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/networks/checkpoint.h"

namespace knockout {
namespace {

/// Sets the number of a value, whatever holds it; false where it can hold none.
template <typename Value>
bool set_number(Value& value, double number) {
  if constexpr (std::is_same_v<Value, int>) {
    value = static_cast<int>(number);
    return value == number;
  } else if constexpr (std::is_same_v<Value, double>) {
    value = number;
    return true;
  } else if constexpr (kIsOptional<Value>) {
    return set_number(value.emplace(), number);
  } else if constexpr (std::is_same_v<Value, KnockoutRate>) {
    value = number;
    return true;
  } else if constexpr (std::is_same_v<Value, std::vector<int>> ||
                       std::is_same_v<Value, std::vector<double>>) {
    return set_number(value.emplace_back(), number);
  }
  return false;
}

/// Numbers just outside of a range.
std::vector<double> outside(const NumberRange& range) {
  std::vector<double> numbers;
  if (std::isfinite(range.low)) numbers.push_back(range.low_excluded ? range.low : range.low - 1);
  if (std::isfinite(range.high))
    numbers.push_back(range.high_excluded ? range.high : range.high + 1);
  return numbers;
}

/// Calls `use` with every described number out of its range; it must throw a ConfigError that names
/// the field.
template <typename Options, typename Use>
int expect_ranges_enforced(Use use) {
  int tried = 0;
  for_each_option<Options>([&](const auto& described) {
    for (const double number : outside(described.range)) {
      Options options;
      if (!set_number(options.*described.member, number)) continue;
      ++tried;
      try {
        use(options);
        ADD_FAILURE() << described.name << " = " << number << " was accepted";
      } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find(field(described.name)), std::string::npos)
            << error.what();
      }
    }
  });
  return tried;
}

Table small_table() {
  return read_csv_text("a,b,y\n1,2,3.5\n2,4,4.5\n3,1,2.5\n5,2,1.5\n", "small.csv");
}

TEST(DescribedOptions, NumbersOutsideTheirRangeAreRefusedByName) {
  const Table table = small_table();
  const Schema schema = infer_schema(table, {.targets = {"y"}}).schema;
  EXPECT_GE(expect_ranges_enforced<TrainOptions>(
                [](const TrainOptions& options) { resolve(options, 100); }),
            25);
  EXPECT_GE(expect_ranges_enforced<EncodeOptions>(
                [&](const EncodeOptions& options) { Encoder::fit(table, schema, options); }),
            2);
  EXPECT_GE(expect_ranges_enforced<KnockoutOptions>(
                [](const KnockoutOptions& options) { make_plan({"a"}, {false}, options); }),
            4);
}

/// Gives an option another value than it has.
template <typename Value>
void change(Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    value = names_of(Value{})[value == names_of(Value{})[0].value ? 1 : 0].value;
  } else if constexpr (std::is_same_v<Value, std::vector<int>> ||
                       std::is_same_v<Value, std::vector<double>>) {
    value.push_back(1);
  } else if constexpr (kIsOptional<Value>) {
    value.emplace();
    if constexpr (std::is_same_v<Value, std::optional<std::string>>) value = "folder";
  } else {
    value = value == 0 ? Value(1) : Value(value / 2);
  }
}

TEST(DescribedOptions, TheIdentityOfATrainingChangesWithEachThatIsLearnedAndNoOther) {
  const Table table = small_table();
  const Schema schema = infer_schema(table, {.targets = {"y"}}).schema;
  const Encoder encoder = Encoder::fit(table, schema);
  const KnockoutPlan plan = make_plan({"a", "b"}, {false, false}, {});
  const Examples examples{
      .inputs = encoder.encode(table), .heads = {}, .labels = {}, .weights = {}};
  const ResolvedTraining resolved = resolve({.checkpoint_folder = "here"}, table.rows());
  const TrainingIdentity before = identity_of(examples, encoder, plan, resolved);
  for_each_option<ResolvedTraining>([&](const auto& described) {
    ResolvedTraining other = resolved;
    change(other.*described.member);
    const bool differs = identity_of(examples, encoder, plan, other) != before;
    EXPECT_EQ(differs, described.learned == Learned::kYes) << described.name;
  });
}

TEST(DescribedOptions, TheRecipeOfAModelHoldsAllThatIsLearned) {
  FitOptions options{.schema = {.targets = {"y"}, .task = Task::kRegression}};
  options.knockout.rate = PaperRate{};
  options.encode.placeholders = {{"a", 20.0}};
  options.train = {.hidden = {{4}}, .networks = 1, .steps = 5, .validation_share = 0};
  const nlohmann::json recipe = fit(small_table(), options).model.recipe();
  const auto expect_all = [](const nlohmann::json& part, const auto* described_struct) {
    using Options = std::remove_cvref_t<decltype(*described_struct)>;
    for_each_option<Options>([&](const auto& described) {
      EXPECT_EQ(part.contains(described.name), described.learned == Learned::kYes)
          << described.name;
    });
  };
  expect_all(recipe.at("train"), static_cast<const TrainOptions*>(nullptr));
  expect_all(recipe.at("knockout"), static_cast<const KnockoutOptions*>(nullptr));
  expect_all(recipe.at("encode"), static_cast<const EncodeOptions*>(nullptr));
  expect_all(recipe, static_cast<const FitOptions*>(nullptr));
  EXPECT_EQ(recipe.at("train").at("steps"), 5);
  EXPECT_EQ(recipe.at("train").at("optimizer"), "adam");
  EXPECT_EQ(recipe.at("knockout").at("rate"), "paper");
  EXPECT_EQ(recipe.at("encode").at("placeholders"), (nlohmann::json{{"a", 20.0}}));
  EXPECT_EQ(recipe.at("class_weights"), "equal");
}

}  // namespace
}  // namespace knockout
