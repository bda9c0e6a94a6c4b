// SPDX-License-Identifier: Apache-2.0
// How a result came about: what reports and their JSON end with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/report/document.h"

namespace knockout::cli {

/// Keeps the command line as typed; run_command() calls it once, before any verb runs.
void remember_command(int argc, char** argv);

/// The arguments that remember_command was given, for starting the command again.
char* const* command_arguments();

/// The command, the version, the date, and the hash of every data file. Work without chance has no
/// seed. Standard input is named
/// without a hash, since it cannot be read again. Throws FileError for a file that is gone.
report::Provenance make_provenance(std::optional<std::uint64_t> seed,
                                   const std::vector<std::string>& data_paths, double seconds);

nlohmann::ordered_json provenance_json(const report::Provenance& provenance);

}  // namespace knockout::cli
