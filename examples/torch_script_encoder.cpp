// SPDX-License-Identifier: Apache-2.0
//
// Knockout for a network that exists only as a TorchScript file, here made on the spot: a frozen
// encoder of six numbers x, beside one more input z. The target is w.x + z, both terms of variance
// 1: the best squared error is what is missing, 0, 1 or 2.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "knockout/nn/networks/fusion.h"
#include "knockout/nn/networks/script_encoder.h"

namespace {

/// What Python would write with torch.jit.script(encoder).save(path).
void save_encoder(const std::string& path) {
  torch::jit::Module encoder("encoder");
  encoder.register_parameter("weight", 0.3 * torch::randn({6, 32}), /*is_buffer=*/false);
  encoder.define("def forward(self, x):\n    return torch.tanh(torch.matmul(x, self.weight))\n");
  encoder.save(path);
}

}  // namespace

int main() {
  using namespace knockout::nn;
  torch::manual_seed(1);
  const std::string path = std::filesystem::temp_directory_path() /
                           ("knockout_encoder_" + std::to_string(::getpid()) + ".pt");
  save_encoder(path);
  ScriptEncoder encoder(path);
  std::filesystem::remove(path);

  Fusion network(FusionOptions{
      .encoders = {encoder, torch::nn::Sequential(torch::nn::Linear(1, 32), torch::nn::Tanh())},
      .knockout = {.modalities = {{.name = "x", .shape = {32}, .knockout_rate = 0.3},
                                  {.name = "z", .shape = {32}, .knockout_rate = 0.3}}},
      .head_hidden = {64}});

  const torch::Tensor w = torch::full({6, 1}, 1 / std::sqrt(6.0));
  const auto target = [&](const torch::Tensor& x, const torch::Tensor& z) {
    return torch::matmul(x, w) + z;
  };
  torch::optim::Adam optimizer(network->parameters(), 3e-3);  // the frozen encoder has none
  for (int step = 0; step < 1500; ++step) {
    const torch::Tensor x = torch::randn({256, 6}), z = torch::randn({256, 1});
    optimizer.zero_grad();
    torch::mse_loss(network->forward({x, z}), target(x, z)).backward();
    optimizer.step();
  }

  network->eval();
  const torch::NoGradGuard no_gradients;
  const torch::Tensor x = torch::randn({5000, 6}), z = torch::randn({5000, 1}), absent;
  bool right = true;
  const auto show = [&](const char* given, const torch::Tensor& prediction, double best) {
    const auto error = torch::mse_loss(prediction, target(x, z)).item<double>();
    std::printf("%-7s %6.2f %5.1f\n", given, error, best);
    right = right && std::abs(error - best) < 0.15;
  };
  std::printf("given    error  best\n");
  show("both", network->forward({x, z}), 0.0);
  show("x", network->forward({x, absent}), 1.0);
  show("z", network->forward({absent, z}), 1.0);
  show("nothing", network->forward({absent, absent}, torch::zeros({5000, 2})), 2.0);
  return right ? 0 : 1;
}
