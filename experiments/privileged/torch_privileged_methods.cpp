// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_privileged_methods.h"

#include <utility>

#include <fmt/format.h>

#include "experiments/privileged/torch_noise_models.h"
#include "knockout/base/error.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/networks/wide_resnet.h"
#include "knockout/nn/training/losses.h"

namespace knockout::experiments {
namespace {

using nn::Batch;
using nn::Placeholder;

constexpr std::int64_t kSideInputs = 2;  ///< Annotator and seconds.

nn::WideResNet make_wide_resnet(const PrivilegedOptions& options, std::int64_t classes,
                                std::int64_t side_inputs = 0) {
  std::vector<std::int64_t> head(options.head.begin(), options.head.end());
  std::erase(head, 0);  // "--head 0" asks for none where --quick would have one
  return nn::WideResNet(nn::WideResNetOptions{.depth = options.depth,
                                              .width = options.width,
                                              .classes = classes,
                                              .side_inputs = side_inputs,
                                              .classifier_hidden = head});
}

/// Several modules that are trained together, by name.
template <typename... Modules>
std::shared_ptr<torch::nn::Module> together(std::pair<const char*, Modules>... modules) {
  auto network = std::make_shared<torch::nn::Module>();
  (network->register_module(modules.first, modules.second), ...);
  return network;
}

PrivilegedMethod ignore_privileged(const PrivilegedOptions& options, std::int64_t classes) {
  nn::WideResNet network = make_wide_resnet(options, classes);
  PrivilegedMethod method;
  method.task.network = network.ptr();
  method.task.loss = [network](const Batch& batch) mutable {
    return nn::cross_entropy(network->forward(batch.inputs[0]), batch.labels);
  };
  method.predict = [network](const torch::Tensor& images) mutable {
    return network->forward(images);
  };
  return method;
}

/// Annotator and time go to the classifier beside the image's features. They are knocked out
/// together; the common baseline never loses them in training.
PrivilegedMethod use_privileged(const PrivilegedOptions& options, const NoisyImageDataset& data,
                                std::int64_t classes, double knockout_rate,
                                const Placeholder& placeholder, std::uint64_t seed) {
  nn::WideResNet network = make_wide_resnet(options, classes, kSideInputs);
  nn::Knockout knockout(nn::KnockoutModuleOptions{.modalities = {{.name = "privileged",
                                                                  .shape = {kSideInputs},
                                                                  .placeholder = placeholder,
                                                                  .force_placeholder = true,
                                                                  .knockout_rate = knockout_rate}},
                                                  .seed = seed});
  knockout->observe({data.side()});
  PrivilegedMethod method;
  method.task.network =
      together(std::pair("wide_resnet", network), std::pair("knockout", knockout));
  method.task.loss = [=](const Batch& batch) mutable {
    const torch::Tensor side = knockout->forward(batch.inputs[1]);
    return nn::cross_entropy(network->forward(batch.inputs[0], side), batch.labels);
  };
  method.predict = [=](const torch::Tensor& images) mutable {
    const std::int64_t rows = images.size(0);
    const torch::Tensor side =
        knockout->forward(torch::zeros({rows, kSideInputs}), torch::zeros({rows, 1}, torch::kBool));
    return network->forward(images, side);
  };
  return method;
}

PrivilegedMethod heteroscedastic(const PrivilegedOptions& options, std::int64_t classes) {
  constexpr std::int64_t kFeaturesPerWidth = 64;
  nn::WideResNet network = make_wide_resnet(options, classes);
  Heteroscedastic noise(HeteroscedasticOptions{.features = kFeaturesPerWidth * options.width,
                                               .classes = classes,
                                               .factors = options.het_factors,
                                               .samples = options.het_samples,
                                               .temperature = options.het_temperature});
  auto log_probabilities = [=](const torch::Tensor& images) mutable {
    const torch::Tensor features = network->features(images);
    return noise->forward(features, network->classify(features));
  };
  PrivilegedMethod method;
  method.task.network = together(std::pair("wide_resnet", network), std::pair("noise", noise));
  method.task.loss = [=](const Batch& batch) mutable {
    return torch::nll_loss(log_probabilities(batch.inputs[0]), batch.labels);
  };
  method.predict = log_probabilities;
  return method;
}

PrivilegedMethod correct_labels(const PrivilegedOptions& options, const NoisyImageDataset& data,
                                std::int64_t classes) {
  nn::WideResNet network = make_wide_resnet(options, classes);
  LabelCorrections corrections(static_cast<std::int64_t>(data.size()), classes);
  PrivilegedMethod method;
  method.task.network =
      together(std::pair("wide_resnet", network), std::pair("corrections", corrections));
  // Without momentum also because it would move the corrections of images outside the batch.
  const auto rule = [&](const char* prefix, double rate) {
    return nn::ParameterRule{.prefix = prefix,
                             .learning_rate_factor = rate / options.learning_rate,
                             .follows_schedule = false,
                             .weight_decay = 0.0,
                             .momentum = 0.0};
  };
  method.task.rules = {rule("corrections.u", options.sop_rate_u),
                       rule("corrections.v", options.sop_rate_v)};
  method.task.loss = [=](const Batch& batch) mutable {
    return corrections->loss(network->forward(batch.inputs[0]), batch.labels, batch.rows);
  };
  method.predict = [network](const torch::Tensor& images) mutable {
    return network->forward(images);
  };
  return method;
}

}  // namespace

PrivilegedMethod make_privileged_method(const std::string& name, const PrivilegedOptions& options,
                                        const NoisyImageDataset& data, std::int64_t classes,
                                        std::uint64_t seed) {
  torch::manual_seed(seed);
  if (name == "no-pi") return ignore_privileged(options, classes);
  if (name == "het") return heteroscedastic(options, classes);
  if (name == "sop") return correct_labels(options, data, classes);
  if (name == "common-baseline") {
    return use_privileged(options, data, classes, 0.0, Placeholder::mean(), seed);
  }
  if (name == "knockout-star") {
    return use_privileged(options, data, classes, options.knockout_rate, Placeholder::mean(), seed);
  }
  if (name == "knockout") {
    return use_privileged(options, data, classes, options.knockout_rate,
                          Placeholder::constant(options.placeholder), seed);
  }
  throw ConfigError(fmt::format("privileged: there is no method \"{}\".", name));
}

}  // namespace knockout::experiments
