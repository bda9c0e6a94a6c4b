// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace knockout::cli {

/// As typed: "knockout fit", "knockout reproduce tumor".
std::string command_name(const CLI::App& app);

/// "-m, --model FILE". Only the first long name: the others are there for who guesses them.
std::string option_title(const CLI::Option& option);

/// The help page of a verb: what it does, examples (the verb's footer), then the options in groups.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace knockout::cli
