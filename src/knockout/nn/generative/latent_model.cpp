// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/latent_model.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "knockout/base/random.h"

namespace knockout::nn {
namespace {

// As in the code of MIWAE's authors: with three degrees of freedom or more, mean and variance
// exist.
constexpr double kSmallestScale = 1e-3;
constexpr double kFewestFreedom = 3.0;

/// ln Gamma(x + 1/2) - ln Gamma(x) for x >= 1.5, to 2e-6. The difference of two lgamma() would lose
/// all digits in single precision where x is large, and takes ten times longer.
torch::Tensor log_gamma_ratio(const torch::Tensor& x) {
  const torch::Tensor y = x + 1.0;  // the series converges faster there
  const torch::Tensor inverse = y.reciprocal();
  const torch::Tensor square = inverse * inverse;
  const torch::Tensor series = inverse * (-1.0 / 8 + square * (1.0 / 192 - square / 640.0));
  return 0.5 * y.log() + series - torch::log1p(0.5 / x);
}

}  // namespace

torch::Generator generator_from(std::uint64_t seed, std::uint32_t purpose) {
  // LibTorch looks at 32 bits of a seed only.
  return at::detail::createCPUGenerator(Random(seed, Stream::kWeights).bits(0, 0, purpose));
}

DenseLayer::DenseLayer(std::int64_t inputs, std::int64_t outputs, torch::Generator& generator) {
  const double most = 1.0 / std::sqrt(static_cast<double>(inputs));
  const auto uniform = [&](at::IntArrayRef shape) {
    return ((2.0 * torch::rand(shape, generator) - 1.0) * most).set_requires_grad(true);
  };
  weight = uniform({inputs, outputs});
  bias = uniform({outputs});
}

torch::Tensor DenseLayer::forward(const torch::Tensor& x) const {
  return torch::addmm(bias, x, weight);
}

void DenseLayer::join(torch::nn::Module& network, const std::string& name) const {
  network.register_parameter(name + "_weight", weight);
  network.register_parameter(name + "_bias", bias);
}

DenseNetwork::DenseNetwork(const std::vector<std::int64_t>& widths, torch::Generator& generator) {
  for (std::size_t i = 1; i < widths.size(); ++i) {
    layers.emplace_back(widths[i - 1], widths[i], generator);
  }
}

torch::Tensor DenseNetwork::forward(torch::Tensor x) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) x.relu_();
    x = layers[i].forward(x);
  }
  return x;
}

void DenseNetwork::join(torch::nn::Module& network, const std::string& name) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].join(network, name + "_" + std::to_string(i));
  }
}

LatentModel::LatentModel(InputLayout inputs, std::int64_t latent_width, std::int64_t hidden,
                         torch::Generator& generator)
    : layout(std::move(inputs)),
      latent(latent_width),
      encoder({layout.width(), hidden, hidden, 2 * latent}, generator),
      decoder({latent, hidden, hidden}, generator),
      location(hidden, layout.width(), generator),
      raw_scale(hidden, layout.numbers, generator),
      raw_freedom(hidden, layout.numbers, generator) {}

SampleNoise LatentModel::draw_noise(std::int64_t rows, std::int64_t samples,
                                    torch::Generator& generator) const {
  SampleNoise noise;
  noise.latent = torch::randn({rows, samples, latent}, generator);
  // Away from U = 1, where the square root of draw_inputs() has no derivative.
  constexpr double kSmallestRadius = 1e-6;
  const torch::Tensor u = 1.0 - torch::rand({rows, samples, layout.numbers}, generator);
  noise.radius = (-2.0 * u.log()).clamp_min(kSmallestRadius);
  const torch::Tensor v = torch::rand({rows, samples, layout.numbers}, generator);
  noise.direction = (2.0 * std::numbers::pi * v).cos();
  return noise;
}

LatentSamples LatentModel::sample(const torch::Tensor& values, const torch::Tensor& observed,
                                  const SampleNoise& noise) const {
  const std::int64_t rows = values.size(0), samples = noise.samples();
  const torch::Tensor proposal = encoder.forward(values);
  const torch::Tensor mean = proposal.narrow(1, 0, latent);
  const torch::Tensor stddev = torch::softplus(proposal.narrow(1, latent, latent)) + kSmallestScale;
  const torch::Tensor z = mean.unsqueeze(1) + stddev.unsqueeze(1) * noise.latent;

  LatentSamples found;
  // ln p(z) - ln q(z | x): the normalising constants of the two normals cancel.
  found.log_weights =
      0.5 * (noise.latent.square() - z.square()).sum(2) + stddev.log().sum(1, /*keepdim=*/true);

  const torch::Tensor hidden = decoder.forward(z.reshape({rows * samples, latent})).relu_();
  const auto read = [&](const DenseLayer& head, std::int64_t width) {
    return head.forward(hidden).view({rows, samples, width});
  };
  const torch::Tensor locations = read(location, layout.width());
  const torch::Tensor x = values.unsqueeze(1);
  std::vector<torch::Tensor> expected;
  if (layout.numbers > 0) {
    const torch::Tensor numbers = locations.narrow(2, 0, layout.numbers);
    found.scale = torch::softplus(read(raw_scale, layout.numbers)) + kSmallestScale;
    found.freedom = torch::softplus(read(raw_freedom, layout.numbers)) + kFewestFreedom;
    const torch::Tensor log_density =
        student_t_log_density(x.narrow(2, 0, layout.numbers), numbers, found.scale, found.freedom);
    const torch::Tensor mask = observed.narrow(1, 0, layout.numbers).unsqueeze(1);
    found.log_weights = found.log_weights + (log_density * mask).sum(2);
    expected.push_back(numbers);
  }
  for (const InputLayout::Block& block : layout.categories) {
    const torch::Tensor log_probabilities =
        locations.narrow(2, block.begin, block.width).log_softmax(2);
    // Where the category is missing all its indicators are 0.
    const torch::Tensor indicators = x.narrow(2, block.begin, block.width);
    found.log_weights = found.log_weights + (log_probabilities * indicators).sum(2);
    expected.push_back(log_probabilities.exp());
  }
  found.expected = expected.size() == 1 ? expected[0] : torch::cat(expected, 2);
  return found;
}

torch::Tensor LatentModel::draw_inputs(const LatentSamples& samples,
                                       const SampleNoise& noise) const {
  if (layout.numbers == 0) return samples.expected;
  // Bailey (1994): Box and Muller's way to a normal draw, for Student's t.
  const torch::Tensor standard =
      noise.direction * (samples.freedom * torch::expm1(noise.radius / samples.freedom)).sqrt();
  const torch::Tensor numbers =
      samples.expected.narrow(2, 0, layout.numbers) + samples.scale * standard;
  if (layout.categories.empty()) return numbers;
  const std::int64_t others = layout.width() - layout.numbers;
  return torch::cat({numbers, samples.expected.narrow(2, layout.numbers, others)}, 2);
}

void LatentModel::join(torch::nn::Module& network) const {
  encoder.join(network, "encoder");
  decoder.join(network, "decoder");
  location.join(network, "location");
  if (layout.numbers == 0) return;
  raw_scale.join(network, "raw_scale");
  raw_freedom.join(network, "raw_freedom");
}

std::vector<torch::Tensor> LatentModel::parameters() const {
  torch::nn::Module network;
  join(network);
  return network.parameters();
}

torch::Tensor student_t_log_density(const torch::Tensor& x, const torch::Tensor& location,
                                    const torch::Tensor& scale, const torch::Tensor& freedom) {
  const torch::Tensor distance = (x - location) / scale;
  return log_gamma_ratio(0.5 * freedom) - 0.5 * (std::numbers::pi * freedom).log() - scale.log() -
         0.5 * (freedom + 1.0) * torch::log1p(distance.square() / freedom);
}

torch::Tensor importance_bound(const torch::Tensor& log_weights) {
  return log_weights.logsumexp(1) - std::log(static_cast<double>(log_weights.size(1)));
}

torch::Tensor importance_mean(const torch::Tensor& log_weights, const torch::Tensor& of_samples) {
  return (log_weights.softmax(1).unsqueeze(2) * of_samples).sum(1);
}

}  // namespace knockout::nn
