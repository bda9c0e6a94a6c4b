// SPDX-License-Identifier: Apache-2.0
//
// From a table with gaps to predictions, in memory. The third flower has lost two of its inputs,
// the last one all.
#include <cstdio>

#include "knockout/knockout.h"

int main() {
  std::string csv = "petal,sepal,colour,species\n";
  for (int i = 0; i < 200; ++i) {
    const double size = 0.01 * (i % 20);
    csv += i % 2 == 0 ? std::to_string(1.4 + size) + ",5.0,white,small\n"
                      : std::to_string(5.1 + size) + ",6.5,,large\n";
  }
  const knockout::Table flowers = knockout::read_csv_text(csv, "flowers.csv");

  knockout::FitOptions options;
  options.schema.targets = {"species"};
  options.train.steps = 500;
  const knockout::FitResult fitted = knockout::fit(flowers, options);

  const knockout::Table fresh = knockout::read_csv_text(
      "petal,sepal,colour\n1.5,5.0,white\n5.2,6.5,\n5.2,,\n,,\n", "new.csv");
  const knockout::TargetPrediction prediction = fitted.model.predict(fresh).front();
  for (std::size_t row = 0; row < prediction.rows(); ++row) {
    const std::size_t best = prediction.best_class(row);
    std::printf("%-5s %.2f\n", prediction.target.classes[best].c_str(),
                prediction.values[row * prediction.width() + best]);
  }
}
