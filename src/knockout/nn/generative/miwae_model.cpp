// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/miwae_model.h"

namespace knockout::nn {
namespace {

/// Outputs as answers: class scores become probabilities. Works on the last dimension, in place.
torch::Tensor to_answers(torch::Tensor outputs, const std::vector<TargetOutputs>& targets) {
  for (const TargetOutputs& target : targets) {
    if (target.target.task == Task::kRegression) continue;
    torch::Tensor scores = outputs.narrow(-1, target.begin, target.width);
    scores.copy_(scores.softmax(-1));
  }
  return outputs;
}

/// Positions of the rows with a gap.
torch::Tensor rows_with_gaps(const torch::Tensor& observed) {
  return (observed.amin(1) < 0.5).nonzero().squeeze(1);
}

}  // namespace

torch::Tensor MiwaeModel::fill(const torch::Tensor& values, const torch::Tensor& observed) const {
  const torch::Tensor gappy = rows_with_gaps(observed);
  if (gappy.size(0) == 0) return values;
  const torch::Tensor part = values.index_select(0, gappy), seen = observed.index_select(0, gappy);
  const LatentSamples samples = latent_model.sample(part, seen, prediction_noise);
  const torch::Tensor expected =
      importance_mean(samples.log_weights, samples.expected).clamp(lowest, highest);
  return values.index_copy(0, gappy, part + (1.0 - seen) * expected);
}

torch::Tensor MiwaeModel::draw_gaps(const torch::Tensor& values, const torch::Tensor& observed,
                                    const LatentSamples& samples, const SampleNoise& noise) const {
  const torch::Tensor draws = latent_model.draw_inputs(samples, noise).clamp(lowest, highest);
  return values.unsqueeze(1) + (1.0 - observed).unsqueeze(1) * draws;
}

torch::Tensor MiwaeModel::predict(const torch::Tensor& values,
                                  const torch::Tensor& observed) const {
  if (!supervised) return to_answers(predictor.forward(fill(values, observed)), targets);
  torch::Tensor answers = to_answers(predictor.forward(values), targets);
  const torch::Tensor gappy = rows_with_gaps(observed);
  if (gappy.size(0) == 0) return answers;
  const torch::Tensor part = values.index_select(0, gappy), seen = observed.index_select(0, gappy);
  const LatentSamples samples = latent_model.sample(part, seen, prediction_noise);
  const torch::Tensor rows = draw_gaps(part, seen, samples, prediction_noise);
  const torch::Tensor of_samples =
      to_answers(predictor.forward(rows.flatten(0, 1)), targets)
          .view({gappy.size(0), prediction_noise.samples(), answers.size(1)});
  return answers.index_copy_(0, gappy, importance_mean(samples.log_weights, of_samples));
}

torch::Tensor log_likelihood(const torch::Tensor& outputs,
                             const std::vector<TargetOutputs>& targets, const torch::Tensor& labels,
                             const torch::Tensor& weights) {
  torch::Tensor sum = torch::zeros({outputs.size(0), outputs.size(1)});
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto column = static_cast<std::int64_t>(t);
    const torch::Tensor label = labels.narrow(1, column, 1);  // [rows, 1]
    const torch::Tensor found = outputs.narrow(2, targets[t].begin, targets[t].width);
    torch::Tensor of_target;
    if (targets[t].target.task == Task::kRegression) {
      of_target = -(found.squeeze(2) - label).square();
    } else {
      const torch::Tensor classes =
          label.to(torch::kLong).unsqueeze(2).expand({-1, outputs.size(1), 1});
      of_target = found.log_softmax(2).gather(2, classes).squeeze(2);
    }
    sum = sum + weights.narrow(1, column, 1) * of_target;
  }
  return sum;
}

void write_answers(const torch::Tensor& answers, const std::vector<TargetOutputs>& targets,
                   std::size_t first, std::vector<TargetPrediction>& predictions) {
  const torch::Tensor numbers = answers.contiguous();
  const float* const from = numbers.data_ptr<float>();
  const auto outputs = static_cast<std::size_t>(numbers.size(1));
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto begin = static_cast<std::size_t>(targets[t].begin);
    const auto width = static_cast<std::size_t>(targets[t].width);
    const bool is_number = targets[t].target.task == Task::kRegression;
    for (std::size_t row = 0; row < static_cast<std::size_t>(numbers.size(0)); ++row) {
      double* const to = predictions[t].values.data() + (first + row) * width;
      for (std::size_t i = 0; i < width; ++i) {
        const double answer = from[row * outputs + begin + i];
        to[i] = is_number ? targets[t].mean + targets[t].stddev * answer : answer;
      }
    }
  }
}

torch::Tensor as_tensor(const std::vector<float>& numbers, std::int64_t rows, std::int64_t width) {
  return torch::from_blob(const_cast<float*>(numbers.data()), {rows, width});  // only read
}

}  // namespace knockout::nn
