// SPDX-License-Identifier: Apache-2.0
// knockout-nn: the same command with the LibTorch engine. `knockout` starts it by itself.
#include <malloc.h>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/engine.h"
#include "experiments/torch_studies.h"
#include "knockout/base/error.h"
#include "knockout/nn/generative/miwae.h"
#include "knockout/nn/processes/process_group.h"

namespace knockout {
namespace {

/// The size of the network and the length of its training go for these as well; the rest of the
/// native engine's options has no counterpart.
std::unique_ptr<Method> make_torch_method(const std::string& name, const MethodOptions& options) {
  if (weighs_classes(options.fit.class_weights)) {
    throw ConfigError(fmt::format(
        "the method {} cannot weigh classes: leave it out, or leave out --class-weights.", name));
  }
  if (options.fit.train.time_limit_seconds) {
    throw ConfigError(fmt::format(
        "the method {} cannot keep a time limit: leave it out, or leave out --time-limit.", name));
  }
  nn::MiwaeOptions miwae;
  const TrainOptions& train = options.fit.train;
  if (train.hidden) miwae.predictor_hidden = *train.hidden;
  if (train.steps) miwae.steps = *train.steps;
  if (train.batch_rows) miwae.batch_rows = *train.batch_rows;
  if (train.learning_rate) miwae.learning_rate = *train.learning_rate;
  if (name == "miwae") return nn::make_miwae(miwae);
  if (name == "supmiwae") return nn::make_supmiwae(miwae);
  return nullptr;
}

std::unique_ptr<AllReduce> connect(const Rendezvous& rendezvous) {
  return std::make_unique<nn::ProcessGroup>(rendezvous);
}

}  // namespace
}  // namespace knockout

int main(int argc, char** argv) {
  // LibTorch asks for the same large blocks again and again; keep them instead of giving them back
  // to the system each time.
  constexpr int kMostThatGlibcTakes = 1 << 25;
  constexpr int kKept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kMostThatGlibcTakes);
  mallopt(M_TRIM_THRESHOLD, kKept);
  knockout::cli::set_torch_engine(
      {.methods = knockout::make_torch_method, .connect = knockout::connect});
  knockout::experiments::set_engine_studies(knockout::experiments::torch_studies());
  return knockout::cli::run_command(argc, argv);
}
