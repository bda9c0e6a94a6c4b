// SPDX-License-Identifier: Apache-2.0
// Fitted imputers to and from bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/impute/fitted_imputer.h"
#include "knockout/impute/test_tables.h"

namespace knockout {
namespace {

using namespace knockout::test;

/// Patients with an ordered column besides.
Table graded_patients(double gap_share) {
  const Table table = patients(gap_share);
  std::vector<std::string> grades;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    grades.push_back(row % 5 == 0 ? "" : row % 3 == 0 ? "low" : row % 3 == 1 ? "mid" : "high");
  }
  std::vector<Column> columns(table.columns().begin(), table.columns().end());
  columns.push_back(words("grade", grades));
  return Table(std::move(columns));
}

Schema graded_schema() {
  Schema schema = patient_schema();
  schema.features.push_back(
      {.name = "grade", .kind = ColumnKind::kOrdered, .categories = {"low", "mid", "high"}});
  schema.unseen_category = UnseenCategory::kMissing;
  return schema;
}

std::unique_ptr<Imputer> fitted_to_patients(ImputerKind kind) {
  return fit_imputer(kind, graded_patients(0.3), graded_schema(), {.neighbors = 3, .trees = 9});
}

class EveryImputerFile : public testing::TestWithParam<ImputerKind> {};

TEST_P(EveryImputerFile, FillsAlikeAfterItsWayThroughBytes) {
  const auto imputer = fitted_to_patients(GetParam());
  const std::string bytes = imputer->to_bytes();
  const auto again = imputer_from_bytes(bytes);
  EXPECT_EQ(again->to_bytes(), bytes);
  const Table table = graded_patients(0.5);
  EXPECT_EQ(spelled(again->apply(table)), spelled(imputer->apply(table)));
  // The policy for words that training did not show has travelled too.
  EXPECT_NO_THROW(again->apply(Table({words("sex", {"x"})})));
}

TEST_P(EveryImputerFile, IsSavedAndLoaded) {
  const std::string path = testing::TempDir() + "imputer_" + std::string(to_string(GetParam()));
  const auto imputer = fitted_to_patients(GetParam());
  imputer->save(path);
  EXPECT_EQ(load_imputer(path)->to_bytes(), imputer->to_bytes());
  std::remove(path.c_str());
}

TEST_P(EveryImputerFile, IsRefusedWhenAByteChanges) {
  const std::string bytes = fitted_to_patients(GetParam())->to_bytes();
  const std::size_t step = std::max<std::size_t>(bytes.size() / 200, 1);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    EXPECT_THROW(imputer_from_bytes(damaged), ModelFileError) << "byte " << at;
  }
  EXPECT_THROW(imputer_from_bytes(std::string_view(bytes).substr(0, bytes.size() - 1)),
               ModelFileError);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryImputerFile, testing::ValuesIn(imputer_kinds()),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

/// A file that someone changed and sealed again with a right checksum.
void expect_forgery_refused(ImputerKind kind, const std::string& reason,
                            const std::function<void(nlohmann::json&, SafetensorsBlocks&)>& forge) {
  const std::string bytes = fitted_to_patients(kind)->to_bytes();
  SealedContent content = unseal(kImputerFormat, bytes, ImputerArrays::types(), "sound");
  forge(content.document, content.blocks);
  const std::string message = message_of<ModelFileError>([&] {
    imputer_from_bytes(seal(kImputerFormat, content.document, content.blocks), "forged.imputer");
  });
  EXPECT_TRUE(contains(message, "forged.imputer: ")) << message;
  EXPECT_TRUE(contains(message, reason)) << message;
}

TEST(ImputerFile, RefusesForgedDescriptions) {
  using Json = nlohmann::json;
  const auto expect = [](ImputerKind kind, const char* reason,
                         const std::function<void(Json&)>& forge) {
    expect_forgery_refused(kind, reason, [&](Json& json, SafetensorsBlocks&) { forge(json); });
  };
  const ImputerKind mean = ImputerKind::kMean, forest = ImputerKind::kMissForest;
  expect(mean, "no imputer of the kind \"stars\"", [](Json& j) { j["kind"] = "stars"; });
  expect(mean, "kind", [](Json& j) { j["kind"] = 5; });
  expect(mean, "inputs", [](Json& j) { j.erase("inputs"); });
  expect(mean, "as many inputs", [](Json& j) { j["inputs"]["inputs"].erase(0); });
  expect(mean, "stddev", [](Json& j) { j["inputs"]["inputs"][0]["stddev"] = 0; });
  expect(mean, "mean", [](Json& j) { j["inputs"]["inputs"][0]["mean"] = 1e9; });
  expect(mean, "shares", [](Json& j) { j["inputs"]["inputs"][1]["shares"][0] = 2; });
  expect(mean, "as many shares", [](Json& j) { j["inputs"]["inputs"][1]["shares"].push_back(0); });
  expect(mean, "mode", [](Json& j) { j["inputs"]["inputs"][1]["mode"] = 2; });
  expect(mean, "unknown entry \"more\"", [](Json& j) { j["learned"]["more"] = 1; });
  expect(ImputerKind::kKnn, "neighbors", [](Json& j) { j["learned"]["neighbors"] = 0; });
  expect(forest, "once", [](Json& j) { j["learned"]["order"][0] = j["learned"]["order"][1]; });
  expect(forest, "whole numbers", [](Json& j) { j["learned"]["order"][0] = -1; });
  expect(forest, "whole numbers", [](Json& j) { j["learned"]["order"][0] = 1e300; });
  expect(forest, "as many forests", [](Json& j) { j["learned"]["forests"].erase(0); });
  expect(forest, "no trees", [](Json& j) { j["learned"]["forests"][0] = Json::array(); });
  expect(forest, "belongs to nothing", [](Json& j) { j["learned"]["forests"][0] = nullptr; });
  expect(forest, "weight", [](Json& j) { j["learned"]["forests"][0][0]["weight"] = "much"; });
  for (const double weight : {1e300, -1.0, 0.0, 1.5}) {
    expect(forest, "weight", [&](Json& j) { j["learned"]["forests"][0][0]["weight"] = weight; });
  }
  expect(forest, "start", [](Json& j) { j["learned"]["forests"][0][0]["start"] = 1e300; });
}

TEST(ImputerFile, RefusesForgedArrays) {
  const auto expect = [](ImputerKind kind, const char* array, const std::string& reason,
                         const std::function<void(std::string&)>& forge) {
    std::string bytes;
    expect_forgery_refused(kind, reason, [&](nlohmann::json&, SafetensorsBlocks& blocks) {
      ASSERT_TRUE(blocks.contains(array)) << array;
      bytes = blocks[array].bytes;
      forge(bytes);
      blocks[array].bytes = bytes;
    });
  };
  const auto put = [](auto number) {
    return [number](std::string& bytes) {
      std::copy_n(reinterpret_cast<const char*>(&number), sizeof(number), bytes.begin());
    };
  };
  expect(ImputerKind::kMice, "equations", "not finite", put(kGap));
  // Where "sex" stands in the first row: a number that is no category would be written past the
  // end.
  const auto category = [](std::string& bytes) {
    const float number = 1e6F;
    for (std::size_t row = 0; row < 3; ++row) {
      std::copy_n(reinterpret_cast<const char*>(&number), 4, bytes.begin() + (row * 5 + 1) * 4);
    }
  };
  expect(ImputerKind::kKnn, "values", "none of its categories", category);
  expect(ImputerKind::kKnn, "gaps", "neither 0 nor 1", put(std::uint8_t{2}));
  const ImputerKind forest = ImputerKind::kMissForest;
  expect(forest, "forest.0.0.branches", "leads nowhere", put(std::int32_t{1 << 30}));
  expect(forest, "forest.0.0.roots", "begins at no node", put(std::int32_t{-1}));
  expect(forest, "forest.0.0.thresholds", "not finite", put(static_cast<float>(kGap)));
}

TEST(ImputerFile, RefusesArraysThatAreMissingOrTooMany) {
  expect_forgery_refused(ImputerKind::kLinear, "\"equations\" is not there",
                         [](nlohmann::json&, SafetensorsBlocks& b) { b.erase("equations"); });
  expect_forgery_refused(ImputerKind::kLinear, "\"more\" belongs to nothing",
                         [](nlohmann::json&, SafetensorsBlocks& b) { b["more"] = b["constants"]; });
  expect_forgery_refused(
      ImputerKind::kLinear, "\"constants\" has another shape",
      [](nlohmann::json&, SafetensorsBlocks& b) { b["constants"] = b["equations"]; });
  expect_forgery_refused(ImputerKind::kKnn, "\"gaps\" has another type",
                         [](nlohmann::json&, SafetensorsBlocks& b) { b["gaps"] = b["values"]; });
}

TEST(ImputerFile, SaysWhatOtherFilesAre) {
  const auto refusal = [](std::string_view bytes) {
    return message_of<ModelFileError>([&] { imputer_from_bytes(bytes, "x.bin"); });
  };
  EXPECT_TRUE(contains(refusal(""), "x.bin: not a knockout imputer: it is empty"));
  EXPECT_TRUE(contains(refusal("a,b\n1,2\n"), "it is a text file"));
  SealedFormat model = kImputerFormat;
  model.name = "knockout-model";
  EXPECT_TRUE(
      contains(refusal(seal(model, nlohmann::json::object(), {})), "it is a knockout-model file"));
  SealedFormat newer = kImputerFormat;
  newer.version = 2;
  EXPECT_TRUE(contains(refusal(seal(newer, nlohmann::json::object(), {})), "version 2"));
}

}  // namespace
}  // namespace knockout
