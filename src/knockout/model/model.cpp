// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/stage.h"
#include "knockout/model/finite.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

constexpr std::size_t kPredictRows = 1024;  ///< Rows that go through the learners at once.
/// Floats that they may hold for these rows: 256 MB for a thread. A file of a few megabytes can ask
/// for layers a million wide.
constexpr std::size_t kPredictMemory = std::size_t{1} << 26;

void require_model(bool holds, const char* what) {
  if (!holds) throw ConfigError(what);
}

/// Weights that are finite one by one can still add up to more than a float holds.
void require_finite_answers(const TargetCoding& coding, std::span<const double> answers) {
  if (all_finite(answers)) return;
  throw ModelFileError(
      fmt::format("The model's answers for \"{}\" are not finite: its weights are too large, so it "
                  "is damaged or was not written by knockout.\n"
                  "  Fit the model again, or restore the file from a copy.",
                  coding.target.name));
}

}  // namespace

Model::Model(Encoder encoder, std::vector<TargetCoding> targets, KnockoutPlan plan,
             std::vector<WeightedLearner> learners, nlohmann::json recipe,
             nlohmann::json provenance)
    : encoder_(std::move(encoder)),
      targets_(std::move(targets)),
      plan_(std::move(plan)),
      learners_(std::move(learners)),
      recipe_(std::make_shared<nlohmann::json>(std::move(recipe))),
      provenance_(std::make_shared<nlohmann::json>(std::move(provenance))) {
  require_model(!targets_.empty(), "A model needs at least one target.");
  require_model(!learners_.empty(), "A model needs at least one learner.");
  double sum = 0;
  for (const WeightedLearner& part : learners_) {
    require_model(part.learner != nullptr, "A part of the model has no learner.");
    require_model(part.weight > 0, "The weight of a learner must be positive.");
    sum += part.weight;
  }
  require_model(std::abs(sum - 1) < 1e-6, "The weights of the learners must add up to 1.");
}

const nlohmann::json& Model::recipe() const {
  require_whole();
  return *recipe_;
}

const nlohmann::json& Model::provenance() const {
  require_whole();
  return *provenance_;
}

Model::Workspace::Workspace(const Model& model, int rows) {
  model.require_whole();
  for (const WeightedLearner& part : model.learners_) {
    learners_.push_back(part.learner->make_workspace(rows));
  }
  if (model.learners_.size() == 1) return;  // its answers are the model's
  for (const TargetCoding& coding : model.targets_) {
    answers_.emplace_back(static_cast<std::size_t>(rows) * coding.answer_width());
  }
  for (std::vector<double>& answers : answers_) answer_pointers_.push_back(answers.data());
}

void Model::answer(const EncodedBlock& block, Workspace& workspace,
                   std::span<double* const> answers) const {
  require_whole();
  combine_answers(block, workspace, answers);
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const std::size_t count = static_cast<std::size_t>(block.rows) * targets_[t].answer_width();
    require_finite_answers(targets_[t], {answers[t], count});
  }
}

void Model::combine_answers(const EncodedBlock& block, Workspace& workspace,
                            std::span<double* const> answers) const {
  if (learners_.size() == 1) {
    learners_.front().learner->answer(block, *workspace.learners_.front(), answers);
    return;
  }
  for (std::size_t l = 0; l < learners_.size(); ++l) {
    const auto& [learner, weight] = learners_[l];
    learner->answer(block, *workspace.learners_[l], workspace.answer_pointers_);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const std::size_t count = static_cast<std::size_t>(block.rows) * targets_[t].answer_width();
      for (std::size_t i = 0; i < count; ++i) {
        answers[t][i] = (l == 0 ? 0.0 : answers[t][i]) + weight * workspace.answers_[t][i];
      }
    }
  }
}

std::vector<TargetPrediction> Model::predict(const Table& table, const GapOverrides& overrides,
                                             int threads) const {
  require_whole();
  const Stage stage("predicting " + std::to_string(table.rows()) + " rows");
  Table room;
  const Table& read = read_as(schema(), table, room, threads);
  return predict_encoded(encoder_.encode(read, overrides, threads), threads);
}

std::vector<TargetPrediction> Model::predict_encoded(const EncodedRows& rows, int threads) const {
  return predict_blocks(
      rows.rows,
      [&](std::size_t first, int count, EncodedRows&) -> EncodedBlock {
        return {.rows = count,
                .values = rows.values.data() + first * static_cast<std::size_t>(rows.width),
                .codes = rows.codes.data() + first * static_cast<std::size_t>(rows.code_count)};
      },
      threads);
}

std::vector<TargetPrediction> Model::predict_blocks(std::size_t rows, const BlockSource& source,
                                                    int threads) const {
  require_whole();
  std::vector<TargetPrediction> predictions;
  for (const TargetCoding& coding : targets_) {
    predictions.push_back({.target = coding.target, .values = {}});
    predictions.back().values.assign(rows * predictions.back().width(), 0.0);
  }
  std::size_t row_memory = 1;
  for (const WeightedLearner& part : learners_) row_memory += part.learner->row_memory();
  const std::size_t block_rows =
      std::clamp<std::size_t>(kPredictMemory / row_memory, 1, kPredictRows);
  // One workspace per worker, so that its memory is not taken and cleared anew for every block.
  const std::size_t blocks = (rows + block_rows - 1) / block_rows;
  const std::size_t workers = std::min<std::size_t>(blocks, resolve_threads(threads));
  std::atomic<std::size_t> next{0};
  parallel_for(workers, threads, [&](std::size_t) {
    Workspace workspace(*this, static_cast<int>(std::min(rows, block_rows)));
    EncodedRows buffer;
    std::vector<double*> answers(targets_.size());
    for (std::size_t block = next++; block < blocks; block = next++) {
      const std::size_t first = block * block_rows;
      const int count = static_cast<int>(std::min(block_rows, rows - first));
      for (std::size_t t = 0; t < answers.size(); ++t) {
        answers[t] = predictions[t].values.data() + first * predictions[t].width();
      }
      answer(source(first, count, buffer), workspace, answers);
    }
  });
  return predictions;
}

void Model::require_whole() const {
  require_model(!learners_.empty(), "The model is empty: it was moved to another variable.");
}

}  // namespace knockout
