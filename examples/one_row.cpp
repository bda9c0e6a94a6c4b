// SPDX-License-Identifier: Apache-2.0
//
// One question after the other, without a table and without allocating: for a service.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "knockout/knockout.h"

using knockout::Column;

int main() {
  std::vector<double> ages;
  std::vector<std::optional<std::string>> sexes, risks;
  for (int i = 0; i < 300; ++i) {
    ages.push_back(20 + i % 60);
    sexes.push_back(i % 2 == 0 ? "f" : "m");
    risks.push_back(ages.back() > 50 ? "high" : "low");
  }
  const knockout::Table patients(
      {Column::numbers("age", ages), Column::words("sex", sexes), Column::words("risk", risks)});
  const knockout::Model model = knockout::fit(patients, "risk").model;

  knockout::RowPredictor predictor(model);  // one for each thread
  predictor.set("age", 71.0);
  predictor.set("sex", "f");
  const double old = predictor.predict().front().probability(0, "high");

  predictor.clear();  // all cells are missing again
  predictor.set("age", 25.0);
  const double young = predictor.predict().front().probability(0, "high");

  std::printf("71, f: %.2f\n25   : %.2f\n", old, young);
  return old > young ? 0 : 1;
}
