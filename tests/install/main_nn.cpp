// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/knockout.h"

// Succeeds when a missing cell takes its placeholder.
int main() {
  using namespace knockout::nn;
  Knockout knockout(KnockoutModuleOptions{
      .modalities = {{.name = "x", .shape = {2}, .placeholder = Placeholder::z_score()}}});
  knockout->eval();
  const torch::Tensor output = knockout->forward(torch::tensor({{1.0f, NAN}}));
  return torch::equal(output, torch::tensor({{1.0f, 10.0f}})) ? 0 : 1;
}
