// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/privileged.h"

#include <memory>

#include "experiments/engine_studies.h"
#include "knockout/base/error.h"

namespace knockout::experiments {

Settings privileged_settings(PrivilegedOptions& options) {
  Settings settings;
  settings.add({.name = "dataset",
                .field = &options.dataset,
                .help = "Whose annotations: CIFAR-10H (worst), CIFAR-10N (worst) or CIFAR-100N "
                        "(fine); cifar10h-counts is a stand-in: the published counts of "
                        "CIFAR-10H, with the annotators and times of CIFAR-10S where it has them.",
                .choices = {"cifar10n", "cifar10h", "cifar100n", "cifar10h-counts"}});
  settings.add({.name = "training-images",
                .field = &options.training_images,
                .help = "Train on the first so many images; 0 = all there are.",
                .least = 0});
  settings.add({.name = "test-images",
                .field = &options.test_images,
                .help = "Test on the first so many images; 0 = all there are.",
                .least = 0});
  settings.add({.name = "augment",
                .field = &options.augment,
                .help = "Flip and shift the training images at random."});
  settings.add({.name = "depth",
                .field = &options.depth,
                .help = "Depth of the Wide-ResNet: 6n + 4.",
                .quick = 10,
                .least = 10});
  settings.add({.name = "width",
                .field = &options.width,
                .help = "Width of the Wide-ResNet.",
                .quick = 1,
                .least = 1});
  settings.add({.name = "head",
                .field = &options.head,
                .help = "Hidden units between the image's features with the privileged information "
                        "and the classes; 0 = none, a linear classifier.",
                .quick = std::vector<int>{64},
                .least = 0});
  settings.add({.name = "epochs",
                .field = &options.epochs,
                .help = "Passes over the training images.",
                .quick = 6,
                .least = 1});
  settings.add({.name = "batch",
                .field = &options.batch,
                .help = "Images per step.",
                .quick = 64,
                .least = 2});
  settings.add({.name = "learning-rate",
                .field = &options.learning_rate,
                .help = "Of SGD with Nesterov momentum, at the start.",
                .least = 0});
  settings.add({.name = "momentum",
                .field = &options.momentum,
                .help = "Nesterov momentum of SGD.",
                .least = 0,
                .most = 1});
  settings.add({.name = "weight-decay",
                .field = &options.weight_decay,
                .help = "Weight decay of SGD.",
                .least = 0});
  settings.add({.name = "decay-epochs",
                .field = &options.decay_epochs,
                .help = "After which epochs the learning rate falls.",
                .quick = std::vector<int>{4, 5},
                .least = 1});
  settings.add({.name = "decay",
                .field = &options.decay,
                .help = "What the learning rate is then multiplied by.",
                .least = 0,
                .most = 1});
  settings.add({.name = "knockout-rate",
                .field = &options.knockout_rate,
                .help = "How often all privileged information of an image is knocked out.",
                .least = 0,
                .most = 1});
  settings.add({.name = "placeholder",
                .field = &options.placeholder,
                .help = "What stands in for it (Knockout; Knockout* takes the mean)."});
  settings.add({.name = "het-factors",
                .field = &options.het_factors,
                .help = "HET: rank of the covariance of the scores.",
                .least = 1});
  settings.add({.name = "het-samples",
                .field = &options.het_samples,
                .help = "HET: samples of the scores per image.",
                .quick = 20,
                .least = 1});
  settings.add({.name = "het-temperature",
                .field = &options.het_temperature,
                .help = "HET: temperature of the softmax.",
                .least = 1e-3});
  settings.add({.name = "sop-rate-u",
                .field = &options.sop_rate_u,
                .help = "SOP: learning rate of the part of the correction at the given label.",
                .least = 0});
  settings.add({.name = "sop-rate-v",
                .field = &options.sop_rate_v,
                .help = "SOP: learning rate of the part at the other labels.",
                .least = 0});
  return settings;
}

DataStudy make_privileged_study() {
  const auto options = std::make_shared<PrivilegedOptions>();
  DataStudy study;
  study.name = "privileged";
  study.description = "noisy labels, annotators known in training only (CIFAR-10H, -N)";
  study.needs =
      "CIFAR-10 in its binary version (cifar-10-batches-bin/; those training batches that are "
      "there "
      "are used) with CIFAR-10_human.pt and side_info_cifar10N.csv, or with cifar10h-raw.csv; or "
      "CIFAR-100 (cifar-100-binary/) with CIFAR-100_human.pt and side_info_cifar100N.csv.";
  study.methods = {"no-pi", "het", "sop", "common-baseline", "knockout-star", "knockout"};
  study.settings = privileged_settings(*options);
  study.run = [options](const DataStudyContext& run) {
    return engine_studies().privileged(*options, run);
  };
  study.synthesize = [options](const Synthesis& synthesis) {
    if (options->dataset == "cifar10h-counts") {
      throw ConfigError("--dataset cifar10h-counts: is real, and cannot be made up.");
    }
    return engine_studies().synthesize_privileged(*options, synthesis);
  };
  return study;
}

}  // namespace knockout::experiments
