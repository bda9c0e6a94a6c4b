// SPDX-License-Identifier: Apache-2.0
//
// From a table with gaps to predictions, in memory. The third flower has lost two of its inputs,
// the last one all.
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "knockout/knockout.h"

using knockout::Column;

int main() {
  std::vector<double> petals, sepals;
  std::vector<std::optional<std::string>> colours, species;
  for (int i = 0; i < 200; ++i) {
    const bool small = i % 2 == 0;
    petals.push_back((small ? 1.4 : 5.1) + 0.01 * (i % 20));
    sepals.push_back(small ? 5.0 : 6.5);
    colours.push_back(small ? std::optional("white") : std::nullopt);
    species.push_back(small ? "small" : "large");
  }
  const knockout::Table flowers({Column::numbers("petal", petals), Column::numbers("sepal", sepals),
                                 Column::words("colour", colours),
                                 Column::words("species", species)});

  knockout::FitOptions options;
  options.schema.targets = {"species"};
  options.train.steps = 500;
  const knockout::FitResult fitted = knockout::fit(flowers, options);

  const std::vector<std::optional<std::string>> white_or_gap = {"white", {}, {}, {}};
  const knockout::Table fresh({Column::numbers("petal", {1.5, 5.2, 5.2, NAN}),
                               Column::numbers("sepal", {5.0, 6.5, NAN, NAN}),
                               Column::words("colour", white_or_gap)});
  const knockout::TargetPrediction prediction = fitted.model.predict(fresh).front();
  for (std::size_t row = 0; row < prediction.rows(); ++row) {
    const std::size_t best = prediction.best_class(row);
    std::printf("%-5s %.2f\n", prediction.target.classes[best].c_str(),
                prediction.values[row * prediction.width() + best]);
  }
}
