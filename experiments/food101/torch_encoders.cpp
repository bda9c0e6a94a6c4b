// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <torch/script.h>

#include "experiments/food101/torch_food101.h"
#include "knockout/nn/torch.h"

namespace knockout::experiments {
namespace {

/// Normal numbers of the variance that keeps signals alive behind a ReLU.
torch::Tensor weights(std::initializer_list<std::int64_t> shape, double inputs) {
  return std::sqrt(2 / inputs) * torch::randn(shape);
}

}  // namespace

void write_food101_encoders(const std::string& picture_path, const std::string& text_path,
                            int vocabulary_size, std::uint64_t seed) {
  torch::manual_seed(seed);
  torch::jit::Module pictures("pictures");
  const auto parameter = [&](const char* name, const torch::Tensor& value) {
    pictures.register_parameter(name, value, /*is_buffer=*/false);
  };
  parameter("w1", weights({12, 3, 5, 5}, 75));
  parameter("b1", torch::zeros({12}));
  parameter("w2", weights({24, 12, 3, 3}, 108));
  parameter("b2", torch::zeros({24}));
  parameter("w3", weights({64, 24 * 16}, 24 * 16));
  pictures.define(R"(
def forward(self, x):
    x = torch.relu(torch.conv2d(x, self.w1, self.b1, [2, 2], [2, 2]))
    x = torch.relu(torch.conv2d(x, self.w2, self.b2, [2, 2], [1, 1]))
    x = torch.adaptive_avg_pool2d(x, [4, 4])
    return torch.relu(torch.matmul(x.flatten(1), self.w3.t()))
)");
  pictures.save(picture_path);

  torch::jit::Module texts("texts");
  texts.register_parameter("table", torch::randn({vocabulary_size, 32}), /*is_buffer=*/false);
  texts.define(R"(
def forward(self, ids):
    there = (ids != 1).float().unsqueeze(2)
    return (torch.embedding(self.table, ids) * there).sum([1]) / there.sum([1])
)");
  texts.save(text_path);
}

}  // namespace knockout::experiments
