// SPDX-License-Identifier: Apache-2.0
//
// A model of format 2 loads and answers as it did when it was made, whatever changes here.
// model_v2.safetensors holds an embedding, linear layers, residual blocks with dropout, and a ReLU.
// It was made once, before the first release with format 2, with
//   knockout fit examples/patients.csv --target risk --architecture residual --hidden 8,6
//   --dropout 0.1 --max-one-hot 2 --networks 2 --steps 300 -m tests/golden/model_v2.safetensors
// and the expected probabilities are what `knockout predict` printed then. Neither may ever be made
// anew.
#include <gtest/gtest.h>

#include "knockout/data/csv_reader.h"
#include "knockout/fit/load_model.h"

namespace knockout {
namespace {

TEST(ModelFormat2, LoadsAndAnswersAsWhenItWasMade) {
  const Model model =
      load_model(std::string(KNOCKOUT_SOURCE_DIR) + "/tests/golden/model_v2.safetensors");
  const Table patients = read_csv_text(
      "age,sex,bmi,glucose,smoker,ward\n"
      "71,f,28.5,8.1,yes,W1\n71,f,,,,\n24,m,,,no,W3\n,,,,,\n",
      "patients");
  const TargetPrediction risk = model.predict(patients).front();
  const double expected_high[] = {0.9801534965644635, 0.7537254732503262, 0.06913222721351697,
                                  0.4082703100576576};
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_NEAR(risk.values[2 * row], expected_high[row], 1e-5) << "row " << row;
}

}  // namespace
}  // namespace knockout
