// SPDX-License-Identifier: Apache-2.0
//
// An imputer learns from one table, travels as bytes, and fills the gaps of another.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "knockout/knockout.h"

int main() {
  std::vector<double> height, weight;
  for (int i = 0; i < 200; ++i) {
    height.push_back(150 + 0.25 * i);
    weight.push_back(0.5 * height.back());
  }
  const knockout::Table known(
      {knockout::Column::numbers("height", height), knockout::Column::numbers("weight", weight)});
  const knockout::Schema schema = knockout::infer_schema(known, {}).schema;
  const auto imputer = knockout::fit_imputer(knockout::ImputerKind::kLinear, known, schema);

  const std::string bytes = imputer->to_bytes();  // or imputer->save("file") and load_imputer()
  const auto again = knockout::imputer_from_bytes(bytes);

  const double gap = std::numeric_limits<double>::quiet_NaN();
  const knockout::Table filled = again->apply(
      knockout::Table({knockout::Column::numbers("height", std::vector<double>{180, gap}),
                       knockout::Column::numbers("weight", std::vector<double>{gap, 85})}));
  for (std::size_t row = 0; row < filled.rows(); ++row) {
    std::printf("%.0f cm, %.0f kg\n", filled.at("height").number(row),
                filled.at("weight").number(row));
  }
  return std::abs(filled.at("weight").number(0) - 90) < 1 ? 0 : 1;
}
