// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/model/model_file.h"

namespace knockout {
namespace {

/// A learner that can be checked by hand: an offset plus the sum of a row's inputs.
class SumLearner : public Learner {
 public:
  SumLearner(float offset, int width) : offset_(offset), width_(width) {}

  static LearnerPointer read(const LearnerSource& source) {
    const auto found = source.tensors.find(source.prefix + "offset");
    if (found == source.tensors.end()) throw ModelFileError("no offset");
    return std::make_shared<SumLearner>(found->second.values.at(0), source.encoder.width());
  }

  std::string_view kind() const override { return "sum"; }
  std::unique_ptr<LearnerWorkspace> make_workspace(int /*rows*/) const override {
    return std::make_unique<LearnerWorkspace>();
  }
  void answer(const EncodedBlock& block, LearnerWorkspace& /*workspace*/,
              std::span<double* const> answers) const override {
    for (int r = 0; r < block.rows; ++r) {
      const float* row = block.values + r * width_;
      answers[0][r] = std::accumulate(row, row + width_, static_cast<double>(offset_));
    }
  }
  nlohmann::json write(const std::string& prefix,
                       std::map<std::string, Tensor>& tensors) const override {
    tensors[prefix + "offset"] = {{1}, {offset_}};
    return nlohmann::json::object();
  }

 private:
  float offset_;
  int width_;
};

constexpr LearnerKind kSumKind[] = {{"sum", SumLearner::read}};

struct MadeParts {
  Table table = read_csv_text("a,b,y\n1,2,3\n4,,5\n-6,7,8\n0,1,2\n", "parts.csv");
  Schema schema = [] {
    Schema schema;
    schema.features = {{.name = "a"}, {.name = "b", .training_gaps = GapMeaning::kAtRandom}};
    schema.targets = {{.name = "y"}};
    return schema;
  }();
  Encoder encoder = Encoder::fit(table, schema);
  std::vector<TargetCoding> targets = code_targets(table, schema);
  KnockoutPlan plan = make_plan({"a", "b"}, {false, false}, {});

  LearnerPointer learner(float offset) const {
    return std::make_shared<SumLearner>(offset, encoder.width());
  }
  Model model(std::vector<WeightedLearner> learners) const {
    return {encoder, targets, plan, std::move(learners), {{"steps", 1}}, nlohmann::json::object()};
  }
  Model of_two() const {
    return model(
        {{.learner = learner(10), .weight = 0.25}, {.learner = learner(20), .weight = 0.75}});
  }
  /// What a single learner must answer, from the encoder alone.
  std::vector<double> sums(double offset) const {
    const EncodedRows rows = encoder.encode(table);
    std::vector<double> sums;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const auto first = rows.values.begin() + static_cast<std::ptrdiff_t>(r * rows.width);
      sums.push_back(std::accumulate(first, first + rows.width, offset));
    }
    return sums;
  }
};

TEST(Model, AnswersAsItsOnlyLearnerDoes) {
  const MadeParts parts;
  const Model model = parts.model({{.learner = parts.learner(10)}});
  EXPECT_EQ(model.predict(parts.table)[0].values, parts.sums(10));
}

TEST(Model, RefusesToAnswerWithWhatIsNotFinite) {
  const MadeParts parts;
  for (const float odd : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const Model model = parts.model({{.learner = parts.learner(odd)}});
    EXPECT_THROW(model.predict(parts.table), ModelFileError);
    EXPECT_THROW(parts
                     .model({{.learner = parts.learner(1), .weight = 0.5},
                             {.learner = parts.learner(odd), .weight = 0.5}})
                     .predict(parts.table),
                 ModelFileError);
  }
}

/// Holds as much for each row as a network with layers a million wide.
class WideLearner final : public SumLearner {
 public:
  using SumLearner::SumLearner;
  std::size_t row_memory() const override { return std::size_t{1} << 24; }
  std::unique_ptr<LearnerWorkspace> make_workspace(int rows) const override {
    most_rows = std::max(most_rows.load(), rows);
    return std::make_unique<LearnerWorkspace>();
  }
  mutable std::atomic<int> most_rows = 0;
};

TEST(Model, TakesFewRowsAtOnceWhereALearnerHoldsMuchForEach) {
  const MadeParts parts;
  const auto wide = std::make_shared<WideLearner>(10.0F, parts.encoder.width());
  const std::vector<std::size_t> rows(500, 2);
  const Table table = parts.table.take_rows(rows);
  const std::vector<double> found =
      parts.model({{.learner = wide}}).predict(table, {}, 1)[0].values;
  EXPECT_EQ(found, std::vector<double>(500, parts.sums(10)[2]));
  EXPECT_GE(wide->most_rows, 1);
  EXPECT_LE(wide->most_rows, 4) << "256 MB";
}

TEST(Model, AddsUpTheAnswersOfItsLearnersByTheirWeights) {
  const MadeParts parts;
  const std::vector<double> found = parts.of_two().predict(parts.table)[0].values;
  const std::vector<double> expected = parts.sums(0.25 * 10 + 0.75 * 20);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) EXPECT_NEAR(found[r], expected[r], 1e-12);
}

TEST(Model, HidesPatternsFromAnyLearner) {
  const MadeParts parts;
  const Model model = parts.of_two();
  const std::vector<MissingPattern> patterns = {{}, {{"a"}}, {{"a", "b"}}};
  std::size_t received = 0;
  model.predict_patterns(parts.table, patterns, [&](std::size_t p, const auto& predictions) {
    ++received;
    EXPECT_EQ(predictions[0].values,
              model.predict(hide_columns(parts.table, patterns[p].columns))[0].values);
  });
  EXPECT_EQ(received, patterns.size());
}

TEST(Model, IsTheSameAfterItsBytes) {
  const MadeParts parts;
  const Model model = parts.of_two();
  const std::string bytes = model.to_bytes();
  const Model again = Model::from_bytes(bytes, "memory", kSumKind);
  EXPECT_EQ(again.predict(parts.table)[0].values, model.predict(parts.table)[0].values);
  EXPECT_EQ(again.recipe(), model.recipe());
  EXPECT_EQ(again.to_bytes(), bytes);
}

TEST(Model, NeedsALearnerATargetAndWeightsThatAddUpToOne) {
  const MadeParts parts;
  EXPECT_THROW(parts.model({}), ConfigError);
  EXPECT_THROW(parts.model({{.learner = nullptr}}), ConfigError);
  EXPECT_THROW(parts.model({{.learner = parts.learner(1), .weight = 0.5}}), ConfigError);
  EXPECT_THROW(parts.model({{.learner = parts.learner(1), .weight = -1},
                            {.learner = parts.learner(1), .weight = 2}}),
               ConfigError);
  EXPECT_THROW(Model(parts.encoder, {}, parts.plan, {{.learner = parts.learner(1)}}, {}, {}),
               ConfigError);
}

TEST(Model, RefusesAFileWhosePartsDoNotFitTogether) {
  const MadeParts parts;
  const ModelFile good = model_file_from_bytes(parts.of_two().to_bytes(), "good");
  const auto expect_refused = [&](const std::string& reason,
                                  const std::function<void(ModelFile&)>& damage) {
    ModelFile file = good;
    damage(file);
    try {
      Model::from_bytes(model_file_to_bytes(file), "m.st", kSumKind);
      ADD_FAILURE() << "loaded: " << reason;
    } catch (const ModelFileError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("m.st: ")) << message;
      EXPECT_NE(message.find(reason), std::string::npos) << message;
    }
  };
  for (const char* part : {"encoder", "targets", "plan", "learners", "combination"}) {
    expect_refused(part, [&](ModelFile& file) { file.document.erase(part); });
  }
  expect_refused("1 to",
                 [](ModelFile& file) { file.document["learners"] = nlohmann::json::array(); });
  expect_refused("1 to", [](ModelFile& file) { file.document["learners"] = 3; });
  expect_refused("which kind", [](ModelFile& file) { file.document["learners"][1].erase("kind"); });
  expect_refused("which kind", [](ModelFile& file) { file.document["learners"][1] = 7; });
  expect_refused("\"stars\"",
                 [](ModelFile& file) { file.document["learners"][0]["kind"] = "stars"; });
  const auto weights = [](nlohmann::json values) {
    return [values](ModelFile& file) { file.document["combination"]["weights"] = values; };
  };
  expect_refused("1 weights for 2 learners", weights({1.0}));
  expect_refused("add up to 1", weights({0.5, 0.4}));
  expect_refused("not a number", weights({-0.5, 1.5}));
  expect_refused("not a number", weights({0.5, "0.5"}));
  expect_refused("the combination", [](ModelFile& file) { file.document["combination"] = 1; });
  expect_refused("no offset", [](ModelFile& file) { file.tensors.erase("learner.1.offset"); });
  expect_refused("belongs to no learner", [](ModelFile& file) {
    file.tensors["learner.2.offset"] = {{1}, {1}};
  });
  expect_refused("recipe", [](ModelFile& file) { file.document["recipe"] = "soup"; });
  expect_refused("targets",
                 [](ModelFile& file) { file.document["targets"] = nlohmann::json::array(); });
  expect_refused("target", [](ModelFile& file) {
    file.document["targets"] = nlohmann::json::array();
    file.document["encoder"]["schema"]["targets"] = nlohmann::json::array();
  });
}

TEST(Model, ThatWasMovedFromIsAnExceptionWhateverItIsAskedFor) {
  const MadeParts parts;
  Model model = parts.of_two();
  const Model other = std::move(model);
  // NOLINTBEGIN(bugprone-use-after-move): that is the question.
  EXPECT_THROW(model.predict(parts.table), ConfigError);
  EXPECT_THROW(model.predict_encoded({}), ConfigError);
  EXPECT_THROW(model.predict_patterns(parts.table, {}, {}), ConfigError);
  EXPECT_THROW(Model::Workspace(model, 1), ConfigError);
  EXPECT_THROW(model.to_bytes(), ConfigError);
  EXPECT_THROW(model.recipe(), ConfigError);
  EXPECT_THROW(model.provenance(), ConfigError);
  EXPECT_TRUE(model.schema().features.empty());
  model = other;
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(model.to_bytes(), other.to_bytes());
}

TEST(Model, SaysOfATableWhatItLacks) {
  const MadeParts parts;
  const Model model = parts.of_two();
  EXPECT_TRUE(model.notes_on(parts.table).empty());
  const auto misspelt = model.notes_on(read_csv_text("a,B\n1,2\n", "new.csv"));
  ASSERT_EQ(misspelt.size(), 2U);
  EXPECT_EQ(misspelt[0],
            "new.csv lacks 1 of the 2 columns that the model knows; it counts as missing: b.");
  EXPECT_EQ(misspelt[1],
            "new.csv has another column where the model knows \"b\". Did you mean \"B\"?");
  const auto strange = model.notes_on(Table({Column::numbers("weight", {1})}));
  ASSERT_EQ(strange.size(), 1U);
  EXPECT_EQ(strange[0].find("The table has NONE of the 2 columns"), 0U) << strange[0];
}

}  // namespace
}  // namespace knockout
