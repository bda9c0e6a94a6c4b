// SPDX-License-Identifier: Apache-2.0
//
// A network on an image and a vector, either of which may be missing. There are four classes: the
// image's stripes tell which half the class is in, the vector tells which of the two it is. So the
// best network errs never with both, knows one of two classes with one of them (log loss ln 2), and
// guesses one of four with none (ln 4).
#include <cmath>
#include <cstdio>

#include "knockout/nn/networks/fusion.h"
#include "knockout/nn/training/losses.h"
#include "knockout/nn/training/metrics.h"

namespace {

struct Rows {
  torch::Tensor images, vectors, labels;
};

Rows draw(std::int64_t rows) {
  const torch::Tensor labels = torch::randint(4, {rows});
  const torch::Tensor vertical = (labels >= 2).reshape({rows, 1, 1, 1});
  const torch::Tensor stripes = (torch::arange(8) % 2).to(torch::kFloat32).expand({8, 8});
  const torch::Tensor images = torch::where(vertical, stripes, stripes.t());
  const torch::Tensor vectors = (labels % 2 * 2 - 1).unsqueeze(1).expand({rows, 5});
  return {images + 0.3 * torch::randn({rows, 1, 8, 8}), vectors + 0.5 * torch::randn({rows, 5}),
          labels};
}

}  // namespace

int main() {
  using namespace knockout::nn;
  torch::manual_seed(1);
  torch::nn::Sequential image_encoder(torch::nn::Conv2d(1, 8, 3), torch::nn::ReLU(),
                                      torch::nn::AdaptiveAvgPool2d(2), torch::nn::Flatten(),
                                      torch::nn::Linear(32, 16));
  Mlp vector_encoder(MlpOptions{.inputs = 5, .hidden = {16}, .outputs = 16});
  // Zeros are the default of more than 16 numbers; these latents are a little narrower.
  const auto latent = [](const char* name) {
    return Modality{.name = name,
                    .shape = {16},
                    .placeholder = Placeholder::zeros(),
                    .force_placeholder = true,
                    .knockout_rate = 0.3};
  };
  Fusion network(FusionOptions{.encoders = {image_encoder, vector_encoder},
                               .knockout = {.modalities = {latent("image"), latent("vector")}},
                               .head_hidden = {32},
                               .outputs = 4});

  torch::optim::Adam optimizer(network->parameters(), 3e-3);
  for (int step = 0; step < 600; ++step) {
    const Rows batch = draw(128);
    optimizer.zero_grad();
    cross_entropy(network->forward({batch.images, batch.vectors}), batch.labels).backward();
    optimizer.step();
  }

  network->eval();
  const torch::NoGradGuard no_gradients;
  const Rows test = draw(2000);
  const torch::Tensor absent, nothing = torch::zeros({2000, 2}, torch::kBool);
  bool right = true;
  const auto show = [&](const char* given, const torch::Tensor& scores, double best_accuracy) {
    const double correct = accuracy(scores.argmax(1), test.labels);
    const auto loss = cross_entropy(scores, test.labels).item<double>();
    const double best_loss = std::log(1 / best_accuracy);
    std::printf("%-8s %8.2f %5.2f %9.2f %5.2f\n", given, correct, best_accuracy, loss, best_loss);
    right = right && std::abs(correct - best_accuracy) < 0.05 && std::abs(loss - best_loss) < 0.1;
  };
  std::printf("given    accuracy  best  log loss  best\n");
  show("both", network->forward({test.images, test.vectors}), 1.0);
  show("image", network->forward({test.images, absent}), 0.5);
  show("vector", network->forward({absent, test.vectors}), 0.5);
  show("nothing", network->forward({absent, absent}, nothing), 0.25);
  return right ? 0 : 1;
}
