// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_noise_models.h"

#include <cmath>
#include <vector>

namespace knockout::experiments {
namespace {

constexpr double kLeastDeviation = 1e-3;  // as the authors of HET
constexpr double kFirstStddev = 1e-8;     // as the authors of SOP
constexpr double kLeastProbability = 1e-4;
constexpr std::uint64_t kEvaluationSeed = 20210519;

}  // namespace

HeteroscedasticImpl::HeteroscedasticImpl(const HeteroscedasticOptions& options)
    : options_(options) {
  factors_ = register_module(
      "factors", torch::nn::Linear(options.features, options.classes * options.factors));
  deviations_ = register_module("deviations", torch::nn::Linear(options.features, options.classes));
}

torch::Tensor HeteroscedasticImpl::forward(const torch::Tensor& features,
                                           const torch::Tensor& mean_scores) {
  c10::optional<at::Generator> generator;
  if (!is_training()) generator = at::detail::createCPUGenerator(kEvaluationSeed);
  const std::int64_t rows = is_training() ? features.size(0) : 1;
  const auto normal = [&](std::int64_t size) {
    return torch::randn({rows, options_.samples, size}, generator).to(features.device());
  };
  const torch::Tensor factor_noise = normal(options_.factors);
  return with_noise(features, mean_scores, factor_noise, normal(options_.classes));
}

torch::Tensor HeteroscedasticImpl::with_noise(const torch::Tensor& features,
                                              const torch::Tensor& mean_scores,
                                              const torch::Tensor& factor_noise,
                                              const torch::Tensor& own_noise) {
  const std::int64_t rows = features.size(0);
  const torch::Tensor factors =
      factors_->forward(features).view({rows, options_.factors, options_.classes});
  const torch::Tensor deviations =
      torch::softplus(deviations_->forward(features)).add(kLeastDeviation).unsqueeze(1);
  const torch::Tensor scores =  // [rows, samples, classes]
      mean_scores.unsqueeze(1) + torch::matmul(factor_noise, factors) + deviations * own_noise;
  return torch::log_softmax(scores / options_.temperature, 2).logsumexp(1) -
         std::log(static_cast<double>(options_.samples));
}

LabelCorrectionsImpl::LabelCorrectionsImpl(std::int64_t images, std::int64_t classes)
    : classes_(classes) {
  u_ = register_parameter("u", kFirstStddev * torch::randn({images, 1}));
  v_ = register_parameter("v", kFirstStddev * torch::randn({images, classes}));
}

torch::Tensor LabelCorrectionsImpl::loss(const torch::Tensor& scores, const torch::Tensor& labels,
                                         std::span<const std::size_t> rows) {
  const auto one_hot = [&](const torch::Tensor& classes) {
    return torch::one_hot(classes, classes_).to(scores.scalar_type());
  };
  const torch::Tensor index =
      torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), torch::kInt64)
          .to(scores.device());
  const torch::Tensor given = one_hot(labels);
  // Nothing can be more wrong than by a whole label.
  const torch::Tensor added = u_.index_select(0, index).square().clamp(0, 1) * given;
  const torch::Tensor taken = v_.index_select(0, index).square().clamp(0, 1) * (1 - given);

  const torch::Tensor corrected =
      (torch::softmax(scores, 1) + added - taken.detach()).clamp_min(kLeastProbability);
  const torch::Tensor probability =
      (corrected * given).sum(1) / corrected.sum(1);  // of the label as it was given
  const torch::Tensor cross_entropy = -probability.log().mean();

  const torch::Tensor predicted = one_hot(scores.detach().argmax(1));
  const torch::Tensor distance =
      (predicted + added.detach() - taken - given).square().sum(1).mean();
  return cross_entropy + distance;
}

}  // namespace knockout::experiments
