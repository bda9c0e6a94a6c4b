// SPDX-License-Identifier: Apache-2.0
#include "experiments/alzheimers/alzheimers.h"

#include <memory>

namespace knockout::experiments {
namespace {

Settings settings_of(AlzheimersOptions& o) {
  Settings settings;
  settings.add({.name = "subjects",
                .field = &o.subjects,
                .help = "Who: everyone selected, those without a gap, or one after the other",
                .choices = {"both", "all", "complete"}});
  settings.add({.name = "late-cn",
                .field = &o.rules.late_cn_excludes,
                .help = "A CN diagnosis after the fifth year leaves a subject out as well"});
  settings.add({.name = "reverted-ad",
                .field = &o.rules.reverted_ad_excludes,
                .help = "MCI after AD leaves a subject out; otherwise AD is carried forward"});
  settings.add({.name = "test-share",
                .field = &o.test_share,
                .help = "Share of the subjects that are tested on",
                .least = 0.01,
                .most = 0.9});
  settings.add({.name = "hidden",
                .field = &o.hidden,
                .help = "Units per hidden layer",
                .quick = {32, 32},
                .least = 1,
                .most = 65536});
  settings.add({.name = "dropout",
                .field = &o.dropout,
                .help = "Share of hidden units dropped while training",
                .quick = 0.1,
                .least = 0,
                .most = 0.95});
  settings.add({.name = "networks",
                .field = &o.networks,
                .help = "Networks averaged",
                .least = 1,
                .most = 1000});
  settings.add({.name = "reweight",
                .field = &o.reweight,
                .help = "MCI and AD of a year weigh the same in the loss"});
  settings.add({.name = "learning-rate",
                .field = &o.learning_rate,
                .help = "Of Adam, constant",
                .quick = 1e-3,
                .least = 1e-8,
                .most = 1});
  settings.add({.name = "weight-decay",
                .field = &o.weight_decay,
                .help = "Decoupled weight decay",
                .least = 0,
                .most = 1});
  settings.add({.name = "batch",
                .field = &o.batch_rows,
                .help = "Subjects per step",
                .least = 1,
                .most = 1e6});
  settings.add({.name = "epochs",
                .field = &o.epochs,
                .help = "Passes over the training subjects, at most; there are 50 looks at the "
                        "validation part",
                .quick = 200,
                .least = 1,
                .most = 1e6});
  settings.add({.name = "validation-share",
                .field = &o.validation_share,
                .help = "Share of the training subjects that say when to stop; 0 = none",
                .least = 0,
                .most = 0.5});
  settings.add({.name = "patience",
                .field = &o.patience,
                .help = "Epochs without progress before training stops",
                .quick = 40,
                .least = 1,
                .most = 1e6});
  settings.add({.name = "averaging",
                .field = &o.averaging,
                .help = "Share of the averaged weights kept at each step; 0 = the last weights",
                .least = 0,
                .most = 0.9999});
  settings.add({.name = "knockout-rate",
                .field = &o.knockout_rate,
                .help = "\"paper\" (half of the rows stay complete) or a number",
                .value_name = "RATE"});
  settings.add(
      {.name = "placeholder",
       .field = &o.placeholder,
       .help = "Z-score by which knockout-paper marks an input that was knocked out or removed"});
  settings.add(
      {.name = "reason-placeholder",
       .field = &o.reason_placeholder,
       .help = "Z-score by which knockout-paper marks an input that is missing in the file"});
  return settings;
}

}  // namespace

DataStudy make_alzheimers_study() {
  const auto options = std::make_shared<AlzheimersOptions>();
  DataStudy study;
  study.name = "alzheimers";
  study.description = "Alzheimer's disease in one to five years (ADNI)";
  study.needs = "ADNIMERGE.csv as the Alzheimer's Disease Neuroimaging Initiative distributes it.";
  study.methods = {"knockout", "knockout-paper", "knockout-star", "common-baseline"};
  study.repetitions = 10;
  study.repetition_name = "splits";
  study.in_engine = false;
  study.settings = settings_of(*options);
  study.run = [options, settings = study.settings](const DataStudyContext& run) {
    return run_alzheimers(*options, settings.values(), run);
  };
  study.synthesize = synthesize_adnimerge;
  return study;
}

}  // namespace knockout::experiments
