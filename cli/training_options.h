// SPDX-License-Identifier: Apache-2.0
// How the network is trained: the same options wherever one is.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "knockout/networks/trainer.h"

namespace knockout::cli {

struct TrainingFlags {
  TrainOptions train;
  std::string architecture = "mlp", optimizer = "adam", schedule = "cosine";

  /// As the trainer wants them. Throws ConfigError.
  TrainOptions options() const;
};
void add_training(CLI::App& verb, TrainingFlags& flags);

}  // namespace knockout::cli
