// SPDX-License-Identifier: Apache-2.0
//
// What the Knockout module costs: a training step of a network with it against the same step
// without it, taken in turns, and the module alone. The networks are small, so that the share is
// rather too high than too low. Goal: under 2 % added.
#include <cstdio>

#include "bench/torch_bench.h"
#include "bench/training_problem.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/networks/wide_resnet.h"
#include "knockout/nn/training/losses.h"

namespace {

using namespace knockout;
using namespace knockout::bench;
using Step = std::function<void()>;

constexpr int kPairs = 41;
// The median of 41 lies between the 14th and the 28th smallest with a probability of 97 %.
constexpr int kLow = 13, kHigh = 27;

/// A step of Adam on `loss`.
Step adam_step(torch::nn::Module& network, std::function<torch::Tensor()> loss) {
  const auto optimizer = std::make_shared<torch::optim::Adam>(network.parameters());
  return [optimizer, loss = std::move(loss)] {
    optimizer->zero_grad();
    loss().backward();
    optimizer->step();
  };
}

double seconds(const Step& step) { return seconds_per_call(1, step).front(); }

void measure(const char* what, const Step& plain, const Step& with_knockout, const Step& module) {
  std::vector<double> without, with, alone;
  plain();
  with_knockout();
  for (int i = 0; i < kPairs; ++i) {  // in turns, so that both meet the same disturbances
    if (i % 2 == 0) without.push_back(seconds(plain));
    with.push_back(seconds(with_knockout));
    if (i % 2 == 1) without.push_back(seconds(plain));
    alone.push_back(seconds(module));
  }
  std::vector<double> added;
  for (int i = 0; i < kPairs; ++i) added.push_back(100 * (with[i] / without[i] - 1));
  std::sort(added.begin(), added.end());
  std::printf("%-44s %9.1f %9.1f %+8.2f %% (%+.2f to %+.2f) %10.3f %7.2f %%\n", what,
              1e3 * median(without), 1e3 * median(with), median(added), added[kLow], added[kHigh],
              1e3 * median(alone), 100 * median(alone) / median(without));
}

void measure_images() {
  const torch::Tensor images = torch::rand({64, 3, 32, 32});
  const torch::Tensor labels = torch::randint(10, {64}, torch::kInt64);
  nn::WideResNet network(nn::WideResNetOptions{.depth = 10, .width = 1});
  nn::Knockout knockout(nn::KnockoutModuleOptions{
      .modalities = {
          {.name = "image", .shape = {3, 32, 32}, .placeholder = nn::Placeholder::mean()}}});
  const auto plain = [&] {
    return adam_step(*network, [&] { return nn::cross_entropy(network->forward(images), labels); });
  };
  const Step module = [&] { knockout->forward(images); };
  measure("control: that step twice, without Knockout", plain(), plain(), module);
  measure("Wide-ResNet-10-1, 64 x 3 x 32 x 32", plain(),
          adam_step(*network,
                    [&] {
                      return nn::cross_entropy(network->forward(knockout->forward(images)), labels);
                    }),
          module);
}

void measure_volumes() {
  const torch::Tensor volumes = torch::rand({2, 4, 48, 48, 48});
  const torch::Tensor labels = torch::randint(4, {2, 48, 48, 48}, torch::kInt64);
  nn::UNet3d network(nn::UNet3dOptions{.levels = 3, .blocks = 2, .base_width = 8});
  nn::Knockout knockout(
      nn::KnockoutModuleOptions{.modalities = {{.name = "scans",
                                                .shape = {4, 48, 48, 48},
                                                .placeholder = nn::Placeholder::constant(-1),
                                                .separate_features = true}},
                                .keep_at_least_one = true});
  measure("U-Net 3-D, 3 levels, 8 wide, 2 x 4 x 48^3",
          adam_step(*network,
                    [&] { return nn::cross_entropy_and_dice(network->forward(volumes), labels); }),
          adam_step(*network,
                    [&] {
                      return nn::cross_entropy_and_dice(
                          network->forward(knockout->forward(volumes)), labels);
                    }),
          [&] { knockout->forward(volumes); });
}

}  // namespace

int main(int, char** argv) {
  choose_blas_kernels(argv);
  std::printf("LibTorch %s, %d threads; milliseconds, median of %d steps taken in turns\n",
              TORCH_VERSION, torch::get_num_threads(), kPairs);
  std::printf("%-44s %9s %9s %31s %10s %9s\n", "", "without", "with", "added (median, 97 %)",
              "module", "share");
  measure_images();
  measure_volumes();
}
