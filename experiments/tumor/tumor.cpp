// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/tumor.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "experiments/engine_studies.h"
#include "knockout/base/error.h"

namespace knockout::experiments {

Settings tumor_settings(TumorOptions& options) {
  Settings settings;
  settings.add({"modalities", &options.modalities,
                "The images of a subject, as its files are called, with commas between"});
  settings.add({"segmentation", &options.segmentation, "What the file with the labels is called"});
  settings.add({.name = "classes",
                .field = &options.classes,
                .help = "Classes of the segmentation with the background; 4 are those of BraTS, "
                        "whose label 4 is class 3",
                .least = 2,
                .most = 255});
  settings.add({"any-affine", &options.any_affine,
                "Take voxels as they lie where the affines of a subject's files differ"});
  settings.add({.name = "validation-share",
                .field = &options.validation_share,
                .help = "Share of the subjects that choose the weights; at least one",
                .quick = 0.1,
                .least = 0,
                .most = 0.5});
  settings.add({.name = "test-share",
                .field = &options.test_share,
                .help = "Share of the subjects to test on; at least one",
                .quick = 0.25,
                .least = 0,
                .most = 0.5});
  settings.add({.name = "levels",
                .field = &options.levels,
                .help = "Down-samplings of the U-Net",
                .quick = 1,
                .least = 1,
                .most = 8});
  settings.add({.name = "blocks",
                .field = &options.blocks,
                .help = "Convolutions per resolution",
                .quick = 1,
                .least = 1,
                .most = 16});
  settings.add({.name = "base-width",
                .field = &options.base_width,
                .help = "Channels at full resolution, doubled at each level",
                .quick = 8,
                .least = 1});
  settings.add({.name = "patch",
                .field = &options.patch,
                .help = "Voxels of a patch along x, y and z, or one number for all; 0 = the whole "
                        "volume",
                .quick = std::vector<int>{0},
                .least = 0});
  settings.add({.name = "batch",
                .field = &options.batch,
                .help = "Patches per step of the training, and patterns at once in the test",
                .least = 1});
  settings.add({.name = "epochs",
                .field = &options.epochs,
                .help = "Passes over the training subjects, a random patch of each",
                .quick = 40,
                .least = 1});
  settings.add({.name = "validate-every",
                .field = &options.validate_every,
                .help = "Epochs between two validations; 0 = at the end only",
                .quick = 5,
                .least = 0});
  settings.add({.name = "learning-rate",
                .field = &options.learning_rate,
                .help = "Of Adam",
                .quick = 5e-3,
                .least = 0});
  settings.add({.name = "schedule",
                .field = &options.schedule,
                .help = "How the learning rate goes on",
                .choices = {"constant", "cosine"}});
  settings.add({.name = "loss",
                .field = &options.loss,
                .help = "What is minimised; the Dice is soft, and the sum has equal weights",
                .choices = {"cross-entropy+dice", "dice", "cross-entropy"}});
  settings.add({.name = "knockout-rate",
                .field = &options.knockout_rate,
                .help = "How often a modality is knocked out; below 0 = the paper's, which leaves "
                        "half of the rows complete",
                .most = 0.99});
  settings.add({"keep-one", &options.keep_one,
                "Knockout leaves at least one image of a subject in training"});
  settings.add({.name = "masks",
                .field = &options.masks,
                .help = "Whether each row of a batch loses images of its own, or all rows of a "
                        "batch the same ones, as the paper words its rate",
                .choices = {"row", "batch"}});
  settings.add({.name = "overlap",
                .field = &options.overlap,
                .help = "Share of a patch that its neighbour sees as well, when predicting",
                .least = 0,
                .most = 0.9});
  settings.add({.name = "loader-threads",
                .field = &options.loader_threads,
                .help = "Threads that read subjects ahead; 0 = none",
                .least = 0,
                .most = 64});
  return settings;
}

std::vector<std::string> modality_names(const TumorOptions& options) {
  constexpr std::size_t kMost = 10;  // 1,023 patterns
  std::vector<std::string> names;
  std::string_view rest = options.modalities;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string name(rest.substr(0, comma));
    rest.remove_prefix(more ? comma + 1 : rest.size());
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
      throw ConfigError(
          fmt::format("--modalities {}: expected different names with commas between, as "
                      "t1,t1ce,t2,flair.",
                      options.modalities));
    }
    names.push_back(name);
  }
  if (names.size() < 2 || names.size() > kMost) {
    throw ConfigError(fmt::format(
        "--modalities {}: expected 2 to {} names, as every pattern of missing images is tested.",
        options.modalities, kMost));
  }
  return names;
}

const std::vector<TumorMethod>& tumor_methods() {
  static const std::vector<TumorMethod> methods = {
      {.name = "knockout", .label = "Knockout", .constant = 0},
      {.name = "knockout-minus-one", .label = "Knockout (-1)", .constant = -1},
      {.name = "knockout-star", .label = "Knockout* (mean image)", .fills_in_mean = true},
      {.name = "common-baseline",
       .label = "Common baseline",
       .knocks_out = false,
       .fills_in_mean = true},
  };
  return methods;
}

DataStudy make_tumor_study() {
  const auto options = std::make_shared<TumorOptions>();
  DataStudy study;
  study.name = "tumor";
  study.description = "brain tumors in four MR images, any of them missing (BraTS 2021)";
  study.needs =
      "A folder per subject, BraTS2021_00000/, with BraTS2021_00000_t1.nii.gz, _t1ce, _t2, _flair "
      "and _seg.";
  for (const TumorMethod& method : tumor_methods()) study.methods.push_back(method.name);
  study.repetitions = 1;  // the paper's intervals are over test subjects
  study.settings = tumor_settings(*options);
  study.run = [options](const DataStudyContext& run) {
    return engine_studies().tumor(*options, run);
  };
  study.synthesize = [](const Synthesis& synthesis) {
    return engine_studies().synthesize_tumor(synthesis);
  };
  return study;
}

}  // namespace knockout::experiments
