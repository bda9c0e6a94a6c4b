// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/predictor.h"

#include <algorithm>
#include <cassert>

namespace knockout {
namespace {

Column numeric_column(std::string name, std::vector<double> numbers) {
  Column column;
  column.name = std::move(name);
  column.states.assign(numbers.size(), CellState::kObserved);
  column.numbers = std::move(numbers);
  return column;
}

Column label_column(std::string name, const TargetPrediction& prediction) {
  Column column;
  column.name = std::move(name);
  column.is_text = true;
  column.words = prediction.target.classes;
  column.states.assign(prediction.rows(), CellState::kObserved);
  for (std::size_t row = 0; row < prediction.rows(); ++row) {
    column.codes.push_back(static_cast<std::int32_t>(prediction.best_class(row)));
  }
  return column;
}

}  // namespace

std::size_t TargetPrediction::best_class(std::size_t row) const {
  assert(target.task == Task::kClassification && row < rows());
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width());
  return std::max_element(first, first + static_cast<std::ptrdiff_t>(width())) - first;
}

Table predictions_to_table(const std::vector<TargetPrediction>& predictions) {
  std::vector<Column> columns;
  for (const TargetPrediction& prediction : predictions) {
    const Target& target = prediction.target;
    const std::string suffix = predictions.size() > 1 ? "_" + target.name : "";
    if (target.task == Task::kRegression) {
      columns.push_back(numeric_column("prediction" + suffix, prediction.values));
      continue;
    }
    columns.push_back(label_column("prediction" + suffix, prediction));
    const std::size_t classes = prediction.width();
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<double> probabilities;
      for (std::size_t row = 0; row < prediction.rows(); ++row) {
        probabilities.push_back(prediction.values[row * classes + c]);
      }
      columns.push_back(numeric_column("probability" + suffix + "_" + target.classes[c],
                                       std::move(probabilities)));
    }
  }
  return Table(std::move(columns));
}

}  // namespace knockout
