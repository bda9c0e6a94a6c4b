// SPDX-License-Identifier: Apache-2.0
// Models that somebody forged, with a right checksum: each is refused with a ModelFileError, exit
// code 4 of the command, or gives finite answers.
#include <cmath>
#include <limits>
#include <span>

#include "../forge_model.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/data/csv_reader.h"
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"
#include "knockout/schema/kinds/kinds.h"
#include "run_command.h"

namespace knockout::test {
namespace {

using nlohmann::json;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

/// A column of every kind, with gaps.
const Table& rows() {
  static const Table table = read_csv_text(
      "age,dose,size,sex,town,seen,price,a,b,y,ill,stage\n"
      "20,1,S,f,Ulm,2020-01-05,\"1.234,5 EUR\",1,2,1.5,yes,I\n"
      "30,,M,m,Bonn,2021-03-01,\"2.000,0 EUR\",,3,2.5,no,II\n"
      ",2,L,f,Kiel,,\"3.500,5 EUR\",3,,3.5,yes,III\n"
      "50,4,,m,Jena,2020-07-09,,4,5,,no,I\n"
      "60,8,M,,Ulm,2022-12-31,\"1.000,0 EUR\",5,6,5.5,,II\n"
      "70,3,S,f,,2020-02-02,\"9.999,9 EUR\",6,7,6.5,yes,\n",
      "rows.csv");
  return table;
}

const ModelFile& sound_model() {
  static const ModelFile file = [] {
    FitOptions options;
    options.schema.targets = {"y", "ill", "stage"};
    options.schema.ordered = {{"size", {"S", "M", "L"}}};
    options.schema.ranges = {{"age", 0, 120}, {"dose", 0, std::nullopt}};
    options.schema.groups = {{"pair", {"a", "b"}}};
    options.schema.categorical = {"sex", "town"};
    options.encode.max_one_hot = 2;
    options.train.architecture = Architecture::kResidual;
    options.train.hidden = {3};
    options.train.networks = 2;
    options.train.steps = 2;
    return model_file_from_bytes(fit(rows(), options).model.to_bytes(), "sound");
  }();
  return file;
}

ModelFile golden_model() {
  const std::string path = std::string(KNOCKOUT_SOURCE_DIR) + "/tests/golden/model_v1.safetensors";
  return model_file_from_bytes(read_bytes(path, "the model"), path);
}

/// What becomes of a file: "" where it predicts finite numbers, else what is wrong with that.
std::string trouble_with(const std::string& bytes) {
  try {
    const Model model = model_from_bytes(bytes, "forged.model");
    try {
      for (const TargetPrediction& prediction : model.predict(rows(), {}, 1)) {
        if (prediction.rows() != rows().rows()) return "rows are lost";
        for (const double value : prediction.values) {
          if (!std::isfinite(value)) return "an answer is not finite";
        }
      }
    } catch (const DataError&) {  // cells that the changed schema refuses
    }
  } catch (const ModelFileError&) {
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void expect_no_change_harms(ModelFile file) {
  int shown = 0, changes = 0;
  json document = file.document;
  // What is said for people alone is looked at by `describe`, whose test changes it.
  document.erase("recipe");
  document.erase("provenance");
  for_each_change(document, [&](const json& changed, const std::string& place) {
    ++changes;
    const std::string trouble = trouble_with(forged_file(changed.dump(), file.tensors));
    if (!trouble.empty() && ++shown <= 20) ADD_FAILURE() << place << ": " << trouble;
  });
  EXPECT_GT(changes, 1000);
}

void expect_refused(const ModelFile& file, const std::string& reason) {
  try {
    model_from_bytes(forged_file(file), "forged.model");
    ADD_FAILURE() << "it was taken: " << reason;
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("forged.model: ")) << message;
    EXPECT_TRUE(contains(message, reason)) << message;
  }
}

TEST(ForgedModel, IsSoundWhereNothingWasChanged) {
  EXPECT_EQ(forged_file(sound_model()), model_file_to_bytes(sound_model()));
  EXPECT_EQ(trouble_with(forged_file(sound_model())), "");
  EXPECT_NO_THROW(model_from_bytes(forged_file(golden_model())));
}

TEST(ForgedModel, OfAnyOtherJsonIsRefusedOrPredicts) { expect_no_change_harms(sound_model()); }

TEST(ForgedModel, OfTheFirstFormatOfAnyOtherJsonIsRefusedOrPredicts) {
  expect_no_change_harms(golden_model());
}

TEST(ForgedModel, WhoseColumnsAreOfAnotherKindIsRefusedOrPredicts) {
  for (std::size_t f = 0; f < sound_model().document["encoder"]["coding"].size(); ++f) {
    for (const ColumnCodec* const codec : all_codecs()) {
      ModelFile file = sound_model();
      file.document["encoder"]["schema"]["features"][f]["kind"] = to_string(codec->kind());
      EXPECT_EQ(trouble_with(forged_file(file)), "") << f << " " << to_string(codec->kind());
    }
  }
}

TEST(ForgedModel, WithTensorsThatAreNotFiniteIsRefused) {
  for (const float odd : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    for (const auto& [name, tensor] : sound_model().tensors) {
      ModelFile file = sound_model();
      file.tensors[name].values.back() = odd;
      expect_refused(file, "tensor \"" + name + "\" holds numbers that are not finite");
    }
  }
}

TEST(ForgedModel, WithTensorsOfOtherShapesIsRefused) {
  for (const auto& [name, tensor] : sound_model().tensors) {
    ModelFile longer = sound_model(), flat = sound_model(), gone = sound_model();
    longer.tensors[name].shape[0] += 1;
    longer.tensors[name].values.resize(tensor.values.size() / tensor.shape[0] *
                                       longer.tensors[name].shape[0]);
    expect_refused(longer, "weights");
    flat.tensors[name].shape = {1, static_cast<std::int64_t>(tensor.values.size()), 1};
    expect_refused(flat, "\"" + name + "\" has shape");
    gone.tensors.erase(name);
    expect_refused(gone, "weights");
    ModelFile renamed = gone;
    renamed.tensors[name + "x"] = tensor;
    expect_refused(renamed, "lacks the tensor \"" + name + "\"");
  }
}

TEST(ForgedModel, WithHugeLayersIsRefusedBeforeMemoryIsTaken) {
  ModelFile file = sound_model();
  for (json& layer : file.document["learners"][0]["layers"]) {
    for (const char* size : {"inputs", "outputs", "width", "inner", "dimension"}) {
      if (layer.contains(size)) layer[size] = 1 << 20;
    }
  }
  EXPECT_THROW(model_from_bytes(forged_file(file)), ModelFileError);
  file = sound_model();
  file.document["learners"][0]["members"] = 65536;
  expect_refused(file, "weights");
}

TEST(ForgedModel, WithoutTargetsOrNetworksIsRefused) {
  ModelFile file = sound_model();
  file.document["targets"] = json::array();
  expect_refused(file, "\"targets\"");
  file.document["encoder"]["schema"]["targets"] = json::array();
  expect_refused(file, "no target");
  file = sound_model();
  file.document["learners"] = json::array();
  file.document["combination"]["weights"] = json::array();
  expect_refused(file, "\"learners\"");
  file = golden_model();
  file.document["engine"] = 5;
  expect_refused(file, "another engine");
}

TEST(ForgedModel, WhoseFiniteWeightsOverflowSaysSoInsteadOfAnswering) {
  const auto with_weights = [](float even, float odd) {
    ModelFile file = sound_model();
    for (auto& [name, tensor] : file.tensors) {
      for (std::size_t i = 0; i < tensor.values.size(); ++i) {
        tensor.values[i] = i % 2 == 0 ? even : odd;
      }
    }
    return forged_file(file);
  };
  // Some of them are hidden by a ReLU, or end as a probability of 1.
  for (const float even : {kLargest, -kLargest, 1.0F}) {
    for (const float odd : {kLargest, -kLargest, 1.0F}) {
      EXPECT_EQ(trouble_with(with_weights(even, odd)), "") << even << " " << odd;
    }
  }
  const Model model = model_from_bytes(with_weights(kLargest, kLargest));
  EXPECT_THROW(model.predict(rows()), ModelFileError);
  EXPECT_THROW(model.predict(rows().take_rows({0})), ModelFileError);
  const std::vector<MissingPattern> patterns = {{{"age"}}};
  EXPECT_THROW(model.predict_patterns(rows(), patterns, [](auto, const auto&) {}), ModelFileError);

  ModelFile file = sound_model();
  file.document["targets"][0]["mean"] = 1.7e308;
  file.document["targets"][0]["stddev"] = 1.7e308;
  EXPECT_THROW(model_from_bytes(forged_file(file)).predict(rows()), ModelFileError);
}

TEST(ForgedModel, WithJsonThatIsTooDeepOrTooLargeForADoubleIsRefused) {
  const std::string document = sound_model().document.dump();
  const auto with = [&](const std::string& entry) {
    return forged_file("{" + entry + "," + document.substr(1), sound_model().tensors);
  };
  const std::string deep(100000, '[');
  for (const std::string& bytes :
       {with("\"a\":" + deep + std::string(deep.size(), ']')), with("\"a\":" + deep),
        with("\"a\":1e999"), with("\"a\":-1e999"), with("\"plan\":0"), with("\"a\":NaN")}) {
    EXPECT_THROW(model_from_bytes(bytes), ModelFileError);
  }
}

class ForgedModelFile : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (IsSkipped()) return;
    write("patients.csv", patients());
    const Outcome fitted = run(quick(
        {"fit", "patients.csv", "--target", "risk,outcome", "--ignore", "id", "-m", "model.st"}));
    ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  }
  void expect_refused(const std::string& verb, const ModelFile& file) const {
    write("forged.st", forged_file(file));
    std::vector<std::string> line = {verb};
    if (verb != "describe") line.emplace_back("patients.csv");
    line.insert(line.end(), {"-m", "forged.st"});
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.exit_code, 4) << verb << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << verb;
    EXPECT_FALSE(contains(outcome.err, "should not have happened")) << outcome.err;
  }
};

TEST_F(ForgedModelFile, EndsEveryVerbWithTheExitCodeOfModels) {
  const ModelFile sound =
      model_file_from_bytes(read_bytes(path("model.st"), "the model"), "model.st");
  ModelFile odd = sound, overflowing = sound, aimless = sound;
  odd.tensors.begin()->second.values[0] = kNaN;
  for (auto& [name, tensor] : overflowing.tensors) {
    std::fill(tensor.values.begin(), tensor.values.end(), kLargest);
  }
  aimless.document["targets"] = json::array();
  for (const char* verb : {"predict", "evaluate", "describe"}) {
    expect_refused(verb, odd);
    expect_refused(verb, aimless);
    if (verb != std::string("describe")) expect_refused(verb, overflowing);
  }
}

}  // namespace
}  // namespace knockout::test
