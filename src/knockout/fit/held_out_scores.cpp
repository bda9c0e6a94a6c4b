// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/held_out_scores.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "knockout/base/parallel.h"
#include "knockout/base/stage.h"

namespace knockout {
namespace {

using Score = HeldOutLevel::Score;
/// By the number of missing inputs, then by target.
using Scores = std::vector<std::vector<Score>>;

Scores nothing(const HeldOutJudge& judge) {
  return Scores(judge.encoder.units().size() + 1, std::vector<Score>(judge.targets.size()));
}

void add(const Scores& part, Scores& sum) {
  for (std::size_t missing = 0; missing < sum.size(); ++missing) {
    for (std::size_t t = 0; t < sum[missing].size(); ++t) {
      sum[missing][t].rows += part[missing][t].rows;
      sum[missing][t].loss += part[missing][t].loss;
      sum[missing][t].errors += part[missing][t].errors;
    }
  }
}

/// How one answer is scored. `answer` is a number in the target's units or the probabilities.
void add_answer(const TargetCoding& coding, const double* answer, double label, Score& score) {
  ++score.rows;
  if (coding.target.task == Task::kRegression) {
    const double error = answer[0] - (coding.mean + coding.stddev * label);
    score.loss += error * error;
    return;
  }
  constexpr double kLeast = 1e-15;  // one answer that was certain and wrong must not decide all
  const auto truth = static_cast<std::size_t>(label);
  const double* const best = std::max_element(answer, answer + coding.answer_width());
  score.loss -= std::log(std::max(kLeast, answer[truth]));
  score.errors += static_cast<std::size_t>(best - answer) == truth ? 0 : 1;
}

Scores judge_rows(const HeldOutJudge& judge, const Learner& learner, const HeldOutRows& rows,
                  std::size_t part) {
  const HeldOutRows::Block block = rows.block(part);
  const HeldOutRows::Answers answers = rows.answers(learner, block);
  Scores scores = nothing(judge);
  const std::size_t heads = judge.targets.size();
  for (std::size_t i = 0; i < block.sources.size(); ++i) {
    const std::size_t example = block.sources[i] * heads;
    for (std::size_t t = 0; t < heads; ++t) {
      if (judge.examples.weights[example + t] == 0.0f) continue;  // no label
      const TargetCoding& coding = judge.targets[t];
      add_answer(coding, answers[t].data() + i * coding.answer_width(),
                 judge.examples.labels[example + t], scores[block.missing[i]][t]);
    }
  }
  return scores;
}

}  // namespace

std::vector<HeldOutLevel> judge_held_out(const HeldOutJudge& judge,
                                         const std::vector<LearnerPointer>& folds) {
  const Stage stage("judging the model on rows held out");
  Scores sum = nothing(judge);
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const HeldOutRows rows(judge, static_cast<int>(fold));
    std::vector<Scores> parts(rows.parts());
    parallel_for(parts.size(), judge.threads, [&](std::size_t part) {
      parts[part] = judge_rows(judge, *folds[fold], rows, part);
    });
    for (const Scores& part : parts) add(part, sum);
  }
  std::vector<HeldOutLevel> levels;
  for (std::size_t missing = 0; missing < sum.size(); ++missing) {
    const bool any = std::any_of(sum[missing].begin(), sum[missing].end(),
                                 [](const Score& score) { return score.rows > 0; });
    if (any) levels.push_back({missing, sum[missing]});
  }
  return levels;
}

nlohmann::json held_out_to_json(const std::vector<HeldOutLevel>& levels,
                                const std::vector<TargetCoding>& targets) {
  nlohmann::json json = nlohmann::json::array();
  for (const HeldOutLevel& level : levels) {
    nlohmann::json scores = nlohmann::json::array();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Score& score = level.targets[t];
      nlohmann::json& said = scores.emplace_back(nlohmann::json{{"rows", score.rows}});
      // Beyond the range of numbers a file cannot say it.
      if (score.rows == 0 || !std::isfinite(score.loss)) continue;
      const auto rows = static_cast<double>(score.rows);
      if (targets[t].target.task == Task::kRegression) {
        said["mse"] = score.loss / rows;
      } else {
        said["log_loss"] = score.loss / rows;
        said["error_rate"] = score.errors / rows;
      }
    }
    json.push_back({{"missing", level.missing}, {"targets", scores}});
  }
  return json;
}

}  // namespace knockout
