// SPDX-License-Identifier: Apache-2.0
//
// A model of format 1 loads and answers as it did when it was made, whatever changes here.
// model_v1.safetensors was made once by version 0.1.0 with
//   knockout fit examples/patients.csv --target risk --hidden 8 --networks 2 --steps 300 -m
//   tests/golden/model_v1.safetensors
// and the expected probabilities are what `knockout predict` of that version printed. Neither may
// ever be made anew.
#include <gtest/gtest.h>

#include "knockout/data/csv_reader.h"
#include "knockout/fit/load_model.h"

namespace knockout {
namespace {

TEST(ModelFormat1, LoadsAndAnswersAsWhenItWasMade) {
  const Model model =
      load_model(std::string(KNOCKOUT_SOURCE_DIR) + "/tests/golden/model_v1.safetensors");
  const Table patients = read_csv_text(
      "age,sex,bmi,glucose,smoker,ward\n"
      "71,f,28.5,8.1,yes,W1\n71,f,,,,\n24,m,,,no,W3\n,,,,,\n",
      "patients");
  const TargetPrediction risk = model.predict(patients).front();
  const double expected_high[] = {0.9562930702322754, 0.7644435538684524, 0.07152889710305893,
                                  0.4164525532821625};
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_NEAR(risk.values[2 * row], expected_high[row], 1e-5) << "row " << row;
}

}  // namespace
}  // namespace knockout
