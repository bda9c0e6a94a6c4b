// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/prostate.h"

#include <memory>

#include "experiments/engine_studies.h"

namespace knockout::experiments {

Settings prostate_settings(ProstateOptions& options) {
  using Numbers = std::vector<int>;
  Settings settings;
  settings.add({.name = "crop-mm",
                .field = &options.crop_mm,
                .help = "Sides of the box around the prostate in millimetres, along x, y, z",
                .least = 1});
  settings.add({.name = "size",
                .field = &options.size,
                .help = "Voxels that the box is resampled to, along x, y, z",
                .quick = Numbers{24, 24, 12},
                .least = 2,
                .most = 512});
  settings.add({.name = "intensities",
                .field = &options.intensities,
                .help = "How the intensities of each image are scaled",
                .choices = {"z-score", "unit-range"}});
  settings.add({.name = "gland-masks",
                .field = &options.gland_masks,
                .help =
                    "Folder of prostate masks PATIENT_STUDY.nii.gz on which the box is centred; "
                    "without it, the box lies in the middle of the T2 image",
                .value_name = "DIR"});
  settings.add({.name = "widths",
                .field = &options.widths,
                .help = "Channels of each block of a feature extractor",
                .quick = Numbers{6, 12, 16},
                .least = 1});
  settings.add({.name = "latent",
                .field = &options.latent,
                .help = "Latent features of each image",
                .quick = 16,
                .least = 1});
  settings.add({.name = "head-hidden",
                .field = &options.head_hidden,
                .help = "Units of each hidden layer of the head on the latents",
                .quick = Numbers{64, 64},
                .least = 1});
  settings.add({.name = "learning-rate",
                .field = &options.learning_rate,
                .help = "Of Adam",
                .quick = 3e-3,
                .least = 0,
                .most = 1});
  settings.add(
      {.name = "batch", .field = &options.batch_rows, .help = "Cases of a batch", .least = 2});
  settings.add({.name = "epochs",
                .field = &options.epochs,
                .help = "Passes over the training cases, of each extractor",
                .quick = 10,
                .least = 1});
  settings.add({.name = "head-epochs",
                .field = &options.head_epochs,
                .help = "The same for each head on the latents",
                .quick = 60,
                .least = 1});
  settings.add({.name = "positive-weight",
                .field = &options.positive_weight,
                .help = "How often a case with cancer counts in the loss",
                .least = 0});
  settings.add({.name = "knockout-rate",
                .field = &options.knockout_rate,
                .help = "Probability of each latent being knocked out",
                .least = 0,
                .most = 1});
  settings.add({.name = "keep-one",
                .field = &options.keep_one,
                .help = "Never knock out all three latents"});
  settings.add({.name = "validation-share",
                .field = &options.validation_share,
                .help = "Of the patients, to choose the best epoch",
                .least = 0.01,
                .most = 0.9});
  settings.add({.name = "test-share",
                .field = &options.test_share,
                .help = "Of the patients, to test",
                .least = 0.01,
                .most = 0.9});
  settings.add({.name = "threshold",
                .field = &options.threshold,
                .help = "Probability from which a case counts as cancer, for F1",
                .least = 0,
                .most = 1});
  settings.add({.name = "loader-threads",
                .field = &options.loader_threads,
                .help = "Threads that read images ahead",
                .least = 0});
  return settings;
}

DataStudy make_prostate_study() {
  const auto options = std::make_shared<ProstateOptions>();
  DataStudy study;
  study.name = "prostate";
  study.description = "prostate cancer from T2, ADC and DWI images, any of them missing (PI-CAI)";
  study.needs =
      "The PI-CAI training images, one folder per patient with PATIENT_STUDY_t2w.mha, _adc.mha "
      "and _hbv.mha, and marksheet.csv.";
  study.methods = {"ensemble", "common-baseline", "knockout"};
  study.settings = prostate_settings(*options);
  study.run = [options](const DataStudyContext& run) {
    return engine_studies().prostate(*options, run);
  };
  study.synthesize = [](const Synthesis& synthesis) {
    return engine_studies().synthesize_prostate(synthesis);
  };
  return study;
}

}  // namespace knockout::experiments
