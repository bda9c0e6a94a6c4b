// SPDX-License-Identifier: Apache-2.0
#include "experiments/food101/food101.h"

#include <memory>

#include "experiments/engine_studies.h"

namespace knockout::experiments {

Settings food101_settings(Food101Options& options) {
  Settings settings;
  const auto add_file = [&](const char* name, std::string& field, const char* help) {
    settings.add({.name = name, .field = &field, .help = help, .value_name = "FILE"});
  };
  settings.add({.name = "stand-in",
                .field = &options.stand_in,
                .help = "with --synthesize: instead of made-up dishes, write the emoji of this "
                        "folder (emoji_cifarformat.bin, text.csv) in that layout; real pictures "
                        "and texts, but not the paper's",
                .value_name = "DIR"});
  add_file("picture-encoder", options.picture_encoder,
           "TorchScript: pictures to features; in the data folder unless it names another place");
  add_file("text-encoder", options.text_encoder, "TorchScript: tokens to features; likewise");
  add_file("vocabulary", options.vocabulary, "the tokenizer's vocab.json; likewise");
  add_file("merges", options.merges, "the tokenizer's merges.txt; likewise");
  settings.add({.name = "picture-side",
                .field = &options.picture_side,
                .help = "pixels of the square that the encoder sees",
                .quick = 32,
                .least = 8,
                .most = 2048});
  settings.add({.name = "most-tokens",
                .field = &options.most_tokens,
                .help = "longer texts are cut",
                .quick = 32,
                .least = 2,
                .most = 512});
  settings.add({.name = "hidden",
                .field = &options.hidden,
                .help = "units of each hidden layer of the head",
                .least = 1});
  settings.add(
      {.name = "fine-tune", .field = &options.fine_tune, .help = "whether the encoders learn too"});
  settings.add({.name = "epochs",
                .field = &options.epochs,
                .help = "passes over the training rows",
                .quick = 10,
                .least = 1});
  settings.add({.name = "batch",
                .field = &options.batch,
                .help = "rows of a batch",
                .quick = 24,
                .least = 2});
  settings.add({.name = "learning-rate",
                .field = &options.learning_rate,
                .help = "of AdamW",
                .quick = 2e-3,
                .least = 0,
                .most = 1});
  settings.add({.name = "weight-decay",
                .field = &options.weight_decay,
                .help = "of AdamW",
                .least = 0,
                .most = 1});
  settings.add({.name = "validation-rows",
                .field = &options.validation_rows,
                .help = "training rows held out to choose the best epoch",
                .quick = 80,
                .least = 1});
  settings.add({.name = "knockout-rate",
                .field = &options.knockout_rate,
                .help = "probability of the picture, and of the text, being knocked out",
                .least = 0,
                .most = 1});
  settings.add({.name = "loader-threads",
                .field = &options.loader_threads,
                .help = "threads that read pictures ahead",
                .quick = 1,
                .least = 0});
  return settings;
}

DataStudy make_food101_study() {
  const auto options = std::make_shared<Food101Options>();
  DataStudy study;
  study.name = "food101";
  study.description = "dishes from a picture and a text, either of them missing (UPMC Food-101)";
  study.needs =
      "UPMC Food-101 (images/{train,test}/DISH/*.jpg, texts/{train,test}_titles.csv), and beside "
      "it "
      "resnet50.pt and roberta.pt as TorchScript, vocab.json and merges.txt";
  study.methods = {"common-baseline", "knockout"};
  study.repetitions = 1;
  study.programs = [options](const std::string&) {
    return std::vector<std::string>{options->picture_encoder, options->text_encoder};
  };
  study.settings = food101_settings(*options);
  study.run = [options](const DataStudyContext& run) {
    return engine_studies().food101(*options, run);
  };
  study.synthesize = [options](const Synthesis& synthesis) {
    return engine_studies().synthesize_food101(*options, synthesis);
  };
  return study;
}

}  // namespace knockout::experiments
