// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/held_out_scores.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "knockout/base/parallel.h"
#include "knockout/base/stage.h"
#include "knockout/model/write_placeholders.h"
#include "knockout/networks/held_out.h"
#include "knockout/networks/network_ensemble.h"

namespace knockout {
namespace {

constexpr std::size_t kJudgedAtOnce = 1024;                   ///< Rows, at most.
constexpr std::size_t kNumbersAtOnce = std::size_t{1} << 22;  ///< Encoded: 17 MB per thread.

using Score = HeldOutLevel::Score;
/// By the number of missing inputs, then by target.
using Scores = std::vector<std::vector<Score>>;

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

class NetworkJudge {
 public:
  NetworkJudge(const HeldOutJudge& judge, const Network& network, int member)
      : judge_(judge),
        ensemble_({network}, judge.targets),
        split_(split_rows(judge.examples, judge.options, member)),
        sampler_(held_out_sampler(judge.plan, judge.options, member)) {
    for (const Feature& feature : judge.encoder.schema().features) {
      columns_.push_back(judge.table.find(feature.name));
    }
  }

  Scores scores() const {
    Scores sum = nothing();
    const std::size_t rows = split_.judged_rows();
    const auto width = static_cast<std::size_t>(std::max(1, judge_.encoder.width()));
    const std::size_t at_once = std::clamp<std::size_t>(kNumbersAtOnce / width, 1, kJudgedAtOnce);
    std::vector<Scores> parts((rows + at_once - 1) / at_once);
    parallel_for(parts.size(), judge_.options.threads, [&](std::size_t part) {
      const std::size_t begin = part * at_once;
      parts[part] = judge_rows(begin, std::min(rows, begin + at_once));
    });
    for (const Scores& part : parts) add(part, sum);
    return sum;
  }

 private:
  Scores nothing() const {
    return Scores(judge_.encoder.units().size() + 1, std::vector<Score>(judge_.targets.size()));
  }

  /// Inputs that the row lacks by itself or that `mask` takes from it.
  std::size_t missing_inputs(std::uint32_t row, std::span<const std::uint8_t> mask) const {
    const auto is_gap = [&](std::size_t feature) {
      return columns_[feature] == nullptr || !columns_[feature]->observed(row);
    };
    std::size_t missing = 0;
    for (std::size_t u = 0; u < mask.size(); ++u) {
      const std::vector<std::size_t>& features = judge_.encoder.units()[u].features;
      missing += mask[u] != KnockoutSampler::kKept ||
                 std::all_of(features.begin(), features.end(), is_gap);
    }
    return missing;
  }

  Scores judge_rows(std::size_t begin, std::size_t end) const {
    const EncodedRows& inputs = judge_.examples.inputs;
    const std::size_t width = inputs.width, codes = inputs.code_count, count = end - begin;
    std::vector<float> values(count * width);
    std::vector<std::int32_t> row_codes(count * codes);
    std::vector<std::uint8_t> mask(judge_.encoder.units().size());
    std::vector<std::size_t> missing(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t source = split_.source(begin + i);
      std::copy_n(inputs.values.data() + source * width, width, values.data() + i * width);
      std::copy_n(inputs.codes.data() + source * codes, codes, row_codes.data() + i * codes);
      sampler_.draw(0, static_cast<std::uint32_t>(begin + i), mask);
      write_placeholders(judge_.encoder, mask, values.data() + i * width,
                         row_codes.data() + i * codes);
      missing[i] = missing_inputs(source, mask);
    }
    return score_answers(begin, missing,
                         {static_cast<int>(count), values.data(), row_codes.data()});
  }

  Scores score_answers(std::size_t begin, const std::vector<std::size_t>& missing,
                       const EncodedBlock& block) const {
    std::vector<std::vector<double>> answers;
    std::vector<double*> pointers;
    for (const TargetCoding& coding : judge_.targets) {
      answers.emplace_back(missing.size() * coding.answer_width());
    }
    pointers.reserve(answers.size());
    for (std::vector<double>& of_target : answers) pointers.push_back(of_target.data());
    ensemble_.answer(block, *ensemble_.make_workspace(block.rows), pointers);

    Scores scores = nothing();
    const std::size_t heads = judge_.targets.size();
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const std::size_t example = split_.source(begin + i) * heads;
      for (std::size_t t = 0; t < heads; ++t) {
        if (judge_.examples.weights[example + t] == 0.0f) continue;  // no label
        const TargetCoding& coding = judge_.targets[t];
        add_answer(coding, answers[t].data() + i * coding.answer_width(),
                   judge_.examples.labels[example + t], scores[missing[i]][t]);
      }
    }
    return scores;
  }

  const HeldOutJudge& judge_;
  NetworkEnsemble ensemble_;
  RowSplit split_;
  KnockoutSampler sampler_;
  std::vector<const Column*> columns_;  ///< One per feature.
};

}  // namespace

std::vector<HeldOutLevel> judge_held_out(const HeldOutJudge& judge,
                                         const std::vector<Network>& networks) {
  const Stage stage("judging the networks on rows held out");
  Scores sum(judge.encoder.units().size() + 1, std::vector<Score>(judge.targets.size()));
  for (std::size_t n = 0; n < networks.size(); ++n) {
    add(NetworkJudge(judge, networks[n], static_cast<int>(n)).scores(), sum);
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
