// SPDX-License-Identifier: Apache-2.0
// Tensors on LibTorch's meta device have shapes and no numbers: what asks for a number, copies to
// the host or mixes devices throws. What runs there makes everything on its inputs' device and
// reads nothing back.
#include <gtest/gtest.h>
#include <torch/library.h>

#include <set>
#include <string>
#include <vector>

#include "knockout/nn/module/knockout_embedding.h"
#include "knockout/nn/networks/cnn3d.h"
#include "knockout/nn/networks/late_fusion.h"
#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/networks/wide_resnet.h"
#include "knockout/nn/training/losses.h"

namespace knockout::nn {
namespace {

const torch::TensorOptions kMeta(torch::kMeta);

/// A tensor of zeros on the CPU that looks like one on the meta device.
torch::Tensor zeros_for(const torch::Tensor& tensor) {
  // Numbers without a dimension may stay on the host: LibTorch takes them along on every device.
  TORCH_CHECK(tensor.is_meta() || tensor.dim() == 0, "devices are mixed");
  return torch::zeros(tensor.sizes(), tensor.options().device(torch::kCPU).requires_grad(false));
}

/// LibTorch 1.13 has many operations (where, relu, logical_not) on the meta device in Python only.
/// Here they run on zeros on the CPU, and give tensors of the shapes and types that come out.
void run_on_zeros(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = operation.schema();
  static const std::set<std::string> sizes_from_numbers = {"aten::nonzero", "aten::masked_select",
                                                           "aten::_unique2", "aten::unique_dim"};
  TORCH_CHECK(!sizes_from_numbers.count(schema.name()), schema.name(), " reads from the device");
  for (const c10::Argument& result : schema.returns()) {
    TORCH_CHECK(result.type()->isSubtypeOf(*c10::TensorType::get()), schema.name(),
                " reads from the device");
  }
  const std::size_t count = schema.arguments().size();
  const std::vector<c10::IValue> given(stack->end() - static_cast<std::ptrdiff_t>(count),
                                       stack->end());
  for (std::size_t i = 0; i < count; ++i) {
    c10::IValue& value = (*stack)[stack->size() - count + i];
    if (value.isTensor() && value.toTensor().defined()) {
      value = zeros_for(value.toTensor());
    } else if (value.isTensorList()) {
      std::vector<torch::Tensor> zeros;
      for (const torch::Tensor& tensor : value.toTensorVector()) zeros.push_back(zeros_for(tensor));
      value = zeros;
    } else if (value.isDevice()) {
      value = c10::Device(torch::kCPU);
    }
  }
  operation.callBoxed(stack);
  const std::size_t results = schema.returns().size();
  for (std::size_t j = 0; j < results; ++j) {
    c10::IValue& value = (*stack)[stack->size() - results + j];
    const torch::Tensor found = value.toTensor();
    const c10::AliasInfo* written = schema.returns()[j].alias_info();
    value = torch::empty(found.sizes(), found.options().device(torch::kMeta));
    if (written == nullptr || !written->isWrite()) continue;
    for (std::size_t i = 0; i < count; ++i) {  // what was written to is what comes back
      const c10::AliasInfo* argument = schema.arguments()[i].alias_info();
      if (argument != nullptr && *argument == *written) value = given[i];
    }
    if (value.toTensor().sizes() != found.sizes()) value.toTensor().resize_(found.sizes());
  }
}

TORCH_LIBRARY_IMPL(_, Meta, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_zeros>());
}

TORCH_LIBRARY_IMPL(aten, Meta, library) {  // which 1.13 has there, but not to any use
  library.impl("convolution", torch::CppFunction::makeFromBoxedFunction<&run_on_zeros>());
}

/// Moves a network to the meta device, which LibTorch 1.13's to() refuses for modules.
template <typename Holder>
Holder on_meta(Holder network) {
  std::vector<torch::Tensor> tensors = network->parameters();
  for (const torch::Tensor& buffer : network->buffers()) tensors.push_back(buffer);
  for (const torch::Tensor& tensor : tensors) {
    c10::TensorImpl& inside = *tensor.unsafeGetTensorImpl();
    inside.set_storage_keep_dtype(torch::empty_like(tensor, kMeta).storage());
    inside._change_backend_component_keys(torch::kMeta);
  }
  set_knockout_step(*network, 0);  // it is written and not read, where a move has lost it
  return network;
}

TEST(AnyDevice, ThrowsHereWhereNumbersAreRead) {
  EXPECT_ANY_THROW(torch::ones({2}, kMeta).sum().item<float>());
  EXPECT_ANY_THROW(torch::ones({2}, kMeta).to(torch::kCPU));
  EXPECT_ANY_THROW(torch::ones({2}, kMeta) + torch::ones({2}));
  EXPECT_ANY_THROW(torch::where(torch::ones({2}, kMeta).gt(0), torch::ones({2}), 0.0));
  EXPECT_ANY_THROW(torch::ones({2}, kMeta).nonzero());
  EXPECT_ANY_THROW(torch::ones({2}, kMeta).equal(torch::ones({2}, kMeta)));
}

TEST(AnyDevice, RunsKnockout) {
  Knockout knockout = on_meta(Knockout(KnockoutModuleOptions{
      .modalities = {{.name = "t1", .shape = {2, -1, -1}, .placeholder = Placeholder::learned()},
                     {.name = "t2",
                      .shape = {2, 5, 5},
                      .placeholder = Placeholder::z_score(),
                      .separate_features = true},
                     {.name = "t3", .shape = {2, 5, 5}, .placeholder = Placeholder::mean()},
                     {.name = "age", .shape = {}},
                     {.name = "sex", .shape = {1}, .placeholder = Placeholder::code()}},
      .keep_at_least_one = true}));
  const torch::Tensor image = torch::empty({3, 2, 5, 5}, kMeta);
  const torch::Tensor sex = torch::zeros({3, 1}, kMeta.dtype(torch::kInt64));
  const torch::Tensor age = torch::empty({3}, kMeta), presence = torch::ones({3, 5}, kMeta);
  for (const bool training : {true, false}) {
    knockout->train(training);
    for (const torch::Tensor& mask : {presence, torch::Tensor()}) {
      for (const auto& inputs : {std::vector<torch::Tensor>{image, image, image, age, sex},
                                 {image, torch::Tensor(), torch::Tensor(), age, torch::Tensor()}}) {
        const auto outputs = knockout->forward_all(inputs, mask);
        for (const torch::Tensor& output : outputs) EXPECT_TRUE(output.is_meta());
        EXPECT_EQ(outputs[1].sizes(), image.sizes());
        EXPECT_EQ(outputs[4].sizes(), sex.sizes());
      }
    }
  }
  knockout->observe({image, image, image, age, sex}, presence);
  knockout->set_step(7);
  knockout->train();
  EXPECT_TRUE(knockout->forward_all({image, image, image, age, sex})[0].is_meta());
}

TEST(AnyDevice, RunsAnEmbedding) {
  KnockoutEmbedding embedding = on_meta(KnockoutEmbedding(KnockoutEmbeddingImpl::Options{}));
  const torch::Tensor codes = torch::zeros({3}, kMeta.dtype(torch::kInt64));
  for (const bool training : {true, false}) {
    embedding->train(training);
    EXPECT_TRUE(embedding->forward(codes).is_meta());
  }
}

TEST(AnyDevice, RunsTheNetworks) {
  const auto expect_scores = [](const torch::Tensor& scores, torch::IntArrayRef shape) {
    EXPECT_TRUE(scores.is_meta());
    EXPECT_EQ(scores.sizes(), shape);
  };
  const torch::Tensor vectors = torch::empty({4, 3}, kMeta);
  expect_scores(on_meta(Mlp(MlpOptions{.inputs = 3}))->forward(vectors), {4, 1});
  expect_scores(
      on_meta(LateFusion(LateFusionOptions{.inputs = {3, 3}}))->forward({vectors, vectors}),
      {4, 1});
  expect_scores(on_meta(WideResNet(WideResNetOptions{.depth = 10, .width = 1}))
                    ->forward(torch::empty({4, 3, 8, 8}, kMeta)),
                {4, 10});
  expect_scores(on_meta(UNet3d(UNet3dOptions{.levels = 1, .base_width = 2}))
                    ->forward(torch::empty({2, 4, 5, 4, 4}, kMeta)),
                {2, 4, 5, 4, 4});
  expect_scores(on_meta(Cnn3d(Cnn3dOptions{.widths = {2}, .grid = {1, 1, 1}}))
                    ->forward(torch::empty({2, 1, 4, 4, 4}, kMeta)),
                {2, 1});
}

TEST(AnyDevice, RunsTheLosses) {
  const torch::Tensor scores = torch::empty({2, 3, 4}, kMeta);
  const torch::Tensor labels = torch::zeros({2, 4}, kMeta.dtype(torch::kInt64));
  EXPECT_TRUE(cross_entropy(scores, labels).is_meta());
  EXPECT_TRUE(cross_entropy(scores, labels, torch::ones({3}, kMeta)).is_meta());
  EXPECT_TRUE(logistic_loss(scores, torch::zeros({2, 3, 4}, kMeta)).is_meta());
  EXPECT_TRUE(soft_dice(scores, labels).is_meta());
}

}  // namespace
}  // namespace knockout::nn
