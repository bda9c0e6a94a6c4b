// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/load_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/model/model_file.h"

namespace knockout {
namespace {

/// Numbers with gaps, words of which some are embedded, a number and three classes to predict.
Table parcels(int rows) {
  const Random random(41, Stream::kSimulation);
  std::ostringstream csv;
  csv << "weight,size,town,colour,price,kind\n";
  for (int r = 0; r < rows; ++r) {
    const double x = random.normal(0, r, 0);
    csv << (r % 6 == 0 ? "" : std::to_string(x)) << "," << random.normal(0, r, 1) << ",t" << r % 9
        << "," << (r % 2 == 0 ? "red" : "blue") << "," << 2 * x + r % 9 << ","
        << (r % 3 == 0   ? "box"
            : r % 3 == 1 ? "bag"
                         : "tube")
        << "\n";
  }
  return read_csv_text(csv.str(), "parcels.csv");
}

Model small_model(Architecture architecture, const Table& table) {
  FitOptions options;
  options.schema.targets = {"price", "kind"};
  options.encode.max_one_hot = 4;
  options.train.architecture = architecture;
  options.train.hidden = {24, 16};
  options.train.networks = 2;
  options.train.steps = 40;
  options.train.dropout = 0.1;
  return fit(table, options).model;
}

class EveryArchitecture : public testing::TestWithParam<Architecture> {};

TEST_P(EveryArchitecture, AnswersForARowAloneAsInACrowdAndUnderPatterns) {
  const Table table = parcels(1000);
  const Model model = small_model(GetParam(), table);
  const std::vector<TargetPrediction> together = model.predict(table);
  std::vector<std::vector<TargetPrediction>> patterns;
  model.predict_patterns(
      table, std::vector<MissingPattern>{{}, {{"weight", "town"}}},
      [&](std::size_t, const auto& predictions) { patterns.push_back(predictions); });
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Table alone = table.take_rows({row});
    const auto plain = model.predict(alone);
    const auto hidden =
        model.predict(hide_columns(alone, std::vector<std::string>{"weight", "town"}));
    for (std::size_t t = 0; t < together.size(); ++t) {
      const std::size_t width = together[t].width();
      for (std::size_t c = 0; c < width; ++c) {
        const std::size_t at = row * width + c;
        ASSERT_EQ(plain[t].values[c], together[t].values[at]) << "row " << row;
        ASSERT_EQ(plain[t].values[c], patterns[0][t].values[at]) << "row " << row;
        ASSERT_EQ(hidden[t].values[c], patterns[1][t].values[at]) << "row " << row;
      }
    }
  }
}

TEST_P(EveryArchitecture, IsTheSameAfterItsFile) {
  const Table table = parcels(200);
  const Model model = small_model(GetParam(), table);
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "architecture.safetensors").string();
  model.save(path);
  const Model loaded = load_model(path);
  std::filesystem::remove(path);
  const auto before = model.predict(table), after = loaded.predict(table);
  for (std::size_t t = 0; t < before.size(); ++t) EXPECT_EQ(before[t].values, after[t].values);
  EXPECT_EQ(model.to_bytes(), loaded.to_bytes());
}

std::vector<Architecture> architectures() {
  std::vector<Architecture> all;
  for (const auto& entry : names_of(Architecture{})) all.push_back(entry.value);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryArchitecture, testing::ValuesIn(architectures()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(LoadModel, ThrowsAFileErrorForAPlaceThatCannotBeReadAndSaveForOneThatCannotBeWritten) {
  EXPECT_THROW(load_model("no/such/folder/model"), FileError);
  EXPECT_THROW(load_model("."), FileError);
  EXPECT_THROW(small_model(Architecture::kMlp, parcels(100)).save("no/such/folder/model"),
               FileError);
}

TEST(ModelFromBytes, RefusesNetworksThatDoNotFitTheModel) {
  const Model model = small_model(Architecture::kMlp, parcels(100));
  const ModelFile good = model_file_from_bytes(model.to_bytes(), "good");
  const auto expect_refused = [&](const char* what, const std::function<void(ModelFile&)>& damage) {
    ModelFile file = good;
    damage(file);
    EXPECT_THROW(model_from_bytes(model_file_to_bytes(file)), ModelFileError) << what;
  };
  const auto networks = [](ModelFile& file) -> nlohmann::json& {
    return file.document["learners"][0];
  };
  ASSERT_EQ(good.document["learners"][0]["layers"][0]["kind"], "embedding");
  expect_refused("a missing tensor",
                 [](ModelFile& file) { file.tensors.erase("learner.0.member.0.layer.0.bias"); });
  expect_refused("a tensor too many", [](ModelFile& file) {
    file.tensors["learner.0.member.0.layer.7.bias"] = {{1}, {1}};
  });
  expect_refused("a transposed tensor", [](ModelFile& file) {
    auto& shape = file.tensors["learner.0.member.0.layer.0.weight"].shape;
    std::swap(shape[0], shape[1]);
  });
  expect_refused("no networks", [&](ModelFile& file) { networks(file)["members"] = 0; });
  expect_refused("half a network", [&](ModelFile& file) { networks(file)["members"] = 1.5; });
  expect_refused("more networks than tensors",
                 [&](ModelFile& file) { networks(file)["members"] = 3; });
  expect_refused("no layers",
                 [&](ModelFile& file) { networks(file)["layers"] = nlohmann::json::array(); });
  expect_refused("layers left out", [&](ModelFile& file) { networks(file).erase("layers"); });
  expect_refused("a first layer for other inputs", [&](ModelFile& file) {
    networks(file)["layers"].erase(0);  // the embedding
  });
  expect_refused("no last layer", [&](ModelFile& file) {
    networks(file)["layers"].erase(networks(file)["layers"].size() - 1);
  });
  expect_refused("another column embedded",
                 [&](ModelFile& file) { networks(file)["layers"][0]["column"] = "colour"; });
  expect_refused("codes that no row has",
                 [&](ModelFile& file) { networks(file)["layers"][0]["code"] = 5; });
  expect_refused("a table that is too short", [&](ModelFile& file) {
    networks(file)["layers"][0]["rows"] = networks(file)["layers"][0]["rows"].get<int>() - 1;
  });
  expect_refused("a huge layer", [&](ModelFile& file) {
    networks(file)["layers"][1]["outputs"] = 1 << 20;
    networks(file)["layers"][2]["width"] = 1 << 20;
  });
  expect_refused("an unknown layer",
                 [&](ModelFile& file) { networks(file)["layers"][2]["kind"] = "tanh"; });
}

}  // namespace
}  // namespace knockout
