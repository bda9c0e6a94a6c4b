// SPDX-License-Identifier: Apache-2.0
// The inputs of an imputer to and from its file.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/impute/input_matrix.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

using nlohmann::json;

json choice_to_json(const Input& input) { return {{"shares", input.shares}, {"mode", input.mode}}; }

json number_to_json(const Input& input) {
  return {{"mean", input.mean},
          {"stddev", input.stddev},
          {"lowest", input.lowest},
          {"highest", input.highest}};
}

void read_choice(const json& said, Input& input) {
  const JsonFields fields(said, "an input of the imputer", {"shares", "mode"});
  for (const json& share : fields.array("shares")) {
    if (!share.is_number() || !(share.get<double>() >= 0 && share.get<double>() <= 1)) {
      fields.fail("\"shares\" holds something that is not a number from 0 to 1");
    }
    input.shares.push_back(share.get<double>());
  }
  if (input.shares.size() != input.width) fields.fail("not as many shares as categories");
  input.mode = fields.integer("mode", 0, std::max(static_cast<int>(input.width) - 1, 0));
}

void read_number(const json& said, Input& input) {
  const JsonFields fields(said, "an input of the imputer", {"mean", "stddev", "lowest", "highest"});
  input.mean = fields.number("mean");
  input.stddev = fields.number("stddev");
  input.lowest = fields.number("lowest");
  input.highest = fields.number("highest");
  if (!(input.stddev > 0)) fields.fail("\"stddev\" is not above 0");
  if (!(input.lowest <= input.mean && input.mean <= input.highest)) {
    fields.fail("\"mean\" is not between \"lowest\" and \"highest\"");
  }
}

}  // namespace

json ImputerInputs::to_json() const {
  json inputs = json::array();
  for (const Input& input : inputs_) {
    inputs.push_back(input.categorical ? choice_to_json(input) : number_to_json(input));
  }
  return {{"schema", schema_to_json(schema_)}, {"inputs", std::move(inputs)}};
}

ImputerInputs ImputerInputs::from_json(const json& said) {
  const JsonFields fields(said, "the inputs of the imputer", {"schema", "inputs"});
  ImputerInputs space(schema_from_json(fields.value("schema")));
  const json& inputs = fields.array("inputs");
  if (inputs.size() != space.inputs_.size()) fields.fail("not as many inputs as features");
  for (std::size_t f = 0; f < inputs.size(); ++f) {
    Input& input = space.inputs_[f];
    input.categorical ? read_choice(inputs[f], input) : read_number(inputs[f], input);
  }
  return space;
}

void ImputerInputs::put_matrix(const InputMatrix& matrix, ImputerArrays& arrays) {
  const std::size_t rows = matrix.features > 0 ? matrix.rows : 0;
  const ImputerArrays::Shape shape = {static_cast<std::int64_t>(rows),
                                      static_cast<std::int64_t>(matrix.features)};
  arrays.put("values", shape, matrix.values);
  arrays.put("gaps", shape, matrix.gaps);
}

InputMatrix ImputerInputs::take_matrix(ImputerArrays& arrays) const {
  const std::int64_t rows = arrays.rows("values");
  const ImputerArrays::Shape shape = {rows, static_cast<std::int64_t>(inputs_.size())};
  if (inputs_.empty() && rows > 0) throw ModelFileError("The imputer has rows without inputs.");
  InputMatrix matrix;
  matrix.rows = static_cast<std::size_t>(rows);
  matrix.features = inputs_.size();
  matrix.values = arrays.take<float>("values", shape);
  matrix.gaps = arrays.take<std::uint8_t>("gaps", shape);
  matrix.gap_counts.resize(matrix.features);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const Input& input = inputs_[i % matrix.features];
    const float value = matrix.values[i];
    if (matrix.gaps[i] > 1) throw ModelFileError("A gap of the imputer is neither 0 nor 1.");
    if (matrix.gaps[i] == 1) {
      ++matrix.gap_counts[i % matrix.features];
    } else if (input.categorical && !(value >= 0 && value < static_cast<float>(input.width) &&
                                      value == std::trunc(value))) {
      throw ModelFileError("A value of the imputer is none of its categories.");
    }
  }
  return matrix;
}

}  // namespace knockout
