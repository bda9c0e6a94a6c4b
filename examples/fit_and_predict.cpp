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

  const knockout::Model model = knockout::fit(flowers, "species").model;

  const std::vector<std::optional<std::string>> white_or_gap = {"white", {}, {}, {}};
  const knockout::Table fresh({Column::numbers("petal", {1.5, 5.2, 5.2, NAN}),
                               Column::numbers("sepal", {5.0, 6.5, NAN, NAN}),
                               Column::words("colour", white_or_gap)});
  const knockout::TargetPrediction prediction = model.predict(fresh).front();
  for (std::size_t row = 0; row < prediction.rows(); ++row) {
    std::printf("%-5s %.2f\n", prediction.label(row).c_str(), prediction.probability(row, "large"));
  }
}
