// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/row_predictor.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/encode/row_encoder.h"
#include "knockout/model/model.h"

namespace knockout {

/// Never moves, so that its parts can point at each other.
struct RowPredictor::State {
  explicit State(const Model& given) : model(given), workspace(model, 1), encoder(model.encoder()) {
    const std::vector<Feature>& features = model.schema().features;
    for (std::size_t f = 0; f < features.size(); ++f) position.emplace(features[f].name, f);
    for (const TargetCoding& coding : model.targets()) {
      predictions.push_back({.target = coding.target, .values = {}});
      predictions.back().values.resize(coding.answer_width());
    }
    for (TargetPrediction& prediction : predictions) answers.push_back(prediction.values.data());
  }

  const Model model;
  Model::Workspace workspace;
  RowEncoder encoder;
  HashMap<std::string_view, std::size_t> position;
  std::vector<TargetPrediction> predictions;
  std::vector<double*> answers;

  std::size_t checked(std::size_t column) const {
    if (column < position.size()) return column;
    throw ConfigError(fmt::format("there is no input {}: the model has {} of them, from 0 on.",
                                  column, position.size()));
  }
};

RowPredictor::RowPredictor(const Model& model) : state_(std::make_unique<State>(model)) {}
RowPredictor::~RowPredictor() = default;
RowPredictor::RowPredictor(RowPredictor&&) noexcept = default;
RowPredictor& RowPredictor::operator=(RowPredictor&&) noexcept = default;

std::size_t RowPredictor::position_of(std::string_view column) const {
  const auto found = whole().position.find(column);
  if (found != whole().position.end()) return found->second;
  throw ConfigError(fmt::format("the model has no input \"{}\".{}", column,
                                did_you_mean(column, state_->model.schema().feature_names())));
}

RowPredictor::State& RowPredictor::whole() const {
  if (state_ == nullptr) {
    throw ConfigError("The predictor is empty: it was moved to another variable.");
  }
  return *state_;
}

void RowPredictor::set(std::size_t column, double number) {
  whole().encoder.set(state_->checked(column), number);
}

void RowPredictor::set(std::size_t column, std::string_view word) {
  whole().encoder.set(state_->checked(column), word);
}

void RowPredictor::set_missing(std::size_t column, CellState state) {
  whole().encoder.set_missing(state_->checked(column), state);
}

void RowPredictor::clear() { whole().encoder.clear(); }

const std::vector<TargetPrediction>& RowPredictor::predict() {
  State& state = whole();
  const EncodedRows& row = state.encoder.encode();
  state.model.answer({.rows = 1, .values = row.values.data(), .codes = row.codes.data()},
                     state.workspace, state.answers);
  return state.predictions;
}

}  // namespace knockout
