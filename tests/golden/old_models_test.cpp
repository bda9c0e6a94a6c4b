// SPDX-License-Identifier: Apache-2.0
//
// Models of every format load and answer as they did when they were made, whatever changes here.
// The expected probabilities are what `knockout predict` of that version printed. Neither the files
// nor the numbers may ever be made anew.
//
// model_v1.safetensors, by version 0.1.0:
//   knockout fit examples/patients.csv --target risk --hidden 8 --networks 2 --steps 300
//   -m tests/golden/model_v1.safetensors
// model_v2.safetensors, before the first release with format 2; it holds an embedding, linear
// layers, residual blocks with dropout, and a ReLU:
//   knockout fit examples/patients.csv --target risk --architecture residual --hidden 8,6
//   --dropout 0.1 --max-one-hot 2 --networks 2 --steps 300 -m tests/golden/model_v2.safetensors
#include <gtest/gtest.h>

#include <array>

#include "knockout/data/csv_reader.h"
#include "knockout/fit/load_model.h"

namespace knockout {
namespace {

/// A model, and its probability of "high" for four patients.
struct OldModel {
  const char* file;
  std::array<double, 4> high;
};

class OldModels : public testing::TestWithParam<OldModel> {};

TEST_P(OldModels, LoadAndAnswerAsWhenTheyWereMade) {
  const Model model =
      load_model(std::string(KNOCKOUT_SOURCE_DIR) + "/tests/golden/" + GetParam().file);
  const Table patients = read_csv_text(
      "age,sex,bmi,glucose,smoker,ward\n"
      "71,f,28.5,8.1,yes,W1\n71,f,,,,\n24,m,,,no,W3\n,,,,,\n",
      "patients");
  const TargetPrediction risk = model.predict(patients).front();
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(risk.values[2 * row], GetParam().high[row], 1e-5) << "row " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, OldModels,
                         testing::Values(OldModel{"model_v1.safetensors",
                                                  {0.9562930702322754, 0.7644435538684524,
                                                   0.07152889710305893, 0.4164525532821625}},
                                         OldModel{"model_v2.safetensors",
                                                  {0.9801534965644635, 0.7537254732503262,
                                                   0.06913222721351697, 0.4082703100576576}}));

}  // namespace
}  // namespace knockout
