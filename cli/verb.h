// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

namespace knockout::cli {

/// A verb of the command: its options, and what it does once they are read.
struct Verb {
  CLI::App* app = nullptr;
  std::function<void()> run;
};

Verb setup_demo(CLI::App& command);
Verb setup_inspect(CLI::App& command);
Verb setup_fit(CLI::App& command);
Verb setup_predict(CLI::App& command);
Verb setup_describe(CLI::App& command);
Verb setup_evaluate(CLI::App& command);
Verb setup_compare(CLI::App& command);
Verb setup_ampute(CLI::App& command);
Verb setup_reproduce(CLI::App& command);
/// All of them, in the order of the overview.
std::vector<Verb> setup_verbs(CLI::App& command);

}  // namespace knockout::cli
